package martini

import "rhinet/nicemu/dma"

// Transmit is Push to a node whose Switch Interface discards all packets: the request passes
// Window, PGIDTBL and PATLB, its payload is read packet by packet, and contflag rises. Nothing is
// looked up or written at the node, and no completion flag is set. It serves to measure the sending
// side alone (martini, section 13, E4).
//
// Our choice: the packets are assembled in the place of this Window's BOTF images.
func (w *Window) Transmit(r Request, b []byte) error {
	f := Refusal{Op: opPush, Node: r.Node, Segment: r.Segment, Offset: r.Offset, Bytes: len(b), local: true}
	switch {
	case uint(r.Flag) > CompletionFlags || len(b) >= 1<<40:
		f.Reason = WrongLength
	case uint(r.Node) >= uint(w.nic.f.Ranks()):
		f.Reason = NoNode
	}
	if f.Reason != 0 {
		return w.nic.refuse(f)
	}
	w.compose(CommandPush, r, b)
	w.page[DWKick] = 1
	f.Reason = w.admit(CommandPush, r.Flag)
	if f.Reason == 0 && len(b) > 0 {
		local, ok := w.nic.local(w.key(), w.page[DWLocal], uint64(len(b)))
		if !ok {
			f.Reason = NotPinned
		}
		for packet := w.payload(); len(local) > 0; {
			n := min(len(local), len(packet))
			dma.Read(packet[:n], local[:n])
			local = local[n:]
		}
	}
	w.cont()
	if f.Reason != 0 {
		return w.nic.refuse(f)
	}
	return nil
}
