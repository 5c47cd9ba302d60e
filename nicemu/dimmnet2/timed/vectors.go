package timed

import (
	"encoding/binary"
	"fmt"

	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/dimmnet2/stepped"
	"rhinet/nicemu/vtime"
)

// A Cost is what a transfer takes of the machine.
type Cost struct {
	Commands int        // that hosts issue
	Packets  int        // between the boards
	Bytes    int        // of these, headers included
	Time     vtime.Time // from the first store of a host until the last element is in its place
}

// Element is the size of the elements that are measured, and gap how far they are apart.
const (
	Element = 8
	gap     = 24
)

// stages are the parts that packets pass, each of which has one at a time.
type stages []vtime.Time

// pass has one more packet pass from a moment on, which takes so long in each, and returns when it is through.
func (s stages) pass(from vtime.Time, long ...vtime.Time) vtime.Time {
	for i, t := range long {
		from = max(from, s[i]) + t
		s[i] = from
	}
	return from
}

// remote addresses a packet to the process on the other board.
func remote(p *dimmnet2.Packet) { p.Node, p.Process = 1, 0 }

// botf returns a store of a packet into a Write Window, and the command that has it sent.
func botf(p *dimmnet2.Packet) ([]stepped.Access, *dimmnet2.Command, int) {
	remote(p)
	image := p.Image()
	lines := (len(image) + dimmnet2.LineBytes - 1) / dimmnet2.LineBytes
	return []stepped.Access{{At: dimmnet2.WriteWindow(0), Bytes: image}}, &dimmnet2.Command{Op: dimmnet2.OpBOTF, Lines: lines}, len(image)
}

// elements returns a packet that writes n elements by a pattern, or one.
func elements(pattern dimmnet2.Pattern, n int) *dimmnet2.Packet {
	p := &dimmnet2.Packet{Op: dimmnet2.PacketWrite, Memory: dimmnet2.InDIMM, Quiet: true, Data: make([]byte, n*Element)}
	if pattern == dimmnet2.Contiguous {
		return p
	}
	p.Op, p.Request = dimmnet2.PacketScatter, dimmnet2.Request{Length: n * Element, Pattern: pattern, Element: Element}
	p.Data = append(argument(pattern, n), p.Data...)
	return p
}

// argument is what a pattern needs.
func argument(pattern dimmnet2.Pattern, n int) (b []byte) {
	if pattern == dimmnet2.Strided {
		return binary.LittleEndian.AppendUint64(nil, gap)
	}
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i*gap))
	}
	return b
}

// each calls do for as many elements as go at once.
func each(n, most int, do func(n int) error) error {
	for ; n > 0; n -= most {
		if err := do(min(n, most)); err != nil {
			return err
		}
	}
	return nil
}

// Put returns what it takes to write n elements into the SO-DIMM of another board: by a pattern, or, if that is Contiguous, one by
// one. The host fills two windows in turn (dimmnet2, section 9).
func (m *Model) Put(pattern dimmnet2.Pattern, n int) (c Cost, err error) {
	most := 1
	if pattern != dimmnet2.Contiguous {
		most = dimmnet2.Carried(pattern, Element) / Element
	}
	way := make(stages, 5)
	var free [2]vtime.Time
	err = each(n, most, func(n int) error {
		stores, command, bytes := botf(elements(pattern, n))
		busy, err := m.lab.Run(stores, command)
		size := bytes - dimmnet2.HeaderBytes
		window := c.Commands % len(free)
		sent := way[:2].pass(max(way[0], free[window]), m.written(size)+m.issue, m.reach+m.clocks(busy, 0, stepped.WindowController))
		free[window] = sent
		c.Time = way[2:].pass(sent, m.leaves(size), m.arrives(size), m.clocks(busy, 1, stepped.ReceiveController))
		c.add(1, 1, bytes)
		return err
	})
	return c, err
}

func (c *Cost) add(commands, packets, bytes int) {
	c.Commands += commands
	c.Packets += packets
	c.Bytes += bytes
}

func (m *Model) clocks(b stepped.Busy, board int, unit stepped.Module) vtime.Time {
	return m.clock * vtime.Time(b[board][unit])
}

// PutPacked returns what it takes to send n elements as messages of a window each, and to have the host of the other board, which polls
// for them, load each, store it into a Write Window, and have its own board scatter it: what there is without a pattern at the
// receiver.
func (m *Model) PutPacked(n int) (c Cost, err error) {
	const most = MostData / Element
	way := make(stages, 6)
	var free [2]vtime.Time
	err = each(n, most, func(n int) error {
		p := &dimmnet2.Packet{Op: dimmnet2.PacketWrite, Memory: dimmnet2.InPW, Data: make([]byte, n*Element)}
		stores, command, bytes := botf(p)
		busy, err := m.lab.Run(stores, command)
		if err != nil {
			return err
		}
		size := n * Element
		window := c.Commands / 2 % len(free)
		sent := way[:2].pass(max(way[0], free[window]), m.written(size)+m.issue, m.reach+m.clocks(busy, 0, stepped.WindowController))
		free[window] = sent
		come := way[2:].pass(sent, m.leaves(size), m.arrives(size), m.clocks(busy, 1, stepped.ReceiveController)) + m.clocks(busy, 1, stepped.StatusWriteUnit)
		scatter, err := m.scatter(n)
		c.Time = way[5:].pass(come, m.poll+m.loaded(size)+m.written(size)+m.issue) + scatter
		c.add(2, 1, bytes)
		return err
	})
	return c, err
}

