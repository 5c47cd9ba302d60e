package nics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/bench/pmb"
	"rhinet/bench/virtual"
	"rhinet/collectives"
	"rhinet/internal/hosts"
	"rhinet/mpi"
	"rhinet/nicemu/models"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
	"rhinet/npb"
	"rhinet/npb/nas"
)

// A Result is the result of a cell.
type Result struct {
	Cell
	Usec    float64 `json:"usec"`         // virtual time: one repetition of a test on its slowest rank; the timed part of a kernel
	Packets uint64  `json:"packets"`      // carried by links in the whole job
	Wire    uint64  `json:"wire_bytes"`   // bytes in these packets
	Took    float64 `json:"host_seconds"` // real time, which depends on the machine
	Setup   string  `json:"setup"`        // model, parameters and rates with which it was run
}

// A Runner runs the cells of a plan.
type Runner struct {
	Plan
	Dir   string   // results are kept there
	Jobs  int      // cells in parallel
	Known []Result // results of other folders: cells of the same models are not run again
}

// Run runs all cells that have no result yet, and reports each that has a result.
func (r *Runner) Run(ctx context.Context, report func(Result)) error {
	cells := bench.Cells[Cell, Result]{
		Dir: r.Dir, Jobs: r.Jobs, Setup: Cell.setup, Of: func(res Result) string { return res.Setup },
		Run: func(_ context.Context, c Cell) (Result, error) { return r.measure(c) },
	}
	return cells.All(ctx, r.Cells(), report)
}

// measure returns the known result of a cell, or measures it.
func (r *Runner) measure(c Cell) (Result, error) {
	setup := c.setup()
	i := slices.IndexFunc(r.Known, func(res Result) bool { return res.Cell == c && alike(res.Setup, setup) })
	if i < 0 {
		return c.Measure()
	}
	res := r.Known[i]
	res.Setup = setup
	return res, nil
}

// alike reports whether two setups are equal: one may omit parameters that have the value of the table.
func alike(a, b string) bool {
	model, rest, _ := strings.Cut(a, " ")
	c, err := models.Parse(model)
	return err == nil && c.String()+" "+rest == b
}

// Read reads results that [Write] has written as JSON.
func Read(in io.Reader) (all []Result, err error) {
	err = json.NewDecoder(in).Decode(&all)
	return all, err
}

// model returns the model of a cell; for one node, any model is good.
func (c Cell) model() (models.Choice, error) {
	if c.NIC == alone {
		return models.Parse("loggp")
	}
	n, ok := find(c.NIC)
	if !ok {
		return models.Choice{}, fmt.Errorf("%w: no NIC %q", bench.ErrInput, c.NIC)
	}
	return n.choice(c.Variant, c.Nodes)
}

// find returns a NIC.
func find(name string) (n NIC, ok bool) {
	i := slices.IndexFunc(NICs(), func(n NIC) bool { return n.Name == name })
	if i < 0 {
		return n, false
	}
	return NICs()[i], true
}

// host is the host whose computing rates a cell has.
func (c Cell) host() string {
	i := slices.IndexFunc(Variants(), func(v Variant) bool { return v.Name == c.Variant })
	return Variants()[max(i, 0)].Host
}

// setup describes what a result depends on, other than its cell.
func (c Cell) setup() string {
	m, err := c.model()
	if err != nil {
		return err.Error()
	}
	text := m.String() + " counted:" + c.host()
	if c.Variant == Equal {
		text = strings.TrimSpace(text + " " + m.Topology(c.Nodes))
	}
	if by := c.by(); by != "" {
		text += " " + by
	}
	return text
}

// by returns the algorithms that a cell names.
func (c Cell) by() string {
	n, _ := find(c.NIC)
	if n.by == "" && c.Class == "" && c.Program != "Barrier" {
		return n.between
	}
	return n.by
}

// Measure runs a cell.
func (c Cell) Measure() (Result, error) {
	m, err := c.model()
	if err != nil {
		return Result{}, err
	}
	rates, err := hosts.Rates(c.host())
	if err != nil {
		return Result{}, err
	}
	program := c.test
	if c.Class != "" {
		program = c.kernel
	}
	begin := time.Now()
	times := make([]float64, c.Nodes)
	j := virtual.Job{Model: m, Ranks: c.Nodes, Compute: timed.Compute{Kind: timed.Counted, Rates: rates}}
	if by := c.by(); by != "" {
		if j.Collectives.Force, err = collectives.ParseForce(by); err != nil {
			return Result{}, err
		}
	}
	report, err := j.Run(func(world *mpi.Comm, now func() vtime.Time) (err error) {
		times[world.Rank()], err = program(world, now)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	return Result{Cell: c, Usec: slices.Max(times), Packets: report.Wire.Packets, Wire: report.Wire.Bytes, Took: time.Since(begin).Seconds(), Setup: c.setup()}, nil
}

// repetitions of a test: virtual time has no noise, and the first one, which makes connections, does not
// count.
const repetitions = 2

// test runs a test of the suite.
func (c Cell) test(world *mpi.Comm, now func() vtime.Time) (float64, error) {
	b, err := pmb.Find(c.Program)
	if err != nil {
		return 0, err
	}
	return b.Timed(world, c.Bytes, repetitions, func() float64 { return now().Seconds() })
}

// errUnverified reports a kernel with a wrong result.
var errUnverified = errors.New("the kernel was not verified")

// kernel runs a kernel and returns the time from its first iteration to the end, or from the start if it
// has no iterations.
func (c Cell) kernel(world *mpi.Comm, now func() vtime.Time) (float64, error) {
	k, ok := npb.Find(c.Program)
	if !ok {
		return 0, fmt.Errorf("%w: no kernel %q", bench.ErrInput, c.Program)
	}
	class, err := nas.ParseClass(c.Class)
	if err != nil {
		return 0, err
	}
	var begun vtime.Time
	r, err := k.Run(world, nas.Config{Class: class, Progress: func(i, _ int) {
		if i == 1 {
			begun = now()
		}
	}})
	if err != nil || world.Rank() != 0 {
		return 0, err
	}
	if len(r.Checks) == 0 || slices.ContainsFunc(r.Checks, func(c nas.Check) bool { return !c.OK }) {
		return 0, errUnverified
	}
	return (now() - begun).Microseconds(), nil
}
