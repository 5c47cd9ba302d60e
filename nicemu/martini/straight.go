package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// Move is PUSH of b, or PULL into it, by the next Window. As with Hold, the caller keeps b alive
// and in place until Move returns. Memory that no peer may access needs no entry in the page table.
//
// Our choice: in the common case the request is carried out with one check of each entry that it
// needs. Any other case is detected before a byte has moved, and handled as an ordinary request
// with b held.
func (n *NIC) Move(write bool, r Request, b []byte) error {
	w, command := n.Next(), CommandPull
	if write {
		command = CommandPush
	}
	if done, err := w.straight(command, r, b); done {
		return err
	}
	pin, err := n.Hold(b)
	if err != nil {
		return err
	}
	err = w.request(command, r, b)
	if unpin := n.Unpin(pin); err == nil {
		err = unpin
	}
	return err
}

// straight carries out a request for lent local memory if its segment is in one extent, and reports
// whether it has. The extent is held before segment and extent are checked: so a withdrawal of
// either waits for the request, or is seen here.
func (w *Window) straight(command int, r Request, b []byte) (done bool, err error) {
	n := w.nic
	if key := w.key(); n.stepper != nil || key&winValid == 0 || key&winOwner != n.key || uint(r.Flag) > CompletionFlags ||
		len(b) > holdBytes || r.Segment.SID() >= Segments {
		return false, nil
	}
	t, up := n.node(r.Node)
	if !up {
		return false, nil
	}
	s, guess := t.segment(r.Segment.SID()), &n.guess[r.Segment.SID()]
	// Since the last request, the owner of the entries has written them and read the count, so all
	// these lines are prefetched at once. Most likely the segment is in the same extent as last
	// time.
	i := int(*guess)
	ring.Prefetch((*ring.Line)(t.public[pubHolds+i*entryWords:]))
	ring.Fetch((*ring.Line)(s))
	ring.Fetch((*ring.Line)(t.extent(i)))
	w.compose(command, r, b)
	w.page[DWKick] = 1
	i = int(s.load(entHint) % Extents)
	*guess = uint16(i)
	if !t.hold(i) {
		return false, nil
	}
	done, moved, why, cause := n.across(t, i, r, b, command == CommandPush)
	t.drop(i)
	if !done {
		return false, nil
	}
	contflag := w.cont()
	if why != 0 {
		return true, n.refuse(Refusal{
			Op: opName(command), Node: r.Node, Segment: r.Segment, Offset: r.Offset, Bytes: len(b), Moved: moved, Reason: why, Cause: cause,
		})
	}
	if r.Flag != 0 {
		w.complete(r.Flag, contflag)
	}
	return true, nil
}

// across moves b to or from the memory that r names, if all of that is in extent i, which is held.
// If began is false, nothing has moved. Otherwise why is the reason that ended the transfer, or 0.
func (n *NIC) across(t node, i int, r Request, b []byte, write bool) (began bool, moved int, why Reason, cause error) {
	size, key := uint64(len(b)), makeKey(uint32(n.key), r.Node)
	va, hint, why := t.rva(key, r.Segment, r.Offset, size)
	if why != 0 || hint != i || !t.covers(i, key, va/fabric.PageBytes) {
		return false, 0, 0, nil
	}
	x := t.extent(i)
	if x.untilEnd(va, size) != size || x.load(entPhys)&physProcess != 0 && r.Node != n.rank && !n.Remote() {
		return false, 0, 0, nil
	}
	moved, why, cause = n.dma(x, i, r.Node, va, b, write)
	return why != 0 || moved == len(b), moved, why, cause
}
