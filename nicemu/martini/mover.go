package martini

import (
	"errors"
	"syscall"

	"rhinet/nicemu/fabric"
)

// move is PUSH or PULL from RVATLB on (martini, sections 5.5, 7.3): it copies
// between b and a segment of another process, or of this one.
func (n *NIC) move(op string, write bool, rank int, key uint64, seg Segment, offset uint64, b []byte) error {
	fail := func(moved int, why Reason, cause error) error {
		return n.refuse(Refusal{
			Op: op, Node: rank, Segment: seg, Offset: offset, Bytes: len(b), Moved: moved, Reason: why, Cause: cause,
		})
	}
	t, ok := n.node(rank)
	if !ok {
		return fail(0, NoNode, nil)
	}
	va, hint, why := t.rva(key, seg, offset, uint64(len(b)))
	if why == 0 {
		why = n.pinned(t, rank, key, va, uint64(len(b)), hint)
	}
	if why != 0 {
		return fail(0, why, nil)
	}
	for done := 0; done < len(b); {
		part := b[done:min(done+holdBytes, len(b))]
		got, why, cause := n.piece(t, rank, key, seg, va+uint64(done), hint, part, write)
		if done += got; why != 0 {
			return fail(done, why, cause)
		}
	}
	return nil
}

// piece moves a first part of b, as much as lies in one extent. It holds the
// extent meanwhile, and looks at the segment (if there is one) only then, so
// that whoever withdraws either waits for this part or is seen here.
func (n *NIC) piece(t node, rank int, key uint64, seg Segment, va uint64, hint int, b []byte, write bool) (int, Reason, error) {
	i := t.patlb(key, va/fabric.PageBytes, hint)
	if i < 0 || !t.extent(i).hold() {
		return 0, NotPinned, nil
	}
	x := t.extent(i)
	defer x.drop()
	if seg != 0 {
		if why := t.segment(seg.SID()).known(seg); why != 0 {
			return 0, why, nil
		}
	}
	if !t.covers(i, key, va/fabric.PageBytes) {
		return 0, NotPinned, nil // another extent by now
	}
	size := x.untilEnd(va, uint64(len(b)))
	if size == 0 {
		return 0, Fault, nil // an entry that no driver wrote
	}
	return n.dma(x, i, rank, va, b[:size], write)
}

// dma copies between b and the memory behind extent i of a node. Memory of the
// region and of this process is simply there; memory of another process is
// reached by cross-memory attach.
func (n *NIC) dma(x *entry, i, rank int, va uint64, b []byte, write bool) (int, Reason, error) {
	mem := n.near(x, i, rank, va, uint64(len(b)))
	if mem != nil {
		b = b[:len(mem)]
		if write {
			dmaWrite(mem, b)
		} else {
			dmaRead(b, mem)
		}
		return len(b), 0, nil
	}
	if !n.f.Shared() {
		return 0, NotPinned, nil // on a pinned page, but not of this buffer
	}
	if !n.attach {
		return 0, NoAccess, nil
	}
	pid := n.f.Process(rank)
	if pid <= 0 {
		return 0, Gone, nil
	}
	var moved int
	var err error
	if write {
		moved, err = fabric.WriteProcess(pid, va, b)
	} else {
		moved, err = fabric.ReadProcess(pid, va, b)
	}
	if err != nil {
		return moved, blame(err), err
	}
	return moved, 0, nil
}

// near returns size bytes at va of extent i of a node if this process has them
// in its own address space.
func (n *NIC) near(x *entry, i, rank int, va, size uint64) []byte {
	if phys := x.load(entPhys); phys&physProcess == 0 {
		return n.f.Memory(phys*fabric.PageBytes+va-x.load(entStart)*fabric.PageBytes, size)
	}
	lent := n.f.Borrow(rank, i)
	if lent == nil || !within(lent, va, size) {
		return nil
	}
	from := va - fabric.Address(lent)
	return lent[from : from+size]
}

// blame turns the kernel's refusal into a reason.
func blame(err error) Reason {
	switch {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EACCES):
		return NoAccess
	case errors.Is(err, syscall.ESRCH):
		return Gone
	}
	return Fault
}
