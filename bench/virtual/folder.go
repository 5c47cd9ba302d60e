package virtual

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"rhinet/bench"
	"rhinet/bench/report"
)

// Folder writes the results of a plan to a folder: the rows, the models with all parameters, the command,
// and a plot for each model.
func (p *Plan) Folder(dir, command string, rows []Row) error {
	err := errors.Join(
		bench.WriteFile(dir, "collectives.csv", func(w io.Writer) error { return Write(w, "csv", rows) }),
		bench.WriteCommand(dir, command),
		bench.WriteFile(dir, "models.txt", func(w io.Writer) (err error) {
			for _, m := range p.Models {
				_, bad := fmt.Fprintln(w, m)
				err = errors.Join(err, bad)
			}
			return err
		}))
	each := len(rows) / len(p.Models)
	for i, m := range p.Models {
		name := m.Name
		if i > 0 && m.Name == p.Models[i-1].Name {
			name += strconv.Itoa(i + 1)
		}
		title := fmt.Sprintf("%s of %d ranks on %s", p.Operation, p.Ranks, m.Name)
		err = errors.Join(err, report.SavePlot(filepath.Join(dir, "collectives-"+strings.ReplaceAll(name, ":", "-")+".svg"), func() (*report.Figure, error) {
			return Plot(title, rows[i*each:(i+1)*each])
		}))
	}
	return err
}
