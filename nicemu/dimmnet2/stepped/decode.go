package stepped

import "rhinet/nicemu/dimmnet2"

// most is the maximum length of each command, in bytes.
var most = map[dimmnet2.Op]int{
	dimmnet2.OpWrite: dimmnet2.WindowBytes, dimmnet2.OpRead: dimmnet2.WindowBytes, dimmnet2.OpRemoteRead: dimmnet2.WindowBytes,
	dimmnet2.OpSend: dimmnet2.WindowBytes, dimmnet2.OpIPUSH: dimmnet2.PacketBytes, dimmnet2.OpPush: 1 << 24, dimmnet2.OpPull: 1 << 24,
}

// windows is the number of windows of a process of the kind that a command names.
var windows = map[dimmnet2.Op]int{dimmnet2.OpBOTF: 2, dimmnet2.OpWrite: 2, dimmnet2.OpRead: 4, dimmnet2.OpRemoteRead: 4}

// decode makes the packets of a command, or an errand for another unit.
func (s *sender) decode() (*errand, dimmnet2.Reason) {
	r := s.now
	c, ok := dimmnet2.ParseCommand(r.text)
	switch {
	case c.Op < dimmnet2.OpBOTF || c.Op > dimmnet2.OpIPUSH:
		return nil, dimmnet2.NoCommand
	case !ok:
		return nil, dimmnet2.WrongWidth
	}
	r.c = c
	if own := windows[c.Op]; own > 0 && c.Window/own != r.hw.Process() {
		return nil, dimmnet2.NotYours
	}
	if c.Op == dimmnet2.OpBOTF {
		return nil, s.botf(&c)
	}
	spans, why := s.spans(&c)
	switch {
	case why != 0:
		return nil, why
	case c.Op == dimmnet2.OpRemoteRead:
		s.reads(&c, dimmnet2.InPW, uint32(c.Window%4*dimmnet2.WindowBytes))
		return nil, 0
	case c.Op == dimmnet2.OpPull:
		if (span{uint64(c.Local), c.Length}).in(r.hw) == nil {
			return nil, dimmnet2.OutOfReach
		}
		s.reads(&c, dimmnet2.InDIMM, c.Local)
		return nil, 0
	case !reached(spans, r.hw):
		return nil, dimmnet2.OutOfReach
	case c.Op == dimmnet2.OpWrite || c.Op == dimmnet2.OpRead:
		return s.errand(&c, spans), 0
	}
	s.sends(&c, spans)
	return nil, 0
}

// botf sends the image in a Write Window.
func (s *sender) botf(c *dimmnet2.Command) dimmnet2.Reason {
	if c.Lines > dimmnet2.ImageLines {
		return dimmnet2.WrongLength
	}
	at := c.Window % 2 * dimmnet2.WindowBytes
	image := s.now.hw.Written()[at : at+c.Lines*dimmnet2.LineBytes]
	s.now.packets = []*packet{{of: s.now, image: append(make([]byte, 0, 1), image...)}}
	return 0
}

// spans returns the parts of memory that the pattern of a command selects.
func (s *sender) spans(c *dimmnet2.Command) ([]span, dimmnet2.Reason) {
	hw := s.now.hw
	stride, element, _ := hw.Mode()
	if c.Op != dimmnet2.OpSend && c.Op != dimmnet2.OpIPUSH && c.Length > most[c.Op] {
		return nil, dimmnet2.WrongLength // longer than a window: checked first
	}
	at := c.Local
	if c.Op == dimmnet2.OpRemoteRead || c.Op == dimmnet2.OpPull {
		at = c.Remote
	}
	var addresses []uint32
	if c.Pattern == dimmnet2.List && c.Length%element == 0 {
		var why dimmnet2.Reason
		if addresses, why = list(hw, c.Length/element); why != 0 {
			return nil, why
		}
	}
	spans, ok := spansOf(c.Pattern, at, c.Length, element, stride, addresses)
	if !ok || c.Length > most[c.Op] {
		return nil, dimmnet2.WrongLength
	}
	return spans, 0
}

// parts calls each for every packet that the given number of bytes take.
func parts(length int, each func(from, size int, last bool)) {
	for from := 0; ; from += dimmnet2.PacketBytes {
		size := min(length-from, dimmnet2.PacketBytes)
		each(from, size, from+size == length)
		if from+size == length {
			return
		}
	}
}

// reads makes requests to read the remote memory that a command names.
func (s *sender) reads(c *dimmnet2.Command, memory dimmnet2.Memory, reply uint32) {
	stride, element, _ := s.now.hw.Mode()
	parts(c.Length, func(from, size int, _ bool) {
		p := &packet{of: s.now}
		p.Op, p.Memory, p.Quiet, p.Node, p.Process = dimmnet2.PacketRead, dimmnet2.InDIMM, true, c.Node, c.Process
		p.Request = dimmnet2.Request{Length: size, Pattern: c.Pattern, Element: element, Memory: memory, Reply: reply + uint32(from)}
		switch c.Pattern {
		case dimmnet2.Contiguous:
			p.Address = c.Remote + uint32(from)
		case dimmnet2.Strided:
			p.Address = c.Remote + uint32(from/element)*stride
			p.Data = words(uint64(stride))
		case dimmnet2.List:
			addresses, _ := list(s.now.hw, c.Length/element)
			p.Data = halves(addresses[from/element : (from+size)/element])
		}
		s.now.packets = append(s.now.packets, p)
	})
}

// sends makes the packets with this process's SO-DIMM data that a command names.
func (s *sender) sends(c *dimmnet2.Command, spans []span) {
	parts(c.Length, func(from, size int, last bool) {
		p := &packet{of: s.now, gather: make([]span, 0, 1)}
		p.Op, p.Memory, p.Quiet = dimmnet2.PacketWrite, dimmnet2.InDIMM, c.Flags&dimmnet2.Quiet != 0 || !last
		p.Node, p.Process, p.Address = c.Node, c.Process, c.Remote+uint32(from)
		switch c.Op {
		case dimmnet2.OpSend:
			p.Memory = dimmnet2.InPW
		case dimmnet2.OpIPUSH:
			p.Op, p.Memory = dimmnet2.PacketIPUSH, dimmnet2.InPW
		}
		skip := from // dense bytes before this packet's part of the spans
		for _, one := range spans {
			if n := min(max(one.n-skip, 0), size); n > 0 {
				p.gather = append(p.gather, span{one.at + uint64(skip), n})
				size -= n
			}
			skip = max(skip-one.n, 0)
		}
		s.now.packets = append(s.now.packets, p)
	})
}

// errand returns the work of the Write Unit or the Prefetch Unit for a command of class (1).
func (s *sender) errand(c *dimmnet2.Command, spans []span) *errand {
	e := &errand{unit: &s.board.write, spans: spans, elements: c.Pattern != dimmnet2.Contiguous}
	if c.Op == dimmnet2.OpRead {
		e.unit = &s.board.prefetch
		e.number = c.Window
		e.window = s.now.hw.Windows()[c.Window%4*dimmnet2.WindowBytes:][:c.Length]
		return e
	}
	e.window = s.now.hw.Written()[c.Window%2*dimmnet2.WindowBytes:][:c.Length]
	return e
}
