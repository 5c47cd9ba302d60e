package mpi

import (
	"context"
	"encoding/binary"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A switcher makes exchanges by the switches of the network: who gives something multicasts it into an
// area that each rank has for this communicator, and all meet. Its ranks become a set of the network in
// the first exchange, if the network has room for one more; else exchanges are made of messages, of all ranks
// alike.
//
//	area  |   half 0   |   half 1   |     exchange n uses half n % 2
//	half  | slot of rank 0 | of rank 1 | ...     of FromRoot one slot
//	slot  | sign, number | data |
//
// Whoever writes for exchange n has met the others in n-1, so that all have ended n-2, whose half it is.
type switcher struct {
	*collTransport
	sw     ir.Switch
	peers  []int              // all ranks, as numbers in the transport
	plain  *collectives.Group // by messages
	state  setState
	number int
	area   []byte
	met    uint64 // exchanges that have ended, with the one under way

	// The exchange in progress.
	flow   collectives.Flow
	root   int
	give   []byte // sign, number and data
	take   []byte
	failed error

	begin func()      // made once, so that waiting does not allocate
	came  func() bool // reports whether all have come
	wake  func() bool // reports whether there is nothing to wait for
	peek  func() bool // looks once; a closed transport does not call it

	peeked, over bool // peek has looked, and has found that

	given []byte // buffer of give
}

// A setState says whether the ranks are a set of the network.
type setState uint8

const (
	setUnasked setState = iota
	setJoined
	setNone
)

// slotHead is sign and number of an exchange, before its data.
const slotHead = 8

var _ collectives.Exchange = (*switcher)(nil)

// Switch returns the exchanges of the network's switches, nil if it makes none for so many ranks.
func (t *collTransport) Switch() collectives.Exchange {
	if t.set == nil {
		sw := t.c.t.Switch()
		if sw == nil || t.c.size < 2 || t.c.size > maxBoardRanks {
			return nil
		}
		t.set = newSwitcher(t, sw)
	}
	return t.set
}

func newSwitcher(t *collTransport, sw ir.Switch) *switcher {
	x := &switcher{collTransport: t, sw: sw}
	for rank := range t.c.size {
		x.peers = append(x.peers, t.c.global(rank))
	}
	x.begin = x.send
	x.came = func() bool { return x.failed != nil || x.sw.Met(x.number) >= x.met }
	if x.wake = x.came; t.c.coll.history != nil {
		x.wake = func() bool { return x.came() || x.told() }
	}
	x.peek = func() bool { x.over, x.peeked = x.came(), true; return true }
	return x
}

// ExchangeBytes is what a slot has for data.
func (x *switcher) ExchangeBytes() int {
	return (x.sw.SetBytes()/2/x.c.size - slotHead) &^ (slotHead - 1)
}

// Exchange makes one exchange.
func (x *switcher) Exchange(f collectives.Flow, root int, in, out []byte) error {
	if x.ctx != nil {
		err := x.ExchangeStart(f, root, in, out)
		if err == nil && x.state == setJoined {
			poll(context.Background(), func() (done bool) { // ExchangeTest ends with the context by itself
				done, err = x.ExchangeTest()
				return done
			})
		}
		return err
	}
	if x.lost != nil {
		return x.lost // in the name of this call nothing more is sent
	}
	if done, err := x.prepare(f, root, in, out); done || err != nil {
		return err
	}
	x.c.t.AwaitCollective(x.call, &x.note, x.begin, x.wake)
	return x.finish(x.came())
}

// prepare readies an exchange, or makes it by messages and reports so.
func (x *switcher) prepare(f collectives.Flow, root int, in, out []byte) (done bool, err error) {
	if x.state == setUnasked {
		if err := x.join(); err != nil {
			return false, err
		}
	}
	if x.state == setNone {
		return true, x.byMessages(f, root, in, out)
	}
	x.flow, x.root, x.take, x.give, x.failed = f, root, out, nil, nil
	x.met++
	if len(in) > 0 && (f == collectives.AllToAll || x.c.rank == root) {
		x.given = binary.NativeEndian.AppendUint64(x.given[:0], x.head())
		x.given = append(x.given, in...)
		x.give = x.given
	}
	return false, nil
}

// head is what comes before the data of an exchange: what the call is, and its number.
func (x *switcher) head() uint64 { return uint64(x.note.Sign)<<32 | x.met&(1<<32-1) }

// slot is where the data of a rank lies in the area, with its head.
func (x *switcher) slot(rank, n int) int {
	at := int(x.met%2) * (x.sw.SetBytes() / 2)
	if x.flow == collectives.FromRoot {
		return at
	}
	return at + rank*(slotHead+(n+slotHead-1)&^(slotHead-1))
}

// send multicasts what this rank gives, and says that it has come.
func (x *switcher) send() {
	if x.give != nil {
		x.failed = x.sw.Multicast(x.number, x.slot(x.c.rank, len(x.give)-slotHead), x.give)
	}
	if x.failed == nil {
		x.failed = x.sw.Meet(x.number)
	}
	if to := x.c.w.Observe; to != nil {
		to.Add(x.call, max(0, len(x.give)-slotHead))
	}
}

// finish is the end of an exchange for which nobody waits any longer.
func (x *switcher) finish(met bool) error {
	take := x.take
	x.take, x.give = nil, nil
	if !met || x.failed != nil {
		if x.lost = x.failed; x.lost == nil {
			x.lost = failure(x.c.t)
		}
		if x.lost == nil {
			x.lost = errClosed
		}
		return x.lost
	}
	switch {
	case len(take) == 0:
		return nil
	case x.flow == collectives.FromRoot:
		return x.collect(x.root, take)
	}
	n := len(take) / x.c.size
	for rank := range x.c.size {
		if err := x.collect(rank, take[rank*n:(rank+1)*n]); err != nil {
			return err
		}
	}
	return nil
}

// collect takes what a rank has given.
func (x *switcher) collect(rank int, to []byte) error {
	b := x.area[x.slot(rank, len(to)):]
	if head := binary.NativeEndian.Uint64(b); head != x.head() {
		return x.disagree(rank, callSign(x.note.Sign), callSign(head>>32), true)
	}
	copy(to, b[slotHead:])
	return nil
}

// ExchangeStart is the part of Exchange that does not wait.
func (x *switcher) ExchangeStart(f collectives.Flow, root int, in, out []byte) error {
	if x.ctx != nil {
		if err := x.ended(); err != nil {
			return err
		}
	}
	if x.lost != nil {
		return x.lost
	}
	done, err := x.prepare(f, root, in, out)
	if !done && err == nil {
		x.c.t.Perform(x.begin)
	}
	return err
}

// ExchangeTest looks whether all have come.
func (x *switcher) ExchangeTest() (bool, error) {
	if x.state != setJoined {
		return true, nil // it was made of messages
	}
	x.c.t.Probe(x.c.id.pointToPoint(), 0, 0, false) // makes progress
	x.over, x.peeked = false, false
	x.c.t.AwaitCollective(x.call, &x.note, nil, x.peek)
	if x.over {
		return true, x.finish(true)
	}
	err := failure(x.c.t)
	if err == nil && (!x.peeked || x.told()) {
		err = errClosed
	}
	if err == nil && x.ctx != nil {
		err = x.ended()
	}
	return err != nil, err
}

// byMessages is an exchange where the ranks are no set.
func (x *switcher) byMessages(f collectives.Flow, root int, in, out []byte) error {
	switch {
	case f == collectives.AllToAll && len(in) == 0:
		return x.plain.Barrier()
	case f == collectives.AllToAll:
		return x.plain.Allgather(in, out)
	case x.c.rank == root:
		return x.plain.Bcast(in, root)
	}
	return x.plain.Bcast(out, root)
}

// join has the ranks become a set: the first one finds a number, and all must be able to join under it.
// An error is one of messages.
func (x *switcher) join() (err error) {
	if x.plain, err = collectives.New(onlyMessages{x.collTransport}, collectives.Options{}); err != nil {
		return err
	}
	word, mine, all := make([]byte, slotHead), []byte{0}, make([]byte, x.c.size)
	if x.number = -1; x.c.rank == 0 {
		if x.number, err = x.sw.ReserveSet(x.peers); err != nil {
			x.number = -1
		}
	}
	binary.NativeEndian.PutUint64(word, uint64(int64(x.number)))
	if err := x.plain.Bcast(word, 0); err != nil {
		return err
	}
	x.number = int(int64(binary.NativeEndian.Uint64(word)))
	if x.number >= 0 && (x.c.rank == 0 || x.sw.JoinSet(x.number, x.peers) == nil) {
		mine[0] = 1
	}
	if err := x.plain.Allgather(mine, all); err != nil {
		return err
	}
	x.state = setJoined
	for _, joined := range all {
		if joined == 0 {
			x.state = setNone
		}
	}
	if x.state == setJoined {
		x.area = x.sw.SetArea(x.number)
	} else if mine[0] == 1 {
		_ = x.sw.LeaveSet(x.number, x.c.rank == 0) // nobody has sent anything in it
	}
	return nil
}

// joined reports whether the ranks are a set.
func (x *switcher) joined() bool { return x != nil && x.state == setJoined }

// leave ends the set, once all ranks have ended their exchanges; broken says that some may not have.
func (x *switcher) leave(broken bool) {
	if x.joined() {
		x.state = setNone
		_ = x.sw.LeaveSet(x.number, x.c.rank == 0 && !broken) // what cannot be given back stays taken
	}
}

// An onlyMessages hides what else a transport can do.
type onlyMessages struct{ collectives.Transport }
