package stepped

import (
	"fmt"
	"io"

	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
)

// Show writes each clock when process 0 sends the given number of bytes by BOTF to a Prefetch
// Window of a process on the next board.
func Show(w io.Writer, bytes int) error {
	clocks, err := Watch(bytes, func(e Event) {
		fmt.Fprintf(w, "%3d  board %d  %-18v %-14v -> %-14v %s\n", e.Clock, e.Node, e.Module, e.From, e.To, e.Why)
	})
	if err == nil {
		_, err = fmt.Fprintf(w, "%d clocks\n", clocks)
	}
	return err
}

// Watch calls see for the transitions that Show writes, and returns the number of clocks.
func Watch(bytes int, see func(Event)) (clocks int, err error) {
	m, nics, err := job(4)
	if err != nil {
		return 0, err
	}
	m.Trace = see
	p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Node: 1, Data: make([]byte, bytes)}
	if err := m.BOTF(nics[0], 0, &p); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// job returns a machine for a new job.
func job(ranks int) (*Machine, []*dimmnet2.NIC, error) {
	f, err := fabric.Heap(ranks, dimmnet2.Geometry(fabric.Small(), fabric.PageBytes))
	if err != nil {
		return nil, nil, err
	}
	boss, err := dimmnet2.Manage(f)
	if err != nil {
		return nil, nil, err
	}
	var nics []*dimmnet2.NIC
	var inside []*dimmnet2.Hardware
	for rank := range ranks {
		n, err := dimmnet2.Open(f, rank)
		if err != nil {
			return nil, nil, err
		}
		hw, err := boss.Hardware(n)
		if err != nil {
			return nil, nil, err
		}
		nics, inside = append(nics, n), append(inside, hw)
	}
	m, err := New(inside)
	return m, nics, err
}

// BOTF writes a packet into a Write Window of a process, 0 or 1, and sends it.
func (m *Machine) BOTF(n *dimmnet2.NIC, window int, p *dimmnet2.Packet) error {
	image := p.Image()
	if err := n.Store(n.WriteWindow(window), image); err != nil {
		return err
	}
	c := dimmnet2.Command{
		Op: dimmnet2.OpBOTF, Window: n.Process()*dimmnet2.WriteWindows/dimmnet2.Processes + window,
		Lines: (len(image) + dimmnet2.LineBytes - 1) / dimmnet2.LineBytes,
	}
	m.Issue(n.Rank(), c.Bytes())
	return nil
}
