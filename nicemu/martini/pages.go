package martini

import (
	"runtime"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// The page table on the NIC holds only pinned pages (martini, section 8.2). Our choice: an entry
// describes an extent of consecutive pages rather than one page, so that registering a large buffer
// costs as much as a small one. The check is still that each accessed page is pinned.

// A Pin names pinned memory: an extent and its generation.
type Pin uint64

// A pin is the owner's side of an extent.
type pin struct {
	buf    []byte
	pinner runtime.Pinner
	used   bool
	pinned bool // by pinner; otherwise the caller keeps buf alive and in place
	refs   int  // how many times it is pinned
	gen    uint32
}

// A pinTable is the owner's side of the page table.
type pinTable []pin

// newPinTable returns an empty table. If the table is garbage-collected together with its NIC, a
// finalizer unpins the memory: the runtime ends a program that loses a pin.
func newPinTable() *pinTable {
	t := make(pinTable, Extents)
	runtime.SetFinalizer(&t, (*pinTable).unpin)
	return &t
}

func (t *pinTable) unpin() {
	for i := range *t {
		(*t)[i].pinner.Unpin()
	}
}

func makePin(i int, gen uint32) Pin      { return Pin(uint64(gen)<<32 | uint64(i)) }
func (p Pin) split() (i int, gen uint32) { return int(uint32(p)), uint32(p >> 32) }

// Pin fixes b in memory and enters its pages into the page table, as one operation (martini,
// section 8.3). Memory that is already pinned is counted.
func (n *NIC) Pin(b []byte) (Pin, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.pin(b, true)
}

// Hold is Pin for memory that the caller keeps alive and in place until Unpin, such as an argument
// during a call: it is cheaper.
func (n *NIC) Hold(b []byte) (Pin, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.pin(b, false)
}

func (n *NIC) pin(b []byte, fix bool) (Pin, error) {
	if n.closed.Load() {
		return 0, n.refuse(Refusal{Op: opPin, Node: n.rank, Bytes: len(b), Reason: InvalidWindow})
	}
	if p, ok := n.again(b, fix); ok {
		return p, nil
	}
	return n.enter(b, fix)
}

// enter is pin with a new extent, which no other pin shares.
func (n *NIC) enter(b []byte, fix bool) (Pin, error) {
	if len(n.empty) == 0 {
		return 0, n.refuse(Refusal{Op: opPin, Node: n.rank, Bytes: len(b), Reason: TableFull})
	}
	i := int(n.empty[len(n.empty)-1])
	n.empty = n.empty[:len(n.empty)-1]
	p := &(*n.pins)[i]
	p.buf, p.used = b, true
	if p.pinned = fix && len(b) > 0; p.pinned {
		p.pinner.Pin(&b[0])
	}
	if !n.f.Alone() {
		n.f.Lend(n.rank, i, b)
	}
	x := n.own.extent(i)
	at := fabric.Address(b)
	first, count := span(at, uint64(len(b)))
	phys := physProcess | first
	if off, ok := n.f.Offset(b); ok {
		phys = off / fabric.PageBytes
	}
	x.write(n.key, first, count, phys)
	if i >= n.high {
		n.high = i + 1
		atomic.StoreUint64(&n.own.tables[regHigh], uint64(n.high))
	}
	n.live++
	n.last, n.used = i, i
	p.refs, p.gen = 1, x.validate()
	return makePin(i, p.gen), nil
}

// again adds one use to the extent that was entered last, if b is in its memory.
func (n *NIC) again(b []byte, fix bool) (Pin, bool) {
	p, x := &(*n.pins)[n.last], n.own.extent(n.last)
	state := x.load(entState)
	if n.last == ioExtent || state&entValid == 0 || fix && !p.pinned || !within(p.buf, fabric.Address(b), uint64(len(b))) {
		return 0, false
	}
	p.refs++
	n.used = n.last
	return makePin(n.last, p.gen), true
}

// span returns the pages that n bytes at address at occupy.
func span(at, n uint64) (first, count uint64) {
	first = at / fabric.PageBytes
	if n == 0 {
		return first, 0
	}
	return first, (at+n-1)/fabric.PageBytes - first + 1
}

// within reports whether n bytes at address at lie in buf.
func within(buf []byte, at, n uint64) bool {
	from, size := fabric.Address(buf), uint64(len(buf))
	return at >= from && at-from <= size && n <= size-(at-from)
}

// Unpin undoes Pin or Hold. Once it has returned, no NIC accesses the memory: the entry is
// invalidated before the memory is released, and transfers in progress have ended.
func (n *NIC) Unpin(p Pin) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.unpin(p)
}

func (n *NIC) unpin(p Pin) error {
	i, gen := p.split()
	if i < ownExtents || i >= Extents {
		return n.refuse(Refusal{Op: opPin, Node: n.rank, Reason: Misuse})
	}
	x := n.own.extent(i)
	if own := &(*n.pins)[i]; own.refs > 1 && own.gen == gen && x.load(entState) == uint64(gen)<<entGenShift|entValid {
		own.refs--
		return nil
	}
	if !x.invalidate(gen) {
		return n.refuse(Refusal{Op: opPin, Node: n.rank, Reason: Misuse})
	}
	n.tell(i, 0)
	if !n.drain(i) {
		return n.refuse(Refusal{Op: opPin, Node: n.rank, Bytes: len((*n.pins)[i].buf), Reason: InUse})
	}
	n.release(i)
	n.empty = append(n.empty, int32(i))
	return nil
}

// release releases the memory of an extent that is already invalid.
func (n *NIC) release(i int) {
	p := &(*n.pins)[i]
	if !n.f.Alone() {
		n.f.Lend(n.rank, i, nil)
	}
	if p.pinned {
		p.pinner.Unpin()
	}
	p.buf, p.used, p.pinned = nil, false, false
	n.live--
}

// local returns the n bytes of this process at address at if the owner of key has pinned them: it
// is PATLB's look-up for the issuer's side (martini, section 5.4). Our choice: memory of this
// process is bounded by the byte, not by the page, since it consists of Go slices. Memory other
// than that used last is a miss; if a stepped machine is attached, the machine handles it.
func (n *NIC) local(key, at, size uint64) ([]byte, bool) {
	if key&winOwner != n.key {
		return nil, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if b, ok := n.view(n.used, at, size); ok {
		return b, true
	}
	for i := range n.high {
		if b, ok := n.view(i, at, size); ok {
			n.used = i
			return b, n.stepper == nil
		}
	}
	return nil, false
}

// lent returns the memory of extent i of a rank if this process has it, or nil. Its own memory it
// need not borrow.
func (n *NIC) lent(rank, i int) []byte {
	switch {
	case !n.f.Alone():
		return n.f.Borrow(rank, i)
	case rank == n.rank:
		n.mu.Lock()
		defer n.mu.Unlock()
		return (*n.pins)[i].buf
	}
	return nil
}

func (n *NIC) view(i int, at, size uint64) ([]byte, bool) {
	buf := (*n.pins)[i].buf
	if buf == nil || n.own.extent(i).load(entState)&entValid == 0 || !within(buf, at, size) {
		return nil, false
	}
	from := at - fabric.Address(buf)
	return buf[from : from+size : from+size], true
}
