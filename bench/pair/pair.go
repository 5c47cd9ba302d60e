package pair

import (
	"errors"
	"fmt"
	"io"

	"rhinet/bench"
	"rhinet/nicemu/fabric"
)

// A Side is one process's part of a test. Run runs the test reps times; repetitions are numbered from 0.
// All sides call Run at the same time.
type Side interface {
	Run(series, bytes, reps int) error
	Close() error
}

// A Workload is a set of tests that two or three processes measure; all processes open their side in the
// same way.
type Workload struct {
	Name      string // by this name and the level another process finds it
	About     string // one line for lists
	Processes int
	Tests     []bench.Test
	Open      func(*End) (Side, error)
}

// Find returns the workload with this name, or an error that lists the names of all.
func Find(all []Workload, thing, name string) (Workload, error) {
	w, known, ok := bench.Pick(all, func(w Workload) string { return w.Name }, name)
	if !ok {
		return w, fmt.Errorf("%w: no %s %q; there is %s", bench.ErrInput, thing, name, known)
	}
	return w, nil
}

// Measure measures tests of the workload between this process and others, which it starts, in the memory of
// a job of the given number of nodes. Sides know the tests by number; the first of tests has number first.
// level tells the other processes where to look for the workload (see [Second]).
func (w Workload) Measure(level string, tests []bench.Test, first, nodes int, g fabric.Geometry, p bench.Policy, sizes []int, errs io.Writer, report func(bench.Row)) error {
	leader, err := Lead(level+" "+w.Name, w.Processes, nodes, g, errs)
	if err != nil {
		return err
	}
	side, err := w.Open(leader.End)
	if err == nil {
		for i, t := range tests {
			timed := func(bytes, reps int) (float64, error) { return leader.Call(side, first+i, bytes, reps) }
			if err = t.Measure(p, nodes, sizes, timed, report); err != nil {
				break
			}
		}
		err = errors.Join(err, side.Close())
	}
	return errors.Join(err, leader.Close())
}
