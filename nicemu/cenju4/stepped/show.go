package stepped

import (
	"fmt"
	"io"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

// Show writes each step when node 0 of 16 reads the given number of bytes of the bootstrap area of
// node 9.
func Show(w io.Writer, bytes int) error {
	steps, err := Watch(bytes, func(e Event) {
		fmt.Fprintf(w, "%4d  node %d  %-8v  %-9v -> %-9v  %s\n", e.Step, e.Node, e.Module, e.From, e.To, e.Why)
	})
	if err == nil {
		_, err = fmt.Fprintf(w, "%d steps\n", steps)
	}
	return err
}

// Watch calls see for the transitions that Show writes, and returns the number of steps.
func Watch(bytes int, see func(Event)) (steps int, err error) {
	const nodes, target = 16, 9
	f, err := fabric.Heap(nodes, cenju4.Geometry(fabric.Small(), max(bytes, 1)))
	if err != nil {
		return 0, err
	}
	boss, err := cenju4.Manage(f)
	if err != nil {
		return 0, err
	}
	var nics []*cenju4.Hardware
	for rank := range nodes {
		n, err := cenju4.Open(f, rank, cenju4.Options{})
		if err != nil {
			return 0, err
		}
		hw, err := boss.Hardware(n)
		if err != nil {
			return 0, err
		}
		nics = append(nics, hw)
	}
	m, err := New(nics)
	if err != nil {
		return 0, err
	}
	m.Trace = see
	m.Post(0, cenju4.Parcel{
		Protocol: cenju4.RemoteRead, Dest: target, Length: uint32(bytes), Words: [3]uint64{uint64(cenju4.BootstrapAt), uint64(cenju4.LentFor(0))},
	}, make([]byte, bytes))
	return m.Run(), nil
}
