package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// Move is PUSH of b, or PULL into it, by the next Window. The caller lends b until Move returns, as it would lend it
// for as long to Hold: what nobody else may reach needs no entry in the page table.
//
// Our choice: where nothing is unusual the request is carried out with one look at each entry that it needs. Anything
// else goes as any request does, with b held, before a byte has moved.
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

// straight carries out a request whose local side is lent if its segment lies in one extent, and reports whether
// it has. Whoever withdraws segment or extent waits for it, or is seen here: the extent is held before either is looked at.
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
	// Their owner has written the entries since, and looked at the count: all of that is asked for at once. A segment
	// lies in the same extent again, most likely.
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

// across moves b to or from what r names, if all of that lies in extent i, which is held. Else began is false, and
// nothing has moved. why is what ended it then, or 0.
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
