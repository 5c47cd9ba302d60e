package port

import "rhinet/llc/ir"

// A board is the flag board of the network with the port's lock.
type board struct {
	ir.Board
	port *Port
}

// Raise raises a flag; see [ir.Board]. On a closed port it does nothing.
func (b *board) Raise(peer, index int, seq uint32, data []byte) {
	p := b.port
	p.lock()
	if !p.closed {
		b.Board.Raise(peer, index, seq, data)
	}
	p.gate.leave()
}

// Board returns the flag board of the network, nil if it has none. Raised may
// be called by any goroutine, and in the condition of Await.
func (p *Port) Board() ir.Board { return p.board }
