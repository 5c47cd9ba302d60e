package mpi

import "fmt"

// A place in a dynamic window is an element of an attached region; its displacement
// names both.
//
//	displacement  62   47 46    40 39      0
//	             | uses  | slot   | element |
const (
	placeBits   = 40
	maxElements = 1<<placeBits - 1
	maxUses     = 1 << 16
)

// splitPlace returns the region of a place in bytes, and the offset in it.
func splitPlace(at uint64) (id, offset uint64) { return at >> placeBits, at & maxElements }

// placeOf returns the place in bytes of n elements from displacement disp on. Only the
// target knows whether they are within a region.
func (w *window) placeOf(s site, e *elem, disp, n int) (uint64, error) {
	id, first := splitPlace(uint64(disp))
	if disp < 0 || id == 0 || first*uint64(e.size) > maxElements || n > maxElements/e.size {
		return 0, w.c.errorAt(s, ErrRMARange, "%#x is no displacement that Attach has returned, plus elements of that region", disp)
	}
	return id<<placeBits | first*uint64(e.size), nil
}

// Attach adds buf to this rank's part of a dynamic window, and returns the displacement
// of its first element; the other elements follow. The program must tell other ranks
// the displacement, by a message for example. buf belongs to the window until
// [Win.Detach] or [Win.Free]. A rank can have up to 128 regions attached. It is a local
// call.
//
// MPI 4.1, section 12.2.4 (MPI_Win_attach, MPI_Get_address).
func (w *Win[T]) Attach(buf []T) (disp int, err error) {
	defer w.base().raised(&err)
	s := at("Attach")
	b := w.base()
	if err := b.check(s); err != nil {
		return 0, err
	}
	return b.attach(s, view(buf))
}

func (w *window) attach(s site, mem []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.flavor != Dynamic:
		return 0, w.c.errorAt(s, ErrRMAAttach, "the window is %s; only one of WinDynamic takes further memory", w.flavor)
	case len(mem) == 0 || len(mem) > maxElements:
		return 0, w.c.errorAt(s, ErrRMAAttach, "the memory has %d bytes; it must have 1 to %d", len(mem), maxElements)
	case len(w.attached) == maxRegions:
		return 0, w.c.errorAt(s, ErrRMAAttach, "%d regions are attached, which are all that there can be; Detach one", maxRegions)
	}
	for _, other := range w.attached {
		if overlap(mem, other) {
			return 0, w.c.errorAt(s, ErrRMAAttach, "the memory overlaps what is attached already; Detach that first")
		}
	}
	id := w.freeRegion()
	if err := w.reach.expose(id, mem); err != nil {
		return 0, w.c.because(s, ErrRMAAttach, err, "")
	}
	w.attached[id] = mem
	return int(id << placeBits), nil
}

// freeRegion returns an ID of a region that has not been used lately.
func (w *window) freeRegion() uint64 {
	for {
		w.regions++
		slot := uint64(w.regions % maxRegions)
		taken := false
		for id := range w.attached {
			taken = taken || id%maxRegions == slot
		}
		if id := uint64(w.regions%(maxUses*maxRegions)) | 1<<22; !taken {
			return id
		}
	}
}

// Detach removes the region that [Win.Attach] returned disp for. Accesses to it then
// fail (ErrRMARange).
//
// MPI 4.1, section 12.2.4 (MPI_Win_detach).
func (w *Win[T]) Detach(disp int) (err error) {
	defer w.base().raised(&err)
	s := at("Detach")
	b := w.base()
	if err := b.check(s); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id, first := splitPlace(uint64(disp))
	if _, ok := b.attached[id]; !ok || first != 0 {
		return b.c.errorAt(s, ErrRMAAttach, "%s is not what Attach has returned", fmt.Sprintf("%#x", disp))
	}
	delete(b.attached, id)
	if err := b.reach.hide(id); err != nil {
		return b.c.because(s, ErrRMAAttach, err, "")
	}
	return nil
}
