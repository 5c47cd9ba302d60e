package tofu

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Tag names registered memory of a node: the number of an entry in its table, with the generation
// of the registration, so that a tag that outlives its registration does not name the next one (our
// choice). Zero names no memory.
type Tag uint64

// Number returns the number of the entry.
func (t Tag) Number() int { return int(uint32(t)) }

// Generation returns the generation of the registration.
func (t Tag) Generation() uint32 { return uint32(t >> 32) }

// String returns number and generation.
func (t Tag) String() string { return fmt.Sprintf("%d.%d", t.Number(), t.Generation()) }

// A node is the memory of one NIC as another NIC sees it.
type node struct{ tables, public []uint64 }

func nodeOf(f *fabric.Fabric, rank int) node {
	return node{f.Words(rank, fabric.Device), f.Words(rank, fabric.Public)}
}

// up reports whether the manager has started the NIC.
func (t node) up() bool { return atomic.LoadUint64(&t.tables[regPower]) == stateOn }

// An entry is one line of the table of tags.
type entry [entryWords]uint64

func (t node) entry(number int) *entry {
	at := regTags + number*entryWords
	return (*entry)(t.tables[at : at+entryWords])
}

// holds returns the number of transfers in progress in the memory under a tag.
func (t node) holds(number int) *uint64 { return &t.public[pubHolds+number*entryWords] }

func (e *entry) load(i int) uint64     { return atomic.LoadUint64(&e[i]) }
func (e *entry) store(i int, v uint64) { atomic.StoreUint64(&e[i], v) }

// state returns the state word of an entry that is registered as t.
func (t Tag) state() uint64 { return uint64(t.Generation())<<entGenShift | entValid }

// A region is the content of an entry in the table of tags.
type region struct {
	key, start, size uint64
	rights           uint64
}

// seal returns a checksum, by which an overwritten entry of r is detected.
func (r *region) seal() uint64 { return fabric.Seal(r.key, r.start, r.size, r.rights) }

// write writes r to the entry, and registers it as t.
func (e *entry) write(r *region, t Tag) {
	e.store(entKey, r.key)
	e.store(entStart, r.start)
	e.store(entSize, r.size)
	e.store(entRights, r.rights)
	e.store(entSeal, r.seal())
	e.store(entState, t.state())
}

// known returns 0 if e is registered as t, or else why not.
func (e *entry) known(t Tag) Reason {
	switch state := e.load(entState); {
	case state == t.state():
		return 0
	case state>>entGenShift == 0:
		return NoTag
	}
	return Stale
}

// find looks t up for a command on size bytes at an offset.
func (n node) find(t Tag, key uint64, need Right, offset, size uint64) (r region, why Reason) {
	if t.Number() >= Tags || t.Generation() == 0 {
		return r, NoTag
	}
	e := n.entry(t.Number())
	if why = e.known(t); why != 0 {
		return r, why
	}
	r = region{e.load(entKey), e.load(entStart), e.load(entSize), e.load(entRights)}
	whole := e.load(entSeal) == r.seal()
	if why = e.known(t); why != 0 {
		return r, why // withdrawn while it was read
	}
	switch {
	case uint32(r.key) != uint32(key):
		return r, WrongJob
	case !whole || r.key != key || r.start+r.size < r.start:
		return r, Overwritten
	case Right(r.rights)&need != need:
		return r, NoRight
	case offset > r.size || size > r.size-offset:
		return r, Beyond
	}
	return r, 0
}

// hold keeps the memory under t from being released, if t is still registered. It counts the
// transfer before it reads the entry; a withdrawal invalidates the entry before it reads the count.
// So one of the two sees the other.
func (n node) hold(t Tag) Reason {
	atomic.AddUint64(n.holds(t.Number()), 1)
	why := n.entry(t.Number()).known(t)
	if why != 0 {
		n.drop(t)
	}
	return why
}

func (n node) drop(t Tag) { atomic.AddUint64(n.holds(t.Number()), ^uint64(0)) }

// makeKey returns the word that identifies the owner of memory.
func makeKey(job uint32, rank int) uint64 { return uint64(job) | uint64(uint16(rank))<<32 }

// A lent is the owner's side of a tag.
type lent struct {
	buf    []byte
	pinner runtime.Pinner
	used   bool
}

// lents is the owner's side of the table. If it is garbage-collected together with its NIC, a
// finalizer unpins the memory: the runtime ends a program that loses a pin.
type lents [Tags]lent

func newLents() *lents {
	all := new(lents)
	runtime.SetFinalizer(all, func(all *lents) {
		for i := range all {
			all[i].pinner.Unpin()
		}
	})
	return all
}

// Register pins b and gives it a tag, by which others may put and get until Withdraw. Only words of
// the job's memory, which processors share, can be swapped: our choice, since there is no
// compare-and-swap on private memory of another process.
func (n *NIC) Register(b []byte, rights Right) (Tag, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	no := func(why Reason) (Tag, error) {
		return 0, n.refuse(Refusal{Command: register, Node: n.rank, Bytes: len(b), Reason: why})
	}
	switch {
	case n.closed.Load():
		return no(Closed)
	case len(n.free) == 0:
		return no(TableFull)
	}
	number := int(n.free[len(n.free)-1])
	n.free = n.free[:len(n.free)-1]
	own := &n.lent[number]
	if own.buf, own.used = b, true; len(b) > 0 {
		own.pinner.Pin(&b[0])
	}
	n.f.Lend(n.rank, number, b)
	r := region{key: n.key, start: fabric.Address(b), size: uint64(len(b)), rights: uint64(rights)}
	if at, ok := n.f.Offset(b); ok {
		r.start, r.rights = at, r.rights|inJob
	}
	if r.rights&inJob == 0 || r.start%wordBytes != 0 {
		r.rights &^= uint64(MaySwap)
	}
	e := n.own.entry(number)
	t := Tag(uint64(max(uint32(e.load(entState)>>entGenShift)+1, 1))<<32 | uint64(number))
	e.write(&r, t)
	return t, nil
}

// Withdraw ends a registration. Once it has returned no NIC accesses the memory: the entry has been
// invalidated, and transfers in progress have ended.
func (n *NIC) Withdraw(t Tag) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	number := t.Number()
	if number < firstTag || number >= Tags || n.own.entry(number).known(t) != 0 {
		return n.refuse(Refusal{Command: withdraw, Node: n.rank, Tag: t, Reason: Misuse})
	}
	if !n.release(number) {
		return n.refuse(Refusal{Command: withdraw, Node: n.rank, Tag: t, Bytes: len(n.lent[number].buf), Reason: InUse})
	}
	n.free = append(n.free, int32(number))
	return nil
}

// release withdraws an entry and releases its memory. If a transfer does not end, it keeps both for
// ever and returns false.
func (n *NIC) release(number int) bool {
	e, own := n.own.entry(number), &n.lent[number]
	e.store(entState, e.load(entState)&^entValid)
	if own.used = false; !n.drains.Done(n.own.holds(number)) {
		return false
	}
	n.f.Lend(n.rank, number, nil)
	own.pinner.Unpin()
	own.buf = nil
	return true
}
