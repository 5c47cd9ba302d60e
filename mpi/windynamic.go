package mpi

import "fmt"

// A place in a dynamic window is an element of an attached region; its displacement
// names both, and says which way the region is reached. A region that the network
// interface exposes has a slot in the control memory of its rank; a rank serves its
// other regions by messages.
//
//	displacement  62  61     47 46    40 39      0
//	             | 1 | uses    | slot   | element |  exposed
//	             | 0 | number           | element |  served
const (
	placeBits   = 40
	maxElements = 1<<placeBits - 1
	slotted     = 1 << 22 // in the ID of a region: it is exposed
	mostRegions = 1 << 20
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
// [Win.Detach] or [Win.Free], and must not overlap what is attached; it may be empty. It
// is a local call.
//
// A rank can have 1048576 regions attached. The network interface reads and writes the
// first 128; accesses to the others go by messages, and take several times as long.
//
// MPI 4.1, section 12.2.4 (MPI_Win_attach, MPI_Get_address).
func (w *Win[T]) Attach(buf []T) (disp int, err error) {
	defer w.base().raised(&err)
	s := at("Attach")
	b := w.base()
	if err := b.alive(s); err != nil {
		return 0, err
	}
	return b.attach(s, view(buf))
}

func (w *window) attach(s site, mem []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.attached
	switch {
	case w.flavor != Dynamic:
		return 0, w.c.errorAt(s, ErrRMAFlavor, "the window is %s; only one of WinDynamic takes further memory", w.flavor)
	case len(mem) > maxElements:
		return 0, w.c.errorAt(s, ErrRMAAttach, "the memory has %d bytes; it can have up to %d", len(mem), maxElements)
	case len(a.mem) == mostRegions:
		return 0, w.c.errorAt(s, ErrRMAAttach, "%d regions are attached, which are all that there can be; Detach one", mostRegions)
	case a.overlaps(mem):
		return 0, w.c.errorAt(s, ErrRMAAttach, "the memory overlaps what is attached already; Detach that first")
	}
	id, free := a.slot()
	if !free || len(mem) == 0 || w.reach.expose(id, mem) != nil { // what the network interface does not take is served
		id = a.number()
		if err := w.reach.expose(id, mem); err != nil {
			return 0, w.c.because(s, ErrRMAAttach, err, "")
		}
	}
	a.add(id, mem)
	return int(id << placeBits), nil
}

// Detach removes the region that [Win.Attach] returned disp for. Accesses to it then
// fail (ErrRMARange).
//
// MPI 4.1, section 12.2.4 (MPI_Win_detach).
func (w *Win[T]) Detach(disp int) (err error) {
	defer w.base().raised(&err)
	s := at("Detach")
	b := w.base()
	if err := b.alive(s); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.flavor != Dynamic {
		return b.c.errorAt(s, ErrRMAFlavor, "the window is %s; only one of WinDynamic has memory to detach", b.flavor)
	}
	id, first := splitPlace(uint64(disp))
	if _, ok := b.attached.mem[id]; !ok || first != 0 {
		return b.c.errorAt(s, ErrRMAAttach, "%s is not what Attach has returned", fmt.Sprintf("%#x", disp))
	}
	b.attached.remove(id)
	if err := b.reach.hide(id); err != nil {
		return b.c.because(s, ErrRMAAttach, err, "")
	}
	return nil
}
