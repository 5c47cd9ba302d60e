package pair

import (
	"errors"
	"fmt"
	"io"

	"rhinet/bench"
	"rhinet/nicemu/fabric"
)

// A Side is what one of the processes has open. Run carries out reps
// repetitions of a test, the first of them
// being number 0; all sides run it at the same time.
type Side interface {
	Run(series, bytes, reps int) error
	Close() error
}

// A Workload is what one pair of processes, or three, measures: tests of sides that
// all processes open alike.
type Workload struct {
	Name      string // by which a further process finds it, after the level
	About     string // one line for lists
	Processes int
	Tests     []bench.Test
	Open      func(*End) (Side, error)
}

// Find returns the workload of a name, or an error that says which things are
// there.
func Find(all []Workload, thing, name string) (Workload, error) {
	w, known, ok := bench.Pick(all, func(w Workload) string { return w.Name }, name)
	if !ok {
		return w, fmt.Errorf("%w: no %s %q; there is %s", bench.ErrInput, thing, name, known)
	}
	return w, nil
}

// Measure measures tests of the workload, which sides know by numbers from first
// on, between this process and others that it starts, in the memory of a job of so
// many nodes. level is what the others look for the workload in (see [Second]).
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
