package martini

import (
	"rhinet/internal/strided"
	"rhinet/nicemu/fabric"
)

// MoveBlocks is a Push of blocks, at equal distances or of a list, or without write a Pull of
// blocks. m describes them: they are in b, which is pinned, on this side, and in the segment that r
// names, from its offset on, on the other. Bytes between the blocks are not touched.
//
// Our choice: the specification has no such request, only one for each block. This one is carried
// out like a series of these, by one kick: what IPA, RVATLB and PATLB check of each block is
// checked of the whole range, from the first byte to the last.
func (w *Window) MoveBlocks(write bool, r Request, b []byte, m strided.Move) error {
	f := Refusal{Op: opPull, Node: r.Node, Segment: r.Segment, Bytes: m.Bytes}
	command := CommandPull
	if write {
		f.Op, command = opPush, CommandPush
	}
	lo, hi := -1, -1
	if m.Their.Valid() {
		lo, hi = m.Their.Span(m.There, m.Bytes)
		f.Offset = r.Offset + uint64(max(lo, 0))
	}
	switch {
	case r.Flag != 0 || lo < 0 || f.Offset < r.Offset || !m.FitsHere(len(b)):
		f.Reason, f.local = WrongLength, true
	case uint(r.Node) >= uint(w.nic.f.Ranks()):
		f.Reason = NoNode
	default:
		if f.Reason = w.admit(command, 0); f.Reason != 0 {
			f.local = true
			break
		}
		f.Moved, f.Reason, f.Cause = w.moveBlocks(write, r, b, m, uint64(lo), uint64(hi-lo))
		w.cont()
	}
	if f.Reason != 0 {
		return w.nic.refuse(f)
	}
	return nil
}

// moveBlocks moves the blocks, which lie in size bytes from byte at behind r's offset on.
func (w *Window) moveBlocks(write bool, r Request, b []byte, m strided.Move, at, size uint64) (int, Reason, error) {
	key := w.key()
	if len(b) > 0 {
		if mine, _ := w.nic.local(key, fabric.Address(b), uint64(len(b))); mine == nil {
			return 0, NotPinned, nil
		}
	}
	var to way
	if why := to.find(w.nic, r.Node, makeKey(uint32(key), r.Node), r.Segment, r.Offset+at, size); why != 0 {
		return 0, why, nil
	}
	moved := 0
	for m.Bytes > 0 {
		part := m.Part(holdBytes)
		got, why, cause := w.nic.pieceBlocks(&to, at, b, part, write)
		if moved += got; why != 0 {
			return moved, why, cause
		}
		m.Skip(got)
	}
	return moved, 0, nil
}

// pieceBlocks is piece for blocks that lie in one extent, that of the segment. w leads to byte at
// of their memory.
func (n *NIC) pieceBlocks(w *way, at uint64, b []byte, m strided.Move, write bool) (int, Reason, error) {
	from, end := m.Their.Span(m.There, m.Bytes)
	va, size := w.va+uint64(from)-at, uint64(end-from)
	i := w.t.patlb(w.key, va/fabric.PageBytes, w.hint, true)
	if i < 0 || !w.t.hold(i) {
		return 0, NotPinned, nil
	}
	defer w.t.drop(i)
	if why := w.t.segment(w.seg.SID()).known(w.seg); why != 0 {
		return 0, why, nil
	}
	x := w.t.extent(i)
	if !w.t.covers(i, w.key, va/fabric.PageBytes) || x.untilEnd(va, size) != size {
		return 0, NotPinned, nil // by now another extent, or more than one
	}
	if mem := n.near(x, i, w.rank, va, size); mem != nil {
		m.Copy(b, from, mem, write)
		return m.Bytes, 0, nil
	}
	if !n.f.Shared() {
		return 0, NotPinned, nil // on a pinned page, but outside this buffer
	}
	moved, why, cause := n.engine.ProcessBlocks(w.rank, va-uint64(from), b, m, write)
	return moved, reasons[why], cause
}
