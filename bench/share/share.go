// Package share shows how much of the communication library was written for each NIC, in comparison with
// the original library (llc, section 6).
package share

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"rhinet/bench"
	"rhinet/internal/archtest"
)

// A Row is one library on one NIC.
type Row struct {
	Library string  `json:"library"`
	NIC     string  `json:"nic"`
	Own     int     `json:"lines_for_the_nic"`
	All     int     `json:"lines"`
	Percent float64 `json:"percent"`
	Stated  float64 `json:"percent_stated,omitempty"` // stated by the authors; 0: not stated
}

// originals are the figures of the specification. The share stated for the first LLC does not follow from
// its lines.
func originals() []Row {
	return []Row{
		row("MPICH netmod", "InfiniBand", 12496, 12496, 100),
		row("LLC, original", "InfiniBand", 6764, 13595, 50.2),
		row("LLC, original", "Tofu", 4156, 7096, 58.6),
	}
}

func row(library, nic string, own, all int, stated float64) Row {
	return Row{library, nic, own, all, 100 * float64(own) / float64(all), stated}
}

// Count counts the lines of the tree in a folder: lines that are neither blank nor comment, of Go and
// assembly that is neither test nor generated. Code shared by translators of several NICs counts as common,
// and the emulated NICs are hardware.
func Count(dir string) ([]Row, error) {
	const module = "rhinet"
	if _, err := os.Stat(filepath.Join(dir, "llc", "nics")); err != nil {
		return nil, fmt.Errorf("%w: %s holds no source of %s, whose lines are counted; name its folder with --tree", bench.ErrInput, dir, module)
	}
	tree, err := archtest.Load(os.DirFS(dir), module)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	var rows []Row
	for _, s := range tree.NICShares() {
		rows = append(rows, row("rhinet", filepath.Base(s.Translator), s.Own, s.Own+s.Common, 0))
	}
	return append(rows, originals()...), nil
}

var header = []string{"library", "nic", "lines_for_the_nic", "lines", "percent", "percent_stated"}

func (r Row) cells() []string {
	stated := ""
	if r.Stated > 0 {
		stated = strconv.FormatFloat(r.Stated, 'f', 1, 64)
	}
	return []string{r.Library, r.NIC, strconv.Itoa(r.Own), strconv.Itoa(r.All), strconv.FormatFloat(r.Percent, 'f', 1, 64), stated}
}

// Formats names the output formats.
const Formats = bench.ModelFormats + ", markdown"

// Write prints the rows in one of Formats.
func Write(out io.Writer, format string, rows []Row) error {
	if format != "markdown" {
		return bench.WriteModel(out, format, header, rows, Row.cells)
	}
	var all [][]string
	for _, r := range rows {
		all = append(all, r.cells())
	}
	return bench.Markdown(out, header, all)
}
