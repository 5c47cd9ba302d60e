package mpi

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"

	"rhinet/internal/epoch"
	"rhinet/internal/onesided"
	"rhinet/llc/ir"
)

// Hints for windows that are recognized, with the value "true".
//
// MPI 4.1, sections 12.2.1 and 12.2.3.
const (
	HintNoLocks           = "no_locks"               // Lock and LockAll will not be called
	HintNonContiguousPart = "alloc_shared_noncontig" // parts of a shared window need not follow each other
)

// WinAllocate makes a window with n elements on each rank, all 0; n may differ. The
// ranks of a host reach each other's parts by loads and stores, so small accesses take
// nanoseconds and need no action of the target. Where the network has no such memory,
// messages carry them. All ranks of c must call it.
//
// MPI 4.1, section 12.2.2.
func WinAllocate[T any](c *Comm, n int, info ...Info) (_ *Win[T], err error) {
	defer c.raised(&err)
	return makeWindow[T](c, at("WinAllocate"), Allocated, nil, n, info)
}

// WinAllocateShared is [WinAllocate] of a window with parts to which all ranks have
// direct access: see [Win.Shared]. Each part follows the part of the previous rank
// without a gap, unless the hint [HintNonContiguousPart] is given. It fails
// (ErrRMAShared) where the network has no such memory.
//
// MPI 4.1, section 12.2.3.
func WinAllocateShared[T any](c *Comm, n int, info ...Info) (_ *Win[T], err error) {
	defer c.raised(&err)
	return makeWindow[T](c, at("WinAllocateShared"), AllocatedShared, nil, n, info)
}

// WinCreate makes a window of existing memory of the ranks; lengths may differ. The
// network interface reads and writes it; where it cannot, messages do. buf belongs to
// the window until [Win.Free]. All ranks of c must call it.
//
// MPI 4.1, section 12.2.1.
func WinCreate[T any](c *Comm, buf []T, info ...Info) (_ *Win[T], err error) {
	defer c.raised(&err)
	return makeWindow[T](c, at("WinCreate"), Created, view(buf), len(buf), info)
}

// WinDynamic makes a window without memory; ranks attach some later, see [Win.Attach].
// All ranks of c must call it.
//
// MPI 4.1, section 12.2.4 (MPI_Win_create_dynamic).
func WinDynamic[T any](c *Comm, info ...Info) (_ *Win[T], err error) {
	defer c.raised(&err)
	return makeWindow[T](c, at("WinDynamic"), Dynamic, nil, 0, info)
}

func makeWindow[T any](c *Comm, s site, f Flavor, buf []byte, n int, info []Info) (*Win[T], error) {
	e, err := elemForWin[T](c, s)
	if err != nil {
		return nil, err
	}
	if err := c.carried(s); err != nil {
		return nil, err
	}
	if n < 0 || n > math.MaxInt64/e.size {
		return nil, c.errorAt(s, ErrSize, "%d elements of %d bytes; there must be 0 or more, and as many as memory holds", n, e.size)
	}
	w, err := c.makeWindow(s, f, winArgs{Bytes: uint64(n * e.size), Elem: uint32(e.size), Code: uint32(e.code)}, buf, info)
	if err != nil {
		return nil, err
	}
	return viewOf[T](w, e), nil
}

// winArgs are what a rank contributes to a window.
type winArgs struct {
	Bytes      uint64
	Elem, Code uint32
	Hint, Ways uint32 // Ways: onesided.Ways
}

