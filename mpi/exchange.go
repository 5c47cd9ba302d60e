package mpi

import (
	"context"
	"errors"
	"math/bits"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// An exchanger is a collTransport with a flag board: every rank raises its flag
// with a few bytes, and waits until the flags of all carry the number of this
// exchange.
//
// The two flags of a rank are used in turn. That is enough: a rank that raises
// flag s+2 has finished exchange s+1, so it has seen flag s+1 of everybody,
// and who raised that has finished reading the flags s. Before a rank leaves
// the communicator, and may raise its flags of this board for another, it
// knows by messages that all have read the last ones: see collState.part.
type exchanger struct {
	*collTransport
	board   ir.Board
	index   int
	order   []int  // the other ranks, as they are looked at
	peers   []int  // the same as numbers in the transport
	seq     uint64 // of the last exchange; its low half is what the lines carry
	out     []byte
	n       int    // bytes of one contribution
	missing uint64 // those of order whose flag is not here
	in      []byte
	raise   func()      // made once, like raised, so that waiting does not allocate
	raised  func() bool // reports whether everybody's flag is here
	peek    func() bool // looks once; a closed transport does not call it
	peeked  bool
	odd     bool // somebody is in another call: rank strange, with the sign theirs
	strange int
	theirs  callSign

	// short takes the contributions of all ranks to a short reduction. Words,
	// so that it is aligned for any element.
	short [maxBoardRanks * ir.FlagBytes / 8]uint64
}

var _ collectives.Exchange = (*exchanger)(nil)

func newExchanger(t *collTransport, board ir.Board, slot boardSlot, seq uint64) *exchanger {
	x := &exchanger{collTransport: t, board: board, index: int(slot), seq: seq}
	x.order = lookOrder(t.c)
	for _, rank := range x.order {
		x.peers = append(x.peers, t.c.global(rank))
	}
	x.raise, x.raised = x.put, x.look
	x.peek = func() bool { x.look(); x.peeked = true; return true }
	return x
}

// lookOrder lists the other ranks of c from the next one on, so that not all
// wake rank 0 first. Where ranks share processors, those that began on this one
// come first: while one of them is missing it needs the processor, and nobody
// should touch the lines that ranks elsewhere are about to write.
func lookOrder(c *core) []int {
	var here, elsewhere []int
	for i := 1; i < c.size; i++ {
		rank := (c.rank + i) % c.size
		if n := c.w.Processors; n > 0 && n < c.w.Size && (c.global(rank)-c.global(c.rank))%n == 0 {
			here = append(here, rank)
		} else {
			elsewhere = append(elsewhere, rank)
		}
	}
	return append(here, elsewhere...)
}

// ExchangeBytes is the payload of one line.
func (x *exchanger) ExchangeBytes() int { return ir.FlagBytes }

// Exchange gives in to all ranks and fills out with everybody's, in rank order.
func (x *exchanger) Exchange(in, out []byte) error {
	if x.ctx != nil {
		return x.exchangeLimited(in, out)
	}
	if x.lost != nil {
		return x.lost // in the name of this call nothing more is shown
	}
	x.begin(in, out)
	x.c.t.AwaitCollective(x.call, &x.note, x.raise, x.raised)
	return x.finish()
}

// begin readies the exchange for its flags.
func (x *exchanger) begin(in, out []byte) {
	x.seq++
	if uint32(x.seq) == 0 {
		x.seq += 2 // 0 means nothing, and the lines go on in turn
	}
	x.in, x.out, x.n = in, out, len(in)
	copy(x.part(x.c.rank), in)
	x.missing = 1<<len(x.order) - 1
}

// finish is the end of an exchange for which nobody waits any longer.
func (x *exchanger) finish() error {
	x.in, x.out = nil, nil
	switch {
	case x.missing == 0:
		return nil
	case x.odd:
		return x.disagree(x.strange, callSign(x.note.Sign), x.theirs, true)
	}
	if x.lost = failure(x.c.t); x.lost == nil {
		x.lost = errClosed
	}
	return x.lost
}

// exchangeLimited is Exchange within the limits of the context.
func (x *exchanger) exchangeLimited(in, out []byte) error {
	err := x.ExchangeStart(in, out)
	if err == nil {
		// ExchangeTest ends with the context by itself.
		poll(context.Background(), func() (done bool) {
			done, err = x.ExchangeTest()
			return done
		})
	}
	return err
}

// ExchangeStart raises this rank's flags and does not wait.
func (x *exchanger) ExchangeStart(in, out []byte) error {
	if x.ctx != nil {
		if err := x.ended(); err != nil {
			return err
		}
	}
	x.begin(in, out)
	x.c.t.AwaitCollective(x.call, &x.note, x.raise, x.peek)
	return nil
}

// ExchangeTest looks for the flags of the others.
func (x *exchanger) ExchangeTest() (bool, error) {
	x.c.t.Probe(x.c.id.pointToPoint(), 0, 0, false) // makes progress
	x.peeked = false
	x.c.t.AwaitCollective(x.call, &x.note, nil, x.peek)
	if x.missing != 0 && x.peeked && !x.odd {
		err := failure(x.c.t)
		if x.ctx == nil {
			return err != nil, err
		}
		if err == nil {
			err = x.ended()
		}
		if err != nil {
			x.in, x.out = nil, nil
		}
		return err != nil, err
	}
	return true, x.finish()
}

// allreduce is Allreduce of at most ir.FlagBytes bytes: everybody combines
// everybody's contribution, in the same order. in and out may be one.
func (x *exchanger) allreduce(in, out []byte, r *reducer) error {
	n, size := len(in), x.c.size
	all := view(x.short[:])[:n*size]
	if err := x.Exchange(in, all); err != nil {
		return err
	}
	result := all[(size-1)*n:]
	for i := size - 2; i >= 0; i-- {
		r.fold(all[i*n:(i+1)*n], result)
	}
	copy(out, result)
	return nil
}

// errClosed is what a wait finds that the transport ended.
var errClosed = errors.New("the transport was closed while waiting")

// failure returns why t has lost ranks, or nil; see [port.Port.Failure].
func failure(t Transport) error {
	if f, ok := t.(interface{ Failure() error }); ok {
		return f.Failure()
	}
	return nil
}

// put raises this rank's flag at all others.
func (x *exchanger) put() {
	x.board.Raise(x.peers, x.index, uint32(x.seq), x.note.Sign, x.in)
	if !x.c.w.Collectives.Oversubscribed {
		x.board.Claim(x.index, uint32(x.seq+1))
	}
}

// look takes flags that have been raised since the last look, up to the first
// that has not: one that is missing is reason enough to go on waiting. It
// reports whether there is nothing to wait for: all have been raised, or one for
// another call.
func (x *exchanger) look() bool {
	for x.missing != 0 {
		i := bits.TrailingZeros64(x.missing)
		mark, raised := x.board.Raised(x.peers[i], x.index, uint32(x.seq), x.part(x.order[i]))
		if !raised {
			return false
		}
		if mark != x.note.Sign {
			x.odd, x.strange, x.theirs = true, x.order[i], callSign(mark)
			return true
		}
		x.missing &= x.missing - 1
	}
	return true
}

// part is the place of rank i's contribution.
func (x *exchanger) part(i int) []byte {
	if x.n == 0 {
		return nil
	}
	return x.out[i*x.n : (i+1)*x.n]
}
