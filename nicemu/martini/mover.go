package martini

import (
	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// A way leads to the memory of another process, or of this one: it is the result of look-ups in
// RVATLB and PATLB for a request (martini, sections 5.2, 5.5).
type way struct {
	t    node
	rank int
	key  uint64
	seg  Segment // 0: a plain address, which RVATLB does not translate (5.3)
	va   uint64
	hint int
}

// find leads w to size bytes at an offset of a segment of the process of key, and checks that all
// of them are pinned, before any byte moves.
func (w *way) find(n *NIC, rank int, key uint64, seg Segment, offset, size uint64) (why Reason) {
	t, ok := n.node(rank)
	if !ok {
		return NoNode
	}
	w.t, w.rank, w.key, w.seg = t, rank, key, seg
	if w.va, w.hint, why = t.rva(key, seg, offset, size); why != 0 {
		return why
	}
	return n.pinned(t, rank, key, w.va, size, w.hint, n.stepper == nil)
}

// plain leads w to a plain virtual address: ack and pull response do not use RVATLB (martini,
// section 5.3), and PATLB protects.
func (w *way) plain(n *NIC, rank int, key, va, size uint64) Reason {
	t, ok := n.node(rank)
	if !ok {
		return NoNode
	}
	if va+size < va {
		return WrongLength
	}
	*w = way{t, rank, key, 0, va, 0}
	return n.pinned(t, rank, key, va, size, 0, n.stepper == nil)
}

// carry copies between b and the memory that w leads to.
func (n *NIC) carry(w *way, write bool, b []byte) (moved int, why Reason, cause error) {
	for moved < len(b) {
		got, why, cause := n.piece(w, uint64(moved), b[moved:min(moved+holdBytes, len(b))], write)
		if moved += got; why != 0 {
			return moved, why, cause
		}
	}
	return moved, 0, nil
}

// piece moves a first part of b, as much as lies in one extent, from byte at of w on. It holds the
// extent meanwhile, and checks the segment (if there is one) only then: so a withdrawal of either
// waits for this part, or is seen here.
func (n *NIC) piece(w *way, at uint64, b []byte, write bool) (int, Reason, error) {
	va := w.va + at
	i := w.t.patlb(w.key, va/fabric.PageBytes, w.hint, true)
	if i < 0 || !w.t.hold(i) {
		return 0, NotPinned, nil
	}
	defer w.t.drop(i)
	x := w.t.extent(i)
	if w.seg != 0 {
		if why := w.t.segment(w.seg.SID()).known(w.seg); why != 0 {
			return 0, why, nil
		}
	}
	if !w.t.covers(i, w.key, va/fabric.PageBytes) {
		return 0, NotPinned, nil // by now another extent
	}
	size := x.untilEnd(va, uint64(len(b)))
	if size == 0 {
		return 0, Fault, nil // an entry that no driver wrote
	}
	return n.dma(x, i, w.rank, va, b[:size], write)
}

// dma copies between b and the memory behind extent i of a node. Memory of the region and of this
// process is accessed directly; memory of another process is reached by cross-memory attach.
func (n *NIC) dma(x *entry, i, rank int, va uint64, b []byte, write bool) (int, Reason, error) {
	mem := n.near(x, i, rank, va, uint64(len(b)))
	if mem != nil {
		b = b[:len(mem)]
		if write {
			dma.Write(mem, b)
		} else {
			dma.Read(b, mem)
		}
		return len(b), 0, nil
	}
	if !n.f.Shared() {
		return 0, NotPinned, nil // on a pinned page, but outside this buffer
	}
	moved, why, cause := n.engine.Process(rank, va, b, write)
	return moved, reasons[why], cause
}

// reasons translates those of the DMA engine.
var reasons = [...]Reason{dma.NoAccess: NoAccess, dma.Gone: Gone, dma.Fault: Fault}

// near returns size bytes at va of extent i of a node if this process has them in its own address
// space.
func (n *NIC) near(x *entry, i, rank int, va, size uint64) []byte {
	if phys := x.load(entPhys); phys&physProcess == 0 {
		return n.f.Memory(phys*fabric.PageBytes+va-x.load(entStart)*fabric.PageBytes, size)
	}
	return dma.Within(n.lent(rank, i), va, size)
}