// scatter returns how long a board takes to write n elements from a window into its own SO-DIMM, from the request on.
func (m *Model) scatter(n int) (vtime.Time, error) {
	busy, err := m.lab.Run([]stepped.Access{
		{At: dimmnet2.RegStride.At(0), Bytes: argument(dimmnet2.Strided, n)}, {At: dimmnet2.RegElement.At(0), Bytes: binary.LittleEndian.AppendUint64(nil, Element)},
	}, &dimmnet2.Command{Op: dimmnet2.OpWrite, Pattern: dimmnet2.Strided, Length: n * Element})
	return m.reach + m.clocks(busy, 0, stepped.WindowController), err
}

// loaded returns how long a host loads n bytes from a window: as long as it stores them, without the first (our choice: section 7 names
// stores only).
func (m *Model) loaded(n int) vtime.Time { return m.written(n) - m.written(0) }

// Get returns what it takes to have n elements of the SO-DIMM of another board come into Prefetch Windows: by a pattern, or, if
// that is Contiguous, one by one. The host has four windows, and knows that one may be used again when the elements before are there.
func (m *Model) Get(pattern dimmnet2.Pattern, n int) (c Cost, err error) {
	most := 1
	if pattern != dimmnet2.Contiguous {
		most = dimmnet2.WindowBytes / Element
	}
	way := make(stages, 8)
	var free [dimmnet2.PrefetchWindows / dimmnet2.Processes]vtime.Time
	err = each(n, most, func(n int) error {
		command := &dimmnet2.Command{Op: dimmnet2.OpRemoteRead, Pattern: pattern, Node: 1, Length: n * Element}
		stores, prepared := m.prepared(pattern, n)
		busy, err := m.lab.Run(stores, command)
		ask := dimmnet2.ThirdBytes
		if pattern != dimmnet2.Contiguous {
			ask += len(argument(pattern, n))
		}
		window := c.Commands % len(free)
		c.Time = way.pass(max(way[0], free[window]), prepared+m.issue, m.reach+m.clocks(busy, 0, stepped.WindowController), m.leaves(ask), m.arrives(ask),
			m.clocks(busy, 1, stepped.ReceiveController)+m.clocks(busy, 1, stepped.WindowController), m.leaves(n*Element), m.arrives(n*Element),
			m.clocks(busy, 0, stepped.ReceiveController))
		free[window] = c.Time
		c.add(1, 2, 2*dimmnet2.HeaderBytes+ask+n*Element)
		return err
	})
	return c, err
}

// prepared is what a host stores before it has elements read, and how long that takes: a list, as a window of as many bytes.
func (m *Model) prepared(pattern dimmnet2.Pattern, n int) ([]stepped.Access, vtime.Time) {
	mode := stepped.Access{At: dimmnet2.RegElement.At(0), Bytes: binary.LittleEndian.AppendUint64(nil, Element)}
	b := argument(pattern, n)
	switch pattern {
	case dimmnet2.Strided:
		return []stepped.Access{mode, {At: dimmnet2.RegStride.At(0), Bytes: b}}, 0 // set once for all
	case dimmnet2.List:
		list := binary.LittleEndian.AppendUint64(nil, dimmnet2.ListInLLCM|dimmnet2.BuffersAt)
		return []stepped.Access{mode, {At: dimmnet2.RegList.At(0), Bytes: list}, {At: dimmnet2.LLCM(0, dimmnet2.BuffersAt), Bytes: b}}, m.written(len(b))
	}
	return nil, 0
}

// accesses are the ways of elements.
var accesses = []struct {
	name string
	take func(m *Model, n int) (Cost, error)
}{
	{"put, one by one", func(m *Model, n int) (Cost, error) { return m.Put(dimmnet2.Contiguous, n) }},
	{"put, packed and unpacked", (*Model).PutPacked},
	{"put by a list", func(m *Model, n int) (Cost, error) { return m.Put(dimmnet2.List, n) }},
	{"put by a stride", func(m *Model, n int) (Cost, error) { return m.Put(dimmnet2.Strided, n) }},
	{"get, one by one", func(m *Model, n int) (Cost, error) { return m.Get(dimmnet2.Contiguous, n) }},
	{"get by a list", func(m *Model, n int) (Cost, error) { return m.Get(dimmnet2.List, n) }},
	{"get by a stride", func(m *Model, n int) (Cost, error) { return m.Get(dimmnet2.Strided, n) }},
}

// Accesses calls see with each way to move n elements to or from another board's SO-DIMM, and what it takes.
func (m *Model) Accesses(n int, see func(way string, c Cost)) error {
	for _, a := range accesses {
		c, err := a.take(m, n)
		if err != nil {
			return fmt.Errorf("%s, %d elements: %w", a.name, n, err)
		}
		see(a.name, c)
	}
	return nil
}