func (c *Comm) makeWindow(s site, f Flavor, mine winArgs, buf []byte, info []Info) (*window, error) {
	w := &window{flavor: f, hints: winHints(info, f)}
	if f == Dynamic {
		w.attached = &attachments{mem: map[uint64][]byte{}}
	}
	if w.hints[HintNonContiguousPart] == "true" {
		mine.Hint = 1
	}
	ways, err := c.waysOf(s, w.hints)
	if err != nil {
		return nil, err
	}
	mine.Ways = uint32(ways)
	own, begun, err := c.private(s)
	if err != nil {
		return nil, err
	}
	defer c.end(begun, s.call)
	w.c, own.win = own, w
	w.relabel()
	all := make([]winArgs, c.size)
	if err = Allgather(own, []winArgs{mine}, all); err == nil {
		err = w.agreeOn(s, all)
	}
	if err == nil {
		w.open = make([]atomic.Uint32, c.size)
		w.polling = own.sharing()
		if c.w.Check {
			w.log = epoch.NewLog(c.size)
		}
		err = w.lay(s, buf, all)
	}
	if err == nil {
		err = w.equip(ways)
	}
	if err != nil {
		if w.reach != nil {
			_ = w.reach.close() // it may have a server
		}
		w.renounce()
		_ = own.Free() // the window's error says more
		return nil, named(s.call, err)
	}
	own.partOf("Fence", w.log != nil)
	w.plain = w.c.failures == nil && w.log == nil
	c.w.enlist(w)
	return w, nil
}

// agreeOn compares what the ranks contribute.
func (w *window) agreeOn(s site, all []winArgs) error {
	mine := all[w.c.rank]
	total := uint64(0)
	for r, b := range all {
		switch {
		case b.Elem != mine.Elem || b.Code != mine.Code:
			return w.c.errorAt(s, ErrType, "rank %d makes a window of %s of %d bytes, rank %d of %s of %d bytes; use one type and WinAs",
				w.c.rank, typeCode(mine.Code), mine.Elem, r, typeCode(b.Code), b.Elem)
		case b.Hint != mine.Hint:
			return w.c.errorAt(s, ErrArg, "the hint %s of rank %d is not that of rank %d", HintNonContiguousPart, r, w.c.rank)
		case b.Ways != mine.Ways:
			return w.c.errorAt(s, ErrArg, "rank %d names the ways %s, rank %d %s; give all ranks one %s", w.c.rank, onesided.Ways(mine.Ways), r, onesided.Ways(b.Ways), HintWindow)
		}
		w.bytes = append(w.bytes, b.Bytes)
		if total += b.Bytes; total < b.Bytes || total > maxAlloc {
			return w.c.errorAt(s, ErrSize, "the window is larger than memory can be")
		}
	}
	return nil
}

// A laying is the layout of a window in one block of memory.
type laying struct {
	control int   // bytes of control memory of each rank
	parts   []int // offsets
	total   int
}

// layOut places the control memory of all ranks, and their parts if those are in the
// block.
func (w *window) layOut(parts bool) laying {
	l := laying{control: controlBytes(w.flavor == Dynamic)}
	l.total = l.control * w.c.size
	if !parts {
		return l
	}
	const page = 4096
	l.total = (l.total + page - 1) &^ (page - 1)
	packed := w.flavor == AllocatedShared && w.hints[HintNonContiguousPart] != "true"
	for _, n := range w.bytes {
		switch {
		case packed:
		case n >= page:
			l.total = (l.total + page - 1) &^ (page - 1)
		default:
			l.total = (l.total + lineBytes - 1) &^ (lineBytes - 1)
		}
		l.parts = append(l.parts, l.total)
		l.total += int(n)
	}
	return l
}

// lay finds memory for the window, and its reach.
func (w *window) lay(s site, buf []byte, all []winArgs) error {
	inBlock := w.flavor == Allocated || w.flavor == AllocatedShared
	l := w.layOut(inBlock)
	mem, err := w.reserve(s, l)
	if err != nil {
		return err
	}
	if mem == nil && w.flavor == AllocatedShared {
		return w.c.errorAt(s, ErrRMAShared, "this network has no memory that its ranks share; use WinAllocate")
	}
	if !inBlock {
		w.local = buf
		return w.layOwn(s, l, mem)
	}
	if mem == nil {
		w.local = alignedBytes(int(all[w.c.rank].Bytes))
		w.reach = serve(w.c, w.local, false)
		return nil
	}
	for r, at := range l.parts {
		end := at + int(w.bytes[r])
		w.mem = append(w.mem, mem[at:end:end])
	}
	w.shared = newMapped(w.c, mem[:l.control*w.c.size], l.control, w.mem)
	w.local, w.reach = w.mem[w.c.rank], w.shared
	return nil
}

