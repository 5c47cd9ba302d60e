package stepped

import (
	"fmt"
	"io"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

// Show writes each step when node 0 puts the given number of bytes to the bootstrap area of node 1
// and requests a notice.
func Show(w io.Writer, bytes int) error {
	steps, err := Watch(bytes, func(e Event) {
		name := e.Module.String()
		if e.Module == InjectionPort {
			name = fmt.Sprintf("port %d", e.Number)
		}
		fmt.Fprintf(w, "%4d  node %d  %-9s %-8v-> %-8v %s\n", e.Step, e.Node, name, e.From, e.To, e.Why)
	})
	if err == nil {
		_, err = fmt.Fprintf(w, "%d steps\n", steps)
	}
	return err
}

// Watch calls see for the transitions that Show writes, and returns the number of steps.
func Watch(bytes int, see func(Event)) (steps int, err error) {
	m, err := pair(bytes)
	if err != nil {
		return 0, err
	}
	m.Trace = see
	m.Post(0, 0, tofu.Order{Command: tofu.Put, Node: 1, Tag: tofu.TagBootstrap, Local: make([]byte, bytes), Notify: true})
	return m.Run(), nil
}

// pair returns the machine of two nodes with bootstrap areas of the given number of bytes.
func pair(bytes int) (*Machine, error) {
	f, err := fabric.Heap(2, tofu.Geometry(fabric.Small(), max(bytes, 1)))
	if err != nil {
		return nil, err
	}
	boss, err := tofu.Manage(f)
	if err != nil {
		return nil, err
	}
	var nics []*tofu.Hardware
	for rank := range f.Ranks() {
		n, err := tofu.Open(f, rank, tofu.Options{})
		if err != nil {
			return nil, err
		}
		hw, err := boss.Hardware(n)
		if err != nil {
			return nil, err
		}
		nics = append(nics, hw)
	}
	return New(nics)
}

// Long returns the number of steps in which node 0 puts a number of bytes to node 1, in orders of
// order bytes each. It posts one order at each of the first injection ports, ports in number, and
// then the next order at a port whose order is complete (llc, section 5).
func Long(bytes, order, ports int) (steps int, err error) {
	m, err := pair(bytes)
	if err != nil {
		return 0, err
	}
	posted := make([]Pending, ports)
	for at := 0; at < bytes || m.busy(); steps++ {
		for i := range posted {
			if _, _, done := posted[i].Done(); done && at < bytes {
				n := min(order, bytes-at)
				posted[i] = m.Post(0, i, tofu.Order{Command: tofu.Put, Node: 1, Tag: tofu.TagBootstrap, Offset: uint64(at), Local: make([]byte, n)})
				at += n
			}
		}
		m.Step()
	}
	return steps, nil
}

// Ports writes the number of steps that a message of 1 MiB takes with one, two and four injection
// ports, for several sizes of an order.
func Ports(w io.Writer) error {
	fmt.Fprintln(w, "order     1 port  2 ports  4 ports")
	for _, kib := range []int{8, 16, 32, 64, 256} {
		fmt.Fprintf(w, "%3d KiB ", kib)
		for _, ports := range []int{1, 2, 4} {
			steps, err := Long(1<<20, kib<<10, ports)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, " %7d ", steps)
		}
		fmt.Fprintln(w)
	}
	return nil
}
