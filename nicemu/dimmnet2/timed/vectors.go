package timed

import (
	"encoding/binary"
	"fmt"

	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/dimmnet2/stepped"
	"rhinet/nicemu/vtime"
)

// A Cost is the effort of a transfer.
type Cost struct {
	Commands int        // issued by hosts
	Packets  int        // between the boards
	Bytes    int        // of these packets, including headers
	Time     vtime.Time // from the first store of a host until the last element is in its place
}

// Element is the size of the measured elements, and gap the distance between them.
const (
	Element = 8
	gap     = 24
)

// stages are the parts that packets pass, each of which takes one packet at a time.
type stages []vtime.Time

// pass sends one more packet through the stages from a moment on, with its time in each, and
// returns when it has passed all of them.
func (s stages) pass(from vtime.Time, long ...vtime.Time) vtime.Time {
	for i, t := range long {
		from = max(from, s[i]) + t
		s[i] = from
	}
	return from
}

// remote addresses a packet to the process on the other board.
func remote(p *dimmnet2.Packet) { p.Node, p.Process = 1, 0 }

// botf returns the store of a packet into a Write Window, and the command that sends it.
func botf(p *dimmnet2.Packet) ([]stepped.Access, *dimmnet2.Command, int) {
	remote(p)
	image := p.Image()
	lines := (len(image) + dimmnet2.LineBytes - 1) / dimmnet2.LineBytes
	return []stepped.Access{{At: dimmnet2.WriteWindow(0), Bytes: image}}, &dimmnet2.Command{Op: dimmnet2.OpBOTF, Lines: lines}, len(image)
}

// elements returns a packet that writes n elements by a pattern, or one element.
func elements(pattern dimmnet2.Pattern, n int) *dimmnet2.Packet {
	p := &dimmnet2.Packet{Op: dimmnet2.PacketWrite, Memory: dimmnet2.InDIMM, Quiet: true, Data: make([]byte, n*Element)}
	if pattern == dimmnet2.Contiguous {
		return p
	}
	p.Op, p.Request = dimmnet2.PacketScatter, dimmnet2.Request{Length: n * Element, Pattern: pattern, Element: Element}
	p.Data = append(argument(pattern, n), p.Data...)
	return p
}

// argument returns the argument of a pattern.
func argument(pattern dimmnet2.Pattern, n int) (b []byte) {
	if pattern == dimmnet2.Strided {
		return binary.LittleEndian.AppendUint64(nil, gap)
	}
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(i*gap))
	}
	return b
}

// each calls do with as many elements at a time as possible.
func each(n, most int, do func(n int) error) error {
	for ; n > 0; n -= most {
		if err := do(min(n, most)); err != nil {
			return err
		}
	}
	return nil
}

// Put returns the cost of writing n elements into the SO-DIMM of another board: by a pattern or, if
// that is Contiguous, one by one. The host fills two windows in turn (dimmnet2, section 9).
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

// PutPacked returns the cost of the same without a pattern at the receiver: n elements are sent as
// messages of a window each; the host of the other board, which polls for them, loads each one,
// stores it into a Write Window, and has its own board scatter it.
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

// scatter returns the time in which a board writes n elements from a window into its own SO-DIMM,
// from the request on.
func (m *Model) scatter(n int) (vtime.Time, error) {
	busy, err := m.lab.Run([]stepped.Access{
		{At: dimmnet2.RegStride.At(0), Bytes: argument(dimmnet2.Strided, n)}, {At: dimmnet2.RegElement.At(0), Bytes: binary.LittleEndian.AppendUint64(nil, Element)},
	}, &dimmnet2.Command{Op: dimmnet2.OpWrite, Pattern: dimmnet2.Strided, Length: n * Element})
	return m.reach + m.clocks(busy, 0, stepped.WindowController), err
}

// loaded returns the time in which a host loads n bytes from a window: that of storing them,
// without the fixed part (our choice: section 7 has only stores).
func (m *Model) loaded(n int) vtime.Time { return m.written(n) - m.written(0) }

// Get returns the cost of reading n elements from the SO-DIMM of another board into Prefetch
// Windows: by a pattern or, if that is Contiguous, one by one. The host has four windows, and
// reuses one when its previous elements have arrived.
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

// prepared returns the stores of a host before it reads elements, and their time: that of a list is
// that of a window with as many bytes.
func (m *Model) prepared(pattern dimmnet2.Pattern, n int) ([]stepped.Access, vtime.Time) {
	mode := stepped.Access{At: dimmnet2.RegElement.At(0), Bytes: binary.LittleEndian.AppendUint64(nil, Element)}
	b := argument(pattern, n)
	switch pattern {
	case dimmnet2.Strided:
		return []stepped.Access{mode, {At: dimmnet2.RegStride.At(0), Bytes: b}}, 0 // stored once for all commands
	case dimmnet2.List:
		list := binary.LittleEndian.AppendUint64(nil, dimmnet2.ListInLLCM|dimmnet2.BuffersAt)
		return []stepped.Access{mode, {At: dimmnet2.RegList.At(0), Bytes: list}, {At: dimmnet2.LLCM(0, dimmnet2.BuffersAt), Bytes: b}}, m.written(len(b))
	}
	return nil, 0
}

// accesses are the methods to move elements.
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

// Accesses calls see with the cost of each method to move n elements to or from another board's
// SO-DIMM.
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
