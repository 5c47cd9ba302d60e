package study

import (
	"errors"
	"io"

	"rhinet/bench"
)

// Folder writes the files beside the cells of a plan: rows, speed-ups, plots, and the command.
func (p *Plan) Folder(dir, command string, rows []Row) error {
	return errors.Join(
		bench.WriteFile(dir, "npb.csv", func(w io.Writer) error { return Write(w, "csv", rows) }),
		bench.WriteFile(dir, "speed-up.txt", func(w io.Writer) error { return p.Summary(w, rows) }),
		bench.WriteCommand(dir, command),
		p.Plots(dir, rows))
}
