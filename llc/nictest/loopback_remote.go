package nictest

import "rhinet/llc/ir"

// Lenders gives translators of a loopback network the abilities to expose memory, and to read and write that
// of peers, at once, as NICs of one host have them.
func Lenders(nics []ir.Translator) []ir.Translator {
	for i, t := range nics {
		a := ir.AbilitiesOf(t)
		e, bare := t.(*endpoint)
		if !bare {
			e = t.(*withFlags).endpoint
		}
		l := lender{e}
		a.Lender, a.Remote = l, l
		nics[i] = a.Give(t)
	}
	return nics
}

// A lender is an endpoint that carries out at once what commands ask for.
type lender struct{ e *endpoint }

var (
	_ ir.Lender = lender{}
	_ ir.Remote = lender{}
)

// Lend exposes memory.
func (l lender) Lend(b []byte) (ir.Segment, error) { return l.ExposeMemory(b) }

// ExposeMemory exposes memory.
func (l lender) ExposeMemory(b []byte) (ir.Segment, error) { return l.e.lend(b), nil }

// ConcealMemory withdraws what ExposeMemory has exposed.
func (l lender) ConcealMemory(s ir.Segment) error {
	l.e.conceal(s)
	return nil
}

// ReadMemory copies from memory of a peer.
func (l lender) ReadMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	return l.access(&ir.Command{Op: ir.Pull, Peer: int32(peer), Segment: s, Offset: offset, Data: buf})
}

// WriteMemory copies to memory of a peer.
func (l lender) WriteMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	return l.access(&ir.Command{Op: ir.Push, Peer: int32(peer), Segment: s, Offset: offset, Data: buf})
}

// access carries out a Pull or a Push, and takes its answer.
func (l lender) access(cmd *ir.Command) error {
	e := l.e
	before := len(e.answers)
	e.Post(cmd)
	err := e.answers[before].Err
	e.answers = e.answers[:before]
	return err
}
