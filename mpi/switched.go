package mpi

import (
	"encoding/binary"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A switcher makes exchanges by the switches of the network: a rank that sends
// multicasts its data into an area that each rank has for this communicator, and all
// meet. In the first exchange the ranks become a set of the network, if the network has
// room for one more; else all ranks make exchanges by messages.
//
//	area  |   half 0   |   half 1   |     exchange n uses half n % 2
//	half  | slot of rank 0 | of rank 1 | ...     of FromRoot one slot
//	slot  | sign, number | data |
//
// A rank that writes for exchange n has met the others in n-1, so all have ended n-2,
// which used this half.
type switcher struct {
	*collTransport
	sw     ir.Switch
	peers  []int              // all ranks, as numbers in the transport
	plain  *collectives.Group // for exchanges by messages
	state  setState
	number int
	area   []byte
	met    uint64 // number of exchanges so far, with the one in progress

	// The exchange in progress.
	flow   collectives.Flow
	root   int
	give   []byte // sign, number and data
	take   []byte
	failed error

	begin func()      // made once, so that waiting does not allocate
	came  func() bool // reports whether all ranks have come
	wake  func() bool // reports whether the wait is over
	peek  func() bool // tests once; a closed transport does not call it

	peeked, over bool // peek has been called; it has found the exchange over

	given []byte // buffer of give
}

// A setState says whether the ranks are a set of the network.
type setState uint8

const (
	setUnasked setState = iota
	setJoined
	setNone
)

// slotHead is the length of sign and number of an exchange, before its data.
const slotHead = 8

var _ collectives.Exchange = (*switcher)(nil)

// Switch returns the exchanges of the network's switches, or nil if there are none for
// so many ranks.
func (t *collTransport) Switch() collectives.Exchange {
	if t.set == nil {
		sw := t.c.t.Switch()
		if sw == nil || t.c.size < 2 || t.c.size > maxFlagArrayRanks {
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

// ExchangeBytes is the room for data in a slot.
func (x *switcher) ExchangeBytes() int {
	return (x.sw.SetBytes()/2/x.c.size - slotHead) &^ (slotHead - 1)
}

// Exchange makes one exchange.
func (x *switcher) Exchange(f collectives.Flow, root int, in, out []byte) error {
	if x.ctx != nil {
		err := x.ExchangeStart(f, root, in, out)
		if err == nil && x.state == setJoined {
			err = x.waitLimited(x.wake, x.ExchangeTest)
		}
		return err
	}
	if x.lost != nil {
		return x.lost // this call sends nothing more
	}
	if done, err := x.prepare(f, root, in, out); done || err != nil {
		return err
	}
	x.c.t.AwaitCollective(x.call, &x.note, x.begin, x.wake)
	return x.finish(x.came())
}

// prepare readies an exchange, or makes it by messages and then returns true.
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

// head returns the words before the data of an exchange: its sign and its number.
func (x *switcher) head() uint64 { return uint64(x.note.Sign)<<32 | x.met&(1<<32-1) }

// slot returns the offset of the data of a rank in the area, with its head.
func (x *switcher) slot(rank, n int) int {
	at := int(x.met%2) * (x.sw.SetBytes() / 2)
	if x.flow == collectives.FromRoot {
		return at
	}
	return at + rank*(slotHead+(n+slotHead-1)&^(slotHead-1))
}

// send multicasts what this rank sends, and tells that it has come.
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

// finish ends an exchange for which no goroutine waits any more.
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

// collect copies what a rank has sent.
func (x *switcher) collect(rank int, to []byte) error {
	b := x.area[x.slot(rank, len(to)):]
	if head := binary.NativeEndian.Uint64(b); head != x.head() {
		return x.disagree(rank, callSign(x.note.Sign), callSign(head>>32), true)
	}
	copy(to, b[slotHead:])
	return nil
}

// ExchangeStart is Exchange without waiting.
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

// ExchangeTest reports whether all ranks have come.
func (x *switcher) ExchangeTest() (bool, error) {
	if x.state != setJoined {
		return true, nil // it was made by messages
	}
	x.c.t.Probe(x.c.id.pointToPoint(), 0, 0) // makes progress
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

// byMessages makes an exchange where the ranks are no set.
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

// join makes the ranks a set: the first one reserves a number, and all must be able to
// join under it. Only messages can cause an error.
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
		_ = x.sw.LeaveSet(x.number, x.c.rank == 0) // no rank has sent anything in it
	}
	return nil
}

// joined reports whether the ranks are a set.
func (x *switcher) joined() bool { return x != nil && x.state == setJoined }

// leave ends the set after all ranks have ended their exchanges; broken says that some
// may not have.
func (x *switcher) leave(broken bool) {
	if x.joined() {
		x.state = setNone
		_ = x.sw.LeaveSet(x.number, x.c.rank == 0 && !broken) // a set that cannot be released stays in use
	}
}

// An onlyMessages hides the other abilities of a transport.
type onlyMessages struct{ collectives.Transport }
