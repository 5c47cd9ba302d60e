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
	s := t.segment(r.Segment.SID())
	// Their owner has written the entries since, and looked at the count: all of that is asked for at once, of
	// the extent that was used last, most likely.
	ring.Prefetch((*ring.Line)(t.public[pubHolds+n.guess*entryWords:]))
	ring.Fetch((*ring.Line)(s))
	ring.Fetch((*ring.Line)(t.extent(n.guess)))
	w.compose(command, r, b)
	w.page[DWKick] = 1
	n.guess = int(s.load(entHint) % Extents)
	if !t.hold(n.guess) {
		return false, nil
	}
	f := Refusal{Op: opName(command), Node: r.Node, Segment: r.Segment, Offset: r.Offset, Bytes: len(b)}
	done = n.across(t, n.guess, &f, b, command == CommandPush)
	t.drop(n.guess)
	if !done {
		return false, nil
	}
	at := w.cont()
	if f.Reason != 0 {
		return true, n.refuse(f)
	}
	if r.Flag != 0 {
		w.complete(r.Flag, at)
	}
	return true, nil
}

// across moves b to or from what f names, if all of that lies in extent i, which is held. Else it reports false, and
// nothing has moved. What ends it after that is put down in f.
func (n *NIC) across(t node, i int, f *Refusal, b []byte, write bool) bool {
	size, key := uint64(len(b)), makeKey(uint32(n.key), f.Node)
	va, hint, why := t.rva(key, f.Segment, f.Offset, size)
	if why != 0 || hint != i || !t.covers(i, key, va/fabric.PageBytes) {
		return false
	}
	x := t.extent(i)
	if x.untilEnd(va, size) != size || x.load(entPhys)&physProcess != 0 && f.Node != n.rank && !n.Remote() {
		return false
	}
	f.Moved, f.Reason, f.Cause = n.dma(x, i, f.Node, va, b, write)
	return f.Reason != 0 || f.Moved == len(b)
}
