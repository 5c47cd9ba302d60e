package mpi

import "maps"

// winHints returns the hints of a window: those that are recognized, and else their
// defaults. Those on accumulates say what is so in any case.
func winHints(info []Info, f Flavor) Info {
	hints := Info{HintNoLocks: "false", "accumulate_ordering": "rar,raw,war,waw", "accumulate_ops": "same_op_no_op"}
	if f == AllocatedShared {
		hints[HintNonContiguousPart] = "false"
	}
	for _, i := range info {
		for _, k := range []string{HintNoLocks, HintNonContiguousPart, HintWindow} {
			if v, ok := i[k]; ok {
				hints[k] = v
			}
		}
	}
	return hints
}

// Info returns the hints of w: those that it was made with and that are recognized, and
// the defaults of those that were not given.
//
// MPI 4.1, section 12.2.7 (MPI_Win_get_info).
func (w *Win[T]) Info() (_ Info, err error) {
	defer w.base().raised(&err)
	if err := w.base().alive(at("Info")); err != nil {
		return nil, err
	}
	return maps.Clone(w.hints), nil
}

// SetInfo gives w hints. No hint can be given to an existing window, so all are
// ignored, as the standard allows.
//
// MPI 4.1, section 12.2.7 (MPI_Win_set_info).
func (w *Win[T]) SetInfo(Info) (err error) {
	defer w.base().raised(&err)
	return w.base().alive(at("SetInfo"))
}

// Name returns the name by which errors call w: that of its communicator with a number.
// It is empty if w is nil.
//
// MPI 4.1, section 7.8 (MPI_Win_get_name).
func (w *Win[T]) Name() string {
	if w.base() == nil {
		return ""
	}
	return w.c.name
}

// SetName sets the name by which errors and reports call w. It must not be called while
// other goroutines use w.
//
// MPI 4.1, section 7.8 (MPI_Win_set_name).
func (w *Win[T]) SetName(name string) (err error) {
	defer w.base().raised(&err)
	if err := w.base().alive(at("SetName")); err != nil {
		return err
	}
	w.c.rename(name)
	w.base().relabel()
	return nil
}

// Group returns the group of the ranks of w.
//
// MPI 4.1, section 12.2.6 (MPI_Win_get_group).
func (w *Win[T]) Group() (_ *Group, err error) {
	defer w.base().raised(&err)
	if err := w.base().alive(at("Group")); err != nil {
		return nil, err
	}
	return w.c.Group()
}
