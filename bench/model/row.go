package model

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rhinet/bench"
)

// A Row is one point of a curve.
type Row struct {
	Test        string  `json:"test"`
	Nodes       int     `json:"nodes"`
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`
	Steps       float64 `json:"steps"`     // of one repetition; 0: none, as in the row of half the peak
	PerStep     float64 `json:"B_step"`    // bytes of payload in a step, of all flows that count; 0: no throughput
	HostMicros  float64 `json:"host_usec"` // what the host took for one repetition
}

// header names the columns.
func header() []string {
	return []string{"test", "nodes", "bytes", "repetitions", "steps", "B_step", "host_usec"}
}

func (r Row) cells() []string {
	return []string{r.Test, strconv.Itoa(r.Nodes), strconv.Itoa(r.Bytes), strconv.Itoa(r.Repetitions),
		fmt.Sprintf("%.2f", r.Steps), fmt.Sprintf("%.4f", r.PerStep), fmt.Sprintf("%.3f", r.HostMicros)}
}

// Write writes rows in one of Formats.
func Write(out io.Writer, format string, rows []Row) error {
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, r.cells())
	}
	return write(out, format, header(), cells, rows)
}

// write writes rows of either kind in one of Formats.
func write[R any](out io.Writer, format string, header []string, cells [][]string, rows []R) error {
	if err := CheckFormat(format); err != nil {
		return err
	}
	return bench.WriteRows(out, format, header, cells, rows)
}

// CheckFormat reports a format that Write does not know.
func CheckFormat(format string) error {
	if slices.Contains(strings.Split(Formats, ", "), format) {
		return nil
	}
	return fmt.Errorf("unknown format %q; the formats are %s", format, Formats)
}

// Formats names the output formats: steps are no times, so Go's is not among them.
const Formats = "table, csv, json"
