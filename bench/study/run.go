package study

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"rhinet/bench"
)

// A Result is the result of a cell.
type Result struct {
	Cell
	Mops    float64 `json:"mops"`                        // of all nodes together, by the kernel's own count
	Seconds float64 `json:"seconds"`                     // virtual time of the timed section
	Compute float64 `json:"compute"`                     // fractions of the job's virtual time, mean over nodes
	Calls   float64 `json:"calls"`                       //
	Waits   float64 `json:"waits"`                       //
	Packets uint64  `json:"packets"`                     // carried by links
	Bytes   uint64  `json:"bytes"`                       // bytes in these packets
	Bus     float64 `json:"bus"`                         // utilisation of the busiest PCI bus
	Link    float64 `json:"link"`                        // of the busiest direction of a link
	Took    float64 `json:"host_seconds"`                // real time of the job, which depends on the machine
	Used    float64 `json:"processor_seconds,omitempty"` // processor time of its process, hardly affected by other work on the machine; 0: not recorded
	Memory  float64 `json:"host_MB_rank,omitempty"`      // maximum memory of its process, per rank; 0: not recorded
	Setup   string  `json:"setup"`                       // model, parameters and rates with which it was run
}

// A Runner runs cells.
type Runner struct {
	Plan
	Dir  string // results are kept there
	Jobs int    // cells in parallel
	// Command returns a process that measures a cell on a model, and prints the result as JSON. A separate
	// process has memory of its own, and ends when ctx does.
	Command func(ctx context.Context, c Cell, model string) *exec.Cmd
}

// setup describes what a result depends on, other than its cell.
func (r *Runner) setup(c Cell) string {
	return strings.Join(append([]string{r.model(c), r.Compute}, r.Settings...), " ")
}

func (r *Runner) model(c Cell) string {
	for _, s := range r.Series {
		if s.Name == c.Series {
			return s.Model
		}
	}
	return AllSeries()[0].Model
}

func (r *Runner) cells() *bench.Cells[Cell, Result] {
	return &bench.Cells[Cell, Result]{Dir: r.Dir, Jobs: r.Jobs, Setup: r.setup, Of: func(res Result) string { return res.Setup }, Run: r.cell}
}

// Run runs all cells that have no result yet, and reports each that has a result. If a cell fails, the
// others still run, and then Run returns the error.
func (r *Runner) Run(ctx context.Context, report func(Result)) error {
	return r.cells().All(ctx, r.Cells(), report)
}

// cell runs one job.
func (r *Runner) cell(ctx context.Context, c Cell) (res Result, err error) {
	cmd := r.Command(ctx, c, r.model(c))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return res, fmt.Errorf("%w: %s", err, strings.TrimSpace(errs.String()))
	}
	took := time.Since(begin).Seconds()
	if err := json.Unmarshal(out.Bytes(), &res); err != nil {
		return res, fmt.Errorf("the job printed no result: %w", err)
	}
	res.Cell, res.Took, res.Setup = c, took, r.setup(c)
	res.Used = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return res, nil
}
