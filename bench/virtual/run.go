package virtual

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"rhinet/collectives"
	"rhinet/mpi"
	"rhinet/nicemu/vtime"
)

// Run measures all cells and reports each.
func (p *Plan) Run(report func(Row)) error {
	for _, c := range p.Cells() {
		row, err := c.Measure()
		if err != nil {
			return fmt.Errorf("%s of %d bytes by %s on %s: %w", c.Operation, c.Bytes, c.Algorithm, c.Model, err)
		}
		report(row)
	}
	return nil
}

// Measure makes one call on all ranks.
func (c Cell) Measure() (Row, error) {
	debug.FreeOSMemory() // so that memory is measured for this cell only
	forget()
	begin := time.Now()
	ends := make([]vtime.Time, c.Ranks)
	j := Job{Model: c.model, Ranks: c.Ranks, Collectives: collectives.Options{Force: map[string]string{c.Operation: c.Algorithm}}}
	r, err := j.Run(func(world *mpi.Comm, now func() vtime.Time) error { // all begin at 0
		err := c.call(world)
		ends[world.Rank()] = now()
		return err
	})
	if err != nil {
		return Row{}, err
	}
	row := Row{Cell: c, Packets: r.Total.Packets, Events: r.Events, Seconds: time.Since(begin).Seconds(), Memory: Peak() / float64(c.Ranks)}
	for _, t := range ends {
		row.Usec = max(row.Usec, t.Microseconds())
	}
	return row, nil
}

// ErrNotServed reports an algorithm that is not available for a call.
var ErrNotServed = errors.New("the algorithm does not serve such a call")

// errWrong reports a wrong result of the operation.
var errWrong = errors.New("a wrong result")

// call makes the call, and checks its result.
func (c Cell) call(world *mpi.Comm) error {
	if name, err := world.Algorithm(c.Operation, c.Bytes); err != nil || name != c.Algorithm {
		return errors.Join(ErrNotServed, err)
	}
	n, rank := c.Bytes/value, world.Rank()
	mine := make([]float64, n)
	for i := range mine {
		mine[i] = float64(rank + i%7)
	}
	if c.Operation == "bcast" {
		if err := mpi.Bcast(world, mine, 0); err != nil {
			return err
		}
		return expect(mine, func(i int) float64 { return float64(i % 7) })
	}
	sum := make([]float64, n)
	if err := mpi.Allreduce(world, mine, sum, mpi.Sum); err != nil {
		return err
	}
	return expect(sum, func(i int) float64 { return float64(c.Ranks*(c.Ranks-1)/2 + c.Ranks*(i%7)) })
}

func expect(got []float64, want func(i int) float64) error {
	for i, v := range got {
		if v != want(i) {
			return fmt.Errorf("%w: element %d is %v, not %v", errWrong, i, v, want(i))
		}
	}
	return nil
}

// forget resets the system's record of the process's peak memory, where possible.
func forget() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// Peak returns the peak memory of this process, in Mbyte; 0 if the system does not tell.
func Peak() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	v, err := strconv.ParseFloat(kib, 64)
	if err != nil {
		return 0
	}
	return v * 1024 / 1e6
}
