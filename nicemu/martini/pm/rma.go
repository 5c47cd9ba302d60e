package pm

import (
	"fmt"

	"rhinet/nicemu/martini"
)

// RMA is the optional remote memory access of PM (pm-messaging, sections 1.2, 1.4.11). VP does not
// have it: its breakpoint occupies the Replier, which would have to answer PULLs.
type RMA interface {
	// Pin makes b accessible to other nodes, until Unpin.
	Pin(b []byte) (Handle, error)
	Unpin(h Handle) error
	// Write copies the first n bytes of local, pinned here, to remote. Read copies in the other
	// direction.
	Write(node int, remote, local Handle, n int) (Token, error)
	Read(node int, remote, local Handle, n int) (Token, error)
	// Done reports whether an operation has completed at the other side.
	Done(t Token) bool
}

// A Handle names pinned memory of a node.
type Handle struct {
	Segment martini.Segment
	Bytes   int
	buf     []byte // at the node that has pinned it
}

// A Token identifies an operation in progress.
type Token struct {
	window *martini.Window
	want   uint64
}

var _ RMA = (*RHiNET)(nil)

// rmaFlag is the completion flag of RMA, different from those of a throttle.
const rmaFlag = martini.CompletionFlags

// Pin pins b and gives it a segment.
func (p *RHiNET) Pin(b []byte) (Handle, error) {
	s, err := p.nic.Expose(b)
	return Handle{Segment: s, Bytes: len(b), buf: b}, err
}

// Unpin undoes Pin.
func (p *RHiNET) Unpin(h Handle) error { return p.nic.Conceal(h.Segment) }

// Write PUSHes; its token is done when the ack has arrived. Write is not ordered with messages,
// unless the caller waits for that.
func (p *RHiNET) Write(node int, remote, local Handle, n int) (Token, error) {
	return p.transfer((*martini.Window).Push, node, remote, local, n)
}

// Read PULLs.
func (p *RHiNET) Read(node int, remote, local Handle, n int) (Token, error) {
	return p.transfer((*martini.Window).Pull, node, remote, local, n)
}

func (p *RHiNET) transfer(do func(*martini.Window, martini.Request, []byte) error, node int, remote, local Handle, n int) (Token, error) {
	if uint(node) >= uint(len(p.lanes)) || n < 0 || n > len(local.buf) {
		return Token{}, fmt.Errorf("%w: %d bytes with node %d; there are nodes 0 to %d, and %d bytes are pinned here",
			ErrInvalid, n, node, len(p.lanes)-1, len(local.buf))
	}
	w := p.nic.Next()
	err := do(w, martini.Request{Node: node, Segment: remote.Segment, Flag: rmaFlag}, local.buf[:n])
	return Token{w, w.Contflag()}, err
}

// Done reports whether the completion flag has reached the operation.
func (p *RHiNET) Done(t Token) bool { return t.window.Flag(rmaFlag) >= t.want }
