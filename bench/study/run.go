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

// A Result is what a cell gave.
type Result struct {
	Cell
	Mops    float64 `json:"mops"`                        // of all nodes together, as the kernel counts them
	Seconds float64 `json:"seconds"`                     // of virtual time, of the timed section
	Compute float64 `json:"compute"`                     // parts of the job's virtual time, mean over nodes
	Calls   float64 `json:"calls"`                       //
	Waits   float64 `json:"waits"`                       //
	Packets uint64  `json:"packets"`                     // that links carried
	Bytes   uint64  `json:"bytes"`                       // in them
	Bus     float64 `json:"bus"`                         // utilisation of the busiest PCI bus
	Link    float64 `json:"link"`                        // of the busiest direction of a link
	Took    float64 `json:"host_seconds"`                // real time of the job; another machine takes another
	Used    float64 `json:"processor_seconds,omitempty"` // of its process, which other work beside it hardly changes; 0: not recorded
	Memory  float64 `json:"host_MB_rank,omitempty"`      // the most that its process had, for each rank; 0: not recorded
	Setup   string  `json:"setup"`                       // model, parameters and rates that it was run with
}

// A Runner runs cells.
type Runner struct {
	Plan
	Dir  string // results are kept there
	Jobs int    // at once
	// Command is a process that measures a cell on a model, and prints the result as JSON. A process of its
	// own has memory of its own, and ends when ctx does.
	Command func(ctx context.Context, c Cell, model string) *exec.Cmd
}

// setup is what a result depends on beside its cell.
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

// Run runs all cells that have not been run, and reports each that has a result. A cell that
// fails is an error, after the others.
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