// A grant says where the window's block is, or why there is none.
type grant struct{ At, Refused uint64 }

// Reasons why there is no block.
const (
	granted uint64 = iota
	noMemory
	tooLarge
)

// reserve has rank 0 reserve a block, and returns it, or nil if this network has no
// memory for it.
func (w *window) reserve(s site, l laying) ([]byte, error) {
	m := w.memory()
	var g [1]grant
	if w.c.rank == 0 {
		g[0] = w.take(l.total)
	}
	if err := Bcast(w.c, g[:], 0); err != nil {
		return nil, err
	}
	switch g[0].Refused {
	case noMemory:
		return nil, nil
	case tooLarge:
		return nil, w.c.errorAt(s, ErrSize, "a window of %d bytes does not fit into the memory that the job has for windows; use fewer, or Free others", l.total)
	}
	var mem []byte
	if m != nil {
		mem = m.Reserved(g[0].At, uint64(l.total))
	}
	w.block, w.owns, w.reserved = g[0].At, w.c.rank == 0, true
	ok, err := w.agree(mem != nil)
	if err == nil && !ok {
		err = w.release()
		mem = nil
	}
	return mem, err
}

// memory returns the memory of the network, or nil if not all ranks can share it.
func (w *window) memory() ir.Memory {
	if !w.c.onHost(w.c.w) {
		return nil
	}
	return w.c.t.Memory()
}

// take reserves the block at rank 0.
func (w *window) take(n int) grant {
	m := w.memory()
	if m == nil {
		return grant{Refused: noMemory}
	}
	at, err := m.Reserve(n)
	if err == nil {
		return grant{At: at}
	}
	if at, err = m.Reserve(1); err != nil {
		return grant{Refused: noMemory}
	}
	_ = m.Release(at)
	return grant{Refused: tooLarge}
}

// release frees the block, if this rank has to.
func (w *window) release() error {
	w.reserved = false
	if !w.owns {
		return nil
	}
	w.owns = false
	return w.c.t.Memory().Release(w.block)
}

// agree reports whether all ranks pass true.
func (w *window) agree(yes bool) (bool, error) {
	vote := []int32{0}
	if yes {
		vote[0] = 1
	}
	err := Allreduce(w.c, vote, vote, Min)
	return vote[0] == 1, err
}

// layOwn finds the reach for memory that belongs to the ranks.
func (w *window) layOwn(s site, l laying, mem []byte) error {
	dynamic := w.flavor == Dynamic
	remote := w.c.t.Remote()
	if mem == nil || remote == nil {
		w.reach = serve(w.c, w.local, dynamic)
		return nil
	}
	x := &exposed{
		control: control{c: w.c, mem: mem, size: l.control}, remote: remote, dynamic: dynamic,
		mine: w.local, region: map[uint64][]byte{}, shown: map[uint64]ir.Segment{}, parts: make([]ir.Segment, w.c.size),
	}
	ok, err := x.tryOut(w)
	if err != nil {
		return err
	}
	if !ok {
		w.reach = serve(w.c, w.local, dynamic)
		return w.c.leaveBlock(w)
	}
	w.reach = x
	if dynamic {
		w.reach = spill(x)
	}
	return nil
}

// leaveBlock frees the block of a window that does not need it after all.
func (c *Comm) leaveBlock(w *window) error {
	if err := Barrier(c); err != nil {
		return err
	}
	return w.release()
}

// tryOut exposes this rank's part, and reads a few bytes of the next rank: only then is
// it known whether the network interface can do that.
func (x *exposed) tryOut(w *window) (ok bool, err error) {
	probe := alignedBytes(8)
	shown := [2]ir.Segment{}
	ok = true
	for i, mem := range [][]byte{probe, w.local} {
		if len(mem) == 0 {
			continue
		}
		seg, err := x.remote.ExposeMemory(mem)
		if shown[i] = seg; err != nil {
			ok = false
			break
		}
	}
	if shown[1] != 0 {
		x.shown[0] = shown[1]
	}
	if ok, err = x.reads(w, shown, ok); shown[0] != 0 {
		_ = x.remote.ConcealMemory(shown[0]) // all ranks have read it
	}
	if !ok || err != nil {
		err = errors.Join(err, x.close())
	}
	return ok, err
}

