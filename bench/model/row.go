package model

import (
	"fmt"
	"io"
	"strconv"

	"rhinet/bench"
)

// A Row is one point of a curve.
type Row struct {
	Test        string  `json:"test"`
	Nodes       int     `json:"nodes"`
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`
	Steps       float64 `json:"steps"`     // of one repetition; 0: none, as in the row of half the peak
	PerStep     float64 `json:"B_step"`    // bytes of payload per step, over all flows that count; 0: no throughput
	HostMicros  float64 `json:"host_usec"` // the host's time for one repetition
}

// header names the columns.
func header() []string {
	return []string{"test", "nodes", "bytes", "repetitions", "steps", "B_step", "host_usec"}
}

func (r Row) cells() []string {
	return []string{r.Test, strconv.Itoa(r.Nodes), strconv.Itoa(r.Bytes), strconv.Itoa(r.Repetitions),
		fmt.Sprintf("%.2f", r.Steps), fmt.Sprintf("%.4f", r.PerStep), fmt.Sprintf("%.3f", r.HostMicros)}
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, header(), rows, Row.cells)
}
