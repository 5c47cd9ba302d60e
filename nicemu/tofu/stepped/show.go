package stepped

import (
	"fmt"
	"io"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

// Show writes what happens, step by step, when node 0 puts so many bytes to the bootstrap
// area of node 1 and wants a notice.
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

// Watch has see see what Show writes, and returns the number of steps.
func Watch(bytes int, see func(Event)) (steps int, err error) {
	m, err := pair(bytes)
	if err != nil {
		return 0, err
	}
	m.Trace = see
	m.Post(0, 0, tofu.Order{Command: tofu.Put, Node: 1, Tag: tofu.TagBootstrap, Local: make([]byte, bytes), Notify: true})
	return m.Run(), nil
}

// pair returns the machine of two nodes whose bootstrap areas have so many bytes.
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

// Long returns the steps in which node 0 puts so many bytes to node 1, order by order of so many each: one at each of so many
// injection ports, and the next at the port that is answered (llc, section 5).
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

// Ports writes how many steps a message of 1 MiB takes by one, two and four injection ports, by the bytes of an order.
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
