package cenju4

import (
	"runtime"
	"slices"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A mapping is the owner's side of memory that it has mapped.
type mapping struct {
	buf         []byte
	pinner      runtime.Pinner
	used        bool
	first, size uint64 // pages
}

// mappings is the owner's side of the page table. If it is garbage-collected together with its NIC,
// a finalizer unpins the memory: the runtime ends a program that loses a pin.
type mappings [maxMappings]mapping

func newMappings() *mappings {
	all := new(mappings)
	runtime.SetFinalizer(all, func(all *mappings) {
		for i := range all {
			all[i].pinner.Unpin()
		}
	})
	return all
}

// A pagePool holds the free logical pages, in runs that do not touch.
type pagePool struct{ runs []pageRun }

type pageRun struct{ first, size uint64 }

// take takes n consecutive pages.
func (p *pagePool) take(n uint64) (first uint64, ok bool) {
	for i := range p.runs {
		r := &p.runs[i]
		if r.size < n {
			continue
		}
		first = r.first
		if r.first, r.size = r.first+n, r.size-n; r.size == 0 {
			p.runs = slices.Delete(p.runs, i, i+1)
		}
		return first, true
	}
	return 0, false
}

// give returns pages to the pool.
func (p *pagePool) give(first, n uint64) {
	i := 0
	for i < len(p.runs) && p.runs[i].first < first {
		i++
	}
	p.runs = slices.Insert(p.runs, i, pageRun{first, n})
	p.join(i)
	if i > 0 {
		p.join(i - 1)
	}
}

// join merges a run with the next one if they touch.
func (p *pagePool) join(i int) {
	if i+1 < len(p.runs) && p.runs[i].first+p.runs[i].size == p.runs[i+1].first {
		p.runs[i].size += p.runs[i+1].size
		p.runs = slices.Delete(p.runs, i+1, i+2)
	}
}

// Map is the system call that pins b and maps it: others can access it at the address until Unmap.
// Our choice: b begins a logical page at any place in memory, and no byte outside b is mapped.
// Words can be updated only in memory of the job, which processors share: there is no atomic
// operation on private memory of another process.
func (n *NIC) Map(b []byte, r Right) (Address, error) { return n.MapPages(b, nil, r) }

// MapPages is Map for the pages of b in another order: logical page i is page order[i]. If order is
// not nil, b must be whole pages.
func (n *NIC) MapPages(b []byte, order []int, r Right) (Address, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	no := func(why Reason) (Address, error) {
		return 0, n.refuse(Refusal{Node: n.rank, Bytes: len(b), Reason: why})
	}
	pages := uint64(max(1, (len(b)+PageBytes-1)/PageBytes))
	for _, page := range order {
		if uint64(len(order)) != pages || len(b)%PageBytes != 0 || uint64(page) >= pages {
			return no(WrongLength)
		}
	}
	switch {
	case n.closed.Load():
		return no(Closed)
	case len(n.free) == 0:
		return no(TableFull)
	}
	first, ok := n.pages.take(pages)
	if !ok {
		return no(TableFull)
	}
	number := n.free[len(n.free)-1]
	n.free = n.free[:len(n.free)-1]
	own := &n.maps[number]
	own.buf, own.used, own.first, own.size = b, true, first, pages
	if len(b) > 0 {
		own.pinner.Pin(&b[0])
	}
	n.f.Lend(n.rank, number, b)
	if n.generation = (n.generation + 1) & pteGenMask; n.generation == 0 {
		n.generation = 1
	}
	n.enter(own, number, order, r)
	return MakeAddress(Mapped, first*PageBytes) | Address(n.generation)<<genShift, nil
}

// enter writes the page-table entries of a mapping.
func (n *NIC) enter(own *mapping, number int, order []int, r Right) {
	at, inJob := n.f.Offset(own.buf)
	state := uint64(r&rights) | pteValid | uint64(n.generation)<<pteGen
	if inJob {
		state |= pteInJob
	} else {
		at = fabric.Address(own.buf)
	}
	if !n.f.Common(own.buf) || at%wordBytes != 0 {
		state &^= uint64(MayUpdate)
	}
	for i := range own.size {
		page := i
		if order != nil {
			page = uint64(order[i])
		}
		size := min(uint64(len(own.buf))-page*PageBytes, PageBytes)
		storePTE(n.own.entry(&n.mapped, own.first+i), pte{at + page*PageBytes | uint64(number)<<placeBits, state | size})
	}
	atomic.AddUint64(&n.own.tables[regMaps], 1)
}

// Unmap ends a mapping. Once it has returned no NIC accesses the memory: its pages have been
// invalidated, and transfers in progress have ended.
func (n *NIC) Unmap(a Address) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	page := a.Offset() / PageBytes
	if a.Segment() != Mapped || page > n.mapped.last || a.Offset()%PageBytes != 0 {
		return n.refuse(Refusal{Node: n.rank, Address: a, Reason: Misuse})
	}
	e := loadPTE(n.own.entry(&n.mapped, page))
	number := e.number() % maxMappings
	own := &n.maps[number]
	if e.known(a.Generation()) != 0 || !own.used || own.first != page {
		return n.refuse(Refusal{Node: n.rank, Address: a, Reason: Misuse})
	}
	if !n.release(number) {
		return n.refuse(Refusal{Node: n.rank, Address: a, Bytes: len(own.buf), Reason: InUse})
	}
	n.free = append(n.free, number)
	return nil
}

// release unmaps memory. If a transfer does not end, it keeps memory and pages for ever and returns
// false.
func (n *NIC) release(number int) bool {
	own := &n.maps[number]
	for i := range own.size {
		w := n.own.entry(&n.mapped, own.first+i)
		atomic.StoreUint64(&w[pteState], loadPTE(w).state&^uint64(pteValid))
	}
	atomic.AddUint64(&n.own.tables[regMaps], 1)
	if own.used = false; !n.drains.Done(n.own.holds(number)) {
		return false
	}
	n.f.Lend(n.rank, number, nil)
	own.pinner.Unpin()
	own.buf = nil
	n.pages.give(own.first, own.size)
	return true
}
