package nictest

import (
	"fmt"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// Post carries out every command at once; answers wait for Poll.
func (e *endpoint) Post(cmd *ir.Command) {
	if uint(cmd.Peer) >= uint(len(e.net.peers)) && cmd.Op != ir.Expose && cmd.Op != ir.Conceal {
		e.refuse(cmd, "no peer %d among %d", cmd.Peer, len(e.net.peers))
		return
	}
	if h := e.net.hooks.Fail; h != nil && cmd.Op >= ir.Expose && cmd.Op != ir.Conceal {
		if err := h(e.self, cmd); err != nil {
			e.fail(cmd, err)
			return
		}
	}
	switch cmd.Op {
	case ir.Packet:
		e.postPacket(cmd)
	case ir.Shared:
		e.postShared(cmd)
	case ir.Open:
		if p, _ := e.way(cmd); p != nil {
			e.opened[cmd.Peer] = cmd.Ring
		}
	case ir.Watch:
		e.watch(cmd)
	case ir.ReadTail:
		e.readTail(cmd)
	case ir.Expose:
		e.expose(cmd)
	case ir.Conceal:
		e.conceal(cmd.Segment)
	case ir.Pull, ir.Push:
		e.move(cmd)
	case ir.Swap:
		e.swap(cmd)
	default:
		panic(fmt.Sprintf("nictest: no operation %d", cmd.Op))
	}
}

// target returns the peer of cmd, or nil and an answer if it is gone.
func (e *endpoint) target(cmd *ir.Command) *endpoint {
	p := e.net.peers[cmd.Peer]
	if !p.closed.Load() {
		return p
	}
	e.fail(cmd, fmt.Errorf("nictest: %w", ir.ErrPeerGone))
	return nil
}

// way returns the peer of cmd and the packet ring there that it names, or nil and an answer if there is none.
func (e *endpoint) way(cmd *ir.Command) (*endpoint, *ring.Ring) {
	p := e.target(cmd)
	if p == nil {
		return nil, nil
	}
	if uint64(cmd.Ring) >= uint64(len(p.rings)) {
		e.refuse(cmd, "no ring %d at peer %d", cmd.Ring, cmd.Peer)
		return nil, nil
	}
	return p, &p.rings[cmd.Ring]
}

func (e *endpoint) postPacket(cmd *ir.Command) {
	if p, r := e.way(cmd); p != nil {
		head := cmd.Header.Words()
		switch {
		case !cmd.InPieces():
			r.Put(cmd.Slot, cmd.Pos, &head, cmd.Data)
		case e.net.caps.Gathers:
			r.Gather(cmd.Slot, cmd.Pos, &head, cmd.Body, int(cmd.Offset), cmd.PayloadBytes())
		default:
			panic("nictest: a packet in pieces")
		}
		e.wakeFor(p.self, cmd.Op)
	}
}

func (e *endpoint) postShared(cmd *ir.Command) {
	p := e.target(cmd)
	if p == nil {
		return
	}
	head := cmd.Header.Words()
	if h := e.net.hooks.Busy; h != nil && h(e.self, cmd) || !p.shared.Append(e.self, &head, cmd.Data) {
		e.busy = append(e.busy, ir.Event{Kind: ir.Busy, Peer: cmd.Peer, Token: cmd.Token})
		return
	}
	e.wakeFor(p.self, cmd.Op)
}

func (e *endpoint) watch(cmd *ir.Command) {
	if uint64(cmd.Ring) >= uint64(len(e.memory)) {
		e.refuse(cmd, "no ring %d", cmd.Ring)
		return
	}
	e.set.Add(int(cmd.Peer), uint32(cmd.Ring), ring.NewReader(e.memory[cmd.Ring], e.net.layout, 0, 0))
}

func (e *endpoint) readTail(cmd *ir.Command) {
	if p, r := e.way(cmd); p != nil {
		slot, pos := r.Consumed()
		e.answer(ir.Event{Kind: ir.Tail, Peer: cmd.Peer, Ring: cmd.Ring, Slot: slot, Pos: pos})
	}
}

func (e *endpoint) expose(cmd *ir.Command) {
	e.answer(ir.Event{Kind: ir.Exposed, Token: cmd.Token, Segment: e.lend(cmd.Data)})
}

// lend makes b a segment.
func (e *endpoint) lend(b []byte) ir.Segment {
	e.named++
	e.mu.Lock()
	e.export[e.named] = b
	e.mu.Unlock()
	return e.named
}

func (e *endpoint) conceal(s ir.Segment) {
	e.mu.Lock()
	delete(e.export, s)
	e.mu.Unlock()
}

func (e *endpoint) move(cmd *ir.Command) {
	p := e.target(cmd)
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	mem, ok := p.export[cmd.Segment]
	size := uint64(len(mem))
	switch n := uint64(len(cmd.Data)); {
	case !ok:
		e.refuse(cmd, "no segment %d at peer %d", cmd.Segment, cmd.Peer)
	case cmd.Move != nil:
		e.moveBlocks(cmd, mem)
	case cmd.Offset > size || n > size-cmd.Offset:
		e.refuse(cmd, "%d bytes at %d exceed a segment of %d", n, cmd.Offset, size)
	case cmd.Op == ir.Pull:
		copy(cmd.Data, mem[cmd.Offset:])
		e.answer(ir.Event{Kind: ir.Pulled, Token: cmd.Token})
	default:
		copy(mem[cmd.Offset:], cmd.Data)
		e.answer(ir.Event{Kind: ir.Pushed, Token: cmd.Token})
	}
}

// moveBlocks is move for blocks, from or to the memory of a segment.
func (e *endpoint) moveBlocks(cmd *ir.Command, mem []byte) {
	if e.net.caps.Blocks == 0 || !cmd.Move.FitsHere(len(cmd.Data)) || !cmd.Move.FitsThere(len(mem)) {
		e.refuse(cmd, "%+v exceeds a segment of %d, or %d bytes here", *cmd.Move, len(mem), len(cmd.Data))
		return
	}
	cmd.Move.Copy(cmd.Data, 0, mem, cmd.Op == ir.Push)
	kind := ir.Pulled
	if cmd.Op == ir.Push {
		kind = ir.Pushed
	}
	e.answer(ir.Event{Kind: kind, Token: cmd.Token})
}

func (e *endpoint) swap(cmd *ir.Command) {
	p := e.target(cmd)
	if p == nil {
		return
	}
	if cmd.Offset >= uint64(len(p.words)) {
		e.refuse(cmd, "no word %d at peer %d", cmd.Offset, cmd.Peer)
		return
	}
	w := &p.words[cmd.Offset]
	old := cmd.Old
	for !w.CompareAndSwap(cmd.Old, cmd.New) {
		if old = w.Load(); old != cmd.Old {
			break
		}
	}
	e.answer(ir.Event{Kind: ir.Swapped, Token: cmd.Token, Old: old})
}
