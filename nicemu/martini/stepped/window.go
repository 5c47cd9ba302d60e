package stepped

import (
	"encoding/binary"
	"errors"
	"fmt"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// windowDepth is the depth of the FIFO from the Windows to the Send Controller (unstated).
const windowDepth = 4

// A request is an entry of the FIFO from the Window controller: the parameters, or the packet image
// of BOTF.
type request struct {
	window int
	serial uint64
	botf   bool
	size   uint64 // of a BOTF image's payload, from the kick
	words  [martini.DWKick]uint64
	image  *packet
}

type kick struct {
	window int
	dw     int
	value  uint64
}

// windowUnit is the Window controller (martini, section 3.1).
type windowUnit struct {
	kicks    fifo[kick]
	requests fifo[request]
	serial   [martini.Windows]uint64 // of the last kicked request
}

// ErrBusy says that a Window was kicked before its last request had been processed. Our choice
// (martini, section 3.1, leaves it open): the kick is refused.
var ErrBusy = errors.New("stepped: the window's contflag is not there yet")

// Kick writes the kick word (martini.DWKick or martini.DWBotf) of a Window whose other words have
// been written, and returns the request's number: contflag's value when the request has been
// processed.
func (m *Machine) Kick(node, window, dw int, value uint64) (uint64, error) {
	if uint(node) >= uint(len(m.nodes)) || uint(window) >= martini.Windows || dw != martini.DWKick && dw != martini.DWBotf {
		return 0, fmt.Errorf("stepped: no kick address: node %d, window %d, double word %d", node, window, dw)
	}
	n := m.nodes[node]
	done := n.nic.Window(window).Contflag()
	if n.pending(window) && done < n.serial[window] {
		return 0, fmt.Errorf("node %d, window %d: %w", node, window, ErrBusy)
	}
	n.serial[window] = done + 1
	n.kicks.put(kick{window, dw, value})
	n.poke(1 << atWindow)
	return done + 1, nil
}

// pending reports whether a request of the Window may be in progress; otherwise the fast path may
// have used the Window since.
func (n *node) pending(window int) bool { return n.busy && n.serial[window] != 0 }

// Push kicks a PUSH of b, which is pinned (martini, section 4.1).
func (m *Machine) Push(node, window int, r martini.Request, b []byte) (uint64, error) {
	return m.Request(node, window, martini.CommandPush, r, fabric.Address(b), uint64(len(b)))
}

// Pull kicks a PULL to b, which is pinned (martini, section 4.2).
func (m *Machine) Pull(node, window int, r martini.Request, b []byte) (uint64, error) {
	return m.Request(node, window, martini.CommandPull, r, fabric.Address(b), uint64(len(b)))
}

// Request kicks any command, with any local address and length.
func (m *Machine) Request(node, window int, command uint8, r martini.Request, local, size uint64) (uint64, error) {
	if err := m.room(node, window); err != nil {
		return 0, err
	}
	parameters(m.nodes[node].nic.Window(window), command, r, local, size)
	return m.Kick(node, window, martini.DWKick, 1)
}

// parameters writes a request to a Window, except the kick.
func parameters(w *martini.Window, command uint8, r martini.Request, local, size uint64) {
	w.Store(martini.DWCommand, uint64(martini.MakeCommand(int(command), r.Flag, size)))
	w.Store(martini.DWTarget, uint64(martini.MakeTarget(r.Node, r.Node)))
	w.Store(martini.DWLocal, local)
	w.Store(martini.DWSegment, uint64(r.Segment))
	w.Store(martini.DWOffset, r.Offset)
}

// Botf writes the image of p to the Window and kicks it (martini, section
// 6.1). A payload beyond the MTU is cut off, and the kick refused later.
func (m *Machine) Botf(node, window int, p *martini.Packet) (uint64, error) {
	if err := m.room(node, window); err != nil {
		return 0, err
	}
	image(m.nodes[node].nic.Window(window), p)
	return m.Kick(node, window, martini.DWBotf, uint64(len(p.Payload)))
}

// image writes a packet image to a Window, except the kick.
func image(w *martini.Window, p *martini.Packet) {
	n := p.Length
	if p.Type != martini.PacketPullRequest {
		n = len(p.Payload)
	}
	w.Store(martini.DWImage+martini.FlitType, martini.TypeFlit(p.Type, p.Flag, uint64(n)))
	w.Store(martini.DWImage+martini.FlitTarget, martini.TargetFlit(martini.MakeKey(p.PGID, p.PID), p.Node))
	w.Store(martini.DWImage+martini.FlitSegment, uint64(p.Segment))
	w.Store(martini.DWImage+martini.FlitOffset, p.Offset)
	w.Store(martini.DWImage+martini.FlitLocal, p.Local)
	var word [8]byte
	for i := 0; i < min(len(p.Payload), MTU); i += 8 {
		clear(word[copy(word[:], p.Payload[i:]):])
		w.Store(martini.DWPayload+i/8, binary.NativeEndian.Uint64(word[:]))
	}
}

// room reports whether a Window may be written.
func (m *Machine) room(node, window int) error {
	if uint(node) >= uint(len(m.nodes)) || uint(window) >= martini.Windows {
		return fmt.Errorf("stepped: no window %d of node %d", window, node)
	}
	n := m.nodes[node]
	if n.pending(window) && n.nic.Window(window).Contflag() < n.serial[window] {
		return fmt.Errorf("node %d, window %d: %w", node, window, ErrBusy)
	}
	return nil
}

// actWindow moves kicked requests to the FIFO.
func (n *node) actWindow() Cond {
	switch n.regs[Window].state {
	case IDLE:
		if n.kicks.len() == 0 || n.requests.len() >= windowDepth {
			return Stay
		}
		return Packet
	case MOVE:
		k := n.kicks.take()
		w := n.nic.Window(k.window)
		r := request{window: k.window, serial: n.serial[k.window], botf: k.dw == martini.DWBotf, size: k.value}
		if r.botf {
			n.takeImage(&r, w)
		} else {
			for i := range r.words {
				r.words[i] = w.Read(i)
			}
		}
		n.requests.put(r)
		return Always
	}
	return Stay
}

// takeImage moves a packet image; an image that is too long is moved without payload.
func (n *node) takeImage(r *request, w *martini.Window) {
	size := 0
	if r.size <= MTU {
		size = int(r.size)
	}
	p := n.m.packet(size)
	for i := range martini.HeaderFlits {
		p.h[i] = w.Read(martini.DWImage + i)
	}
	var word [8]byte
	for i := 0; i < size; i += 8 {
		binary.NativeEndian.PutUint64(word[:], w.Read(martini.DWPayload+i/8))
		copy(p.payload[i:size], word[:])
	}
	p.have = size
	r.image = p
}