// reads exchanges what the ranks have exposed, and reports whether each can read what the next one has. ok says that this
// rank has exposed all.
func (x *exposed) reads(w *window, shown [2]ir.Segment, ok bool) (bool, error) {
	all := make([][2]ir.Segment, x.c.size)
	if err := Allgather(x.c, [][2]ir.Segment{shown}, all); err != nil {
		return false, err
	}
	for r := range all {
		x.parts[r] = all[r][1]
	}
	next := (x.c.rank + 1) % x.c.size
	if ok && all[next][0] != 0 && next != x.c.rank {
		ok = x.remote.ReadMemory(x.c.global(next), all[next][0], 0, alignedBytes(8)) == nil
	}
	return w.agree(ok && all[next][0] != 0)
}

// Free ends the use of the window. All its ranks must call it, after all epochs, or it
// fails with [ErrRMASync]; it waits for all of them.
//
// MPI 4.1, section 12.2.5.
func (w *Win[T]) Free() (err error) {
	defer w.base().raised(&err)
	s := at("WinFree")
	b := w.base()
	if err := b.check(s); err != nil && (b == nil || b.c.failures == nil || b.alive(s) != nil) {
		return err
	}
	if err := b.unused(s); err != nil {
		return err
	}
	if err := b.attrs.deleteAll(b, s); err != nil {
		return err
	}
	defer b.c.end(b.c.w.begin(), s.call)
	b.c.partOf(s.call, true)
	if b.owns, err = b.awaitFree(); err != nil {
		return b.explain(s, err)
	}
	b.c.w.delist(b)
	b.unpost()
	b.mode.Store(winFreed)
	b.endWatch()
	if err := b.reach.close(); err != nil {
		return b.explain(s, err)
	}
	if err := b.release(); err != nil {
		return b.explain(s, err)
	}
	return named(s.call, b.c.Free())
}

// noEpochs returns the error for an epoch of w that has not ended, or nil.
func (w *window) noEpochs(s site) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch mode := w.mode.Load(); {
	case mode == winLocked:
		return w.c.errorAt(s, ErrRMASync, "ranks %v are locked; Unlock them first", w.lockedRanks())
	case mode == winLockAll:
		return w.c.errorAt(s, ErrRMASync, "the epoch of LockAll has not ended; call UnlockAll first")
	case mode == winStarted:
		return w.c.errorAt(s, ErrRMASync, "the epoch of Start has not ended; call Complete first")
	case w.opening:
		return w.noAccess(s)
	case w.exposed && !w.unposted:
		return w.c.errorAt(s, ErrRMASync, "the epoch of Post has not ended; call Wait first")
	}
	return nil
}

// lockedRanks returns the ranks that this rank has locked.
func (w *window) lockedRanks() (ranks []int) {
	for r := range w.open {
		if w.open[r].Load() != closedTo {
			ranks = append(ranks, r)
		}
	}
	if w.null.Load() != closedTo {
		ranks = append(ranks, ProcNull)
	}
	return ranks
}

// enlist and delist keep the list of windows that Finalize has to end.
func (w *world) enlist(v *window) {
	v.sign()
	v.observe()
	w.mu.Lock()
	w.windows = append(w.windows, v)
	w.mu.Unlock()
	if v.c.failures != nil {
		v.refuseLocks()
		for _, r := range v.c.failures.dead() {
			v.rankFailed(r)
		}
	}
}

func (w *world) delist(v *window) {
	w.mu.Lock()
	w.windows = slices.DeleteFunc(w.windows, func(o *window) bool { return o == v })
	w.mu.Unlock()
}

// endWindows ends what windows of a session, or of the world, still do that were never
// freed.
func (w *world) endWindows(of *Session) {
	w.mu.Lock()
	var all []*window
	w.windows = slices.DeleteFunc(w.windows, func(v *window) bool {
		if v.c.session != of {
			return false
		}
		all = append(all, v)
		return true
	})
	w.mu.Unlock()
	for _, v := range all {
		v.endWatch()
		_ = v.reach.close() // the network is about to end, too
	}
}
