package mpi

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A Key is a key under which objects of type H cache values of type T:
// communicators ([Keyval]), windows ([WinKeyval]) or layouts ([LayoutKeyval]). It
// is made once and belongs to the process.
//
// MPI 4.1, section 7.7.
type Key[H Holder, T any] struct{ k keyval }

// A Keyval is a key for communicators.
//
// MPI 4.1, section 7.7.2.
type Keyval[T any] = Key[*Comm, T]

// A WinKeyval is a key for windows.
//
// MPI 4.1, section 7.7.3.
type WinKeyval[T any] = Key[AnyWin, T]

// A LayoutKeyval is a key for layouts.
//
// MPI 4.1, section 7.7.4.
type LayoutKeyval[T any] = Key[*Layout, T]

// A Holder caches values under keys: a *Comm, a window or a *Layout.
//
// Not in the standard.
type Holder interface{ held() holder }

// A holder is a Holder that may be nil.
type holder interface {
	// attributes returns what it caches, or why it cannot be used.
	attributes(s site) (*attributes, error)
	owner() *Comm  // that errors name; may be nil
	maker() string // the call that makes keys
	raised(err *error)
}

// A keyval is a Key without its types.
type keyval struct {
	copy  func(old, value any) (any, bool, error)
	del   func(holder, value any) error
	freed atomic.Bool
}

// NewKeyval makes a key for communicators. onDup is called when a communicator with a
// value is duplicated: it returns the value of the duplicate and whether it gets one;
// an error ends Dup, on all ranks. With nil, duplicates get none (MPI_COMM_NULL_COPY_FN); with [Keep]
// they get the same value (MPI_COMM_DUP_FN). onDelete, unless nil, is called when a
// value is deleted or replaced, or its communicator is freed; an error prevents that.
//
// MPI 4.1, section 7.7.2 (MPI_Comm_create_keyval).
func NewKeyval[T any](onDup func(old *Comm, value T) (T, bool, error), onDelete func(c *Comm, value T) error) *Keyval[T] {
	return newKey(onDup, onDelete)
}

// NewWinKeyval makes a key for windows, which cannot be duplicated: see [NewKeyval].
//
// MPI 4.1, section 7.7.3 (MPI_Win_create_keyval).
func NewWinKeyval[T any](onDelete func(w AnyWin, value T) error) *WinKeyval[T] {
	return newKey(nil, onDelete)
}

// NewLayoutKeyval makes a key for layouts: see [NewKeyval], and [Layout.Dup] and
// [Layout.Free].
//
// MPI 4.1, section 7.7.4 (MPI_Type_create_keyval).
func NewLayoutKeyval[T any](onDup func(old *Layout, value T) (T, bool, error), onDelete func(l *Layout, value T) error) *LayoutKeyval[T] {
	return newKey(onDup, onDelete)
}

func newKey[H Holder, T any](onDup func(H, T) (T, bool, error), onDelete func(H, T) error) *Key[H, T] {
	k := new(Key[H, T])
	if onDup != nil {
		k.k.copy = func(old, value any) (any, bool, error) { return onDup(old.(H), value.(T)) }
	}
	if onDelete != nil {
		k.k.del = func(holder, value any) error { return onDelete(holder.(H), value.(T)) }
	}
	return k
}

// Keep is an onDup of [NewKeyval] and [NewLayoutKeyval]: a duplicate gets the same
// value.
//
// MPI 4.1, section 7.7.2 (MPI_COMM_DUP_FN).
func Keep[T any, H Holder](_ H, value T) (T, bool, error) { return value, true, nil }

// Free ends the use of the key. Values under it stay, and are copied to duplicates, until
// Delete deletes them or the object that has them is freed.
//
// MPI 4.1, sections 7.7.2 to 7.7.4 (MPI_Comm_free_keyval, MPI_Win_free_keyval,
// MPI_Type_free_keyval).
func (k *Key[H, T]) Free() {
	if k != nil {
		k.k.freed.Store(true)
	}
}

// Set caches value on h. An earlier value is deleted first. Callbacks may set and delete
// values of the object, too: one whose deletion has begun is not deleted again.
//
// MPI 4.1, sections 7.7.2 to 7.7.4 (MPI_Comm_set_attr, MPI_Win_set_attr, MPI_Type_set_attr).
func (k *Key[H, T]) Set(h H, value T) (err error) {
	s := at("Set")
	defer heldBy(h).raised(&err)
	a, err := k.of(h, s)
	if err != nil {
		return err
	}
	return a.set(h, s, &attribute{k: &k.k, value: value})
}

// Value returns the value that h has, and whether it has one.
//
// MPI 4.1, sections 7.7.2 to 7.7.4 (MPI_Comm_get_attr, MPI_Win_get_attr, MPI_Type_get_attr).
func (k *Key[H, T]) Value(h H) (value T, found bool, err error) {
	defer heldBy(h).raised(&err)
	a, err := k.of(h, at("Value"))
	if err != nil {
		return value, false, err
	}
	v, found := a.get(&k.k)
	if found {
		value = v.(T)
	}
	return value, found, nil
}

// Delete deletes the value that h has, if it has one. It also deletes one that h still
// has under a key that was freed meanwhile.
//
// MPI 4.1, sections 7.7.2 to 7.7.4 (MPI_Comm_delete_attr, MPI_Win_delete_attr,
// MPI_Type_delete_attr).
func (k *Key[H, T]) Delete(h H) (err error) {
	s := at("Delete")
	defer heldBy(h).raised(&err)
	a, err := heldBy(h).attributes(s)
	if err != nil {
		return err
	}
	if k.ended() && !(k != nil && a.has(&k.k)) {
		return k.endedError(h, s)
	}
	return a.delete(h, s, &k.k)
}

// of returns what h caches, if k can be used with it.
func (k *Key[H, T]) of(h H, s site) (*attributes, error) {
	a, err := heldBy(h).attributes(s)
	if err == nil && k.ended() {
		err = k.endedError(h, s)
	}
	return a, err
}

// ended reports whether k is nil or has been freed.
func (k *Key[H, T]) ended() bool { return k == nil || k.k.freed.Load() }

func (k *Key[H, T]) endedError(h H, s site) error {
	return heldBy(h).owner().errorAt(s, ErrKeyval, "the key is nil or has been freed; make one with %s", heldBy(h).maker())
}

func (c *Comm) held() holder { return c }

func (c *Comm) attributes(s site) (*attributes, error) {
	if err := c.check(s); err != nil {
		return nil, err
	}
	return &c.attrs, nil
}

func (c *Comm) owner() *Comm { return c }

func (c *Comm) maker() string { return "NewKeyval" }

func (w *Win[T]) held() holder { return w.base() }

func (w *window) held() holder { return w }

func (w *window) attributes(s site) (*attributes, error) {
	if err := w.alive(s); err != nil {
		return nil, err
	}
	return &w.attrs, nil
}

// heldBy is held for a Holder that may be a nil AnyWin, which is no window.
func heldBy(h Holder) holder {
	if h == nil {
		return (*window)(nil)
	}
	return h.held()
}

// owner is the communicator of a window, which may be nil.
func (w *window) owner() *Comm {
	if w == nil {
		return nil
	}
	return w.c
}

func (w *window) maker() string { return "NewWinKeyval" }

func (l *Layout) held() holder { return l }

func (l *Layout) attributes(s site) (*attributes, error) {
	if l == nil {
		return nil, l.owner().errorAt(s, ErrLayout, "the layout is nil; name a variable")
	}
	if l.attrs == nil {
		l.attrs = new(attributes)
	}
	return l.attrs, nil
}

func (l *Layout) owner() *Comm { return nil }

func (l *Layout) maker() string { return "NewLayoutKeyval" }

func (l *Layout) raised(*error) {}

// Dup returns a copy of l, with the values that the onDup functions of its keys give
// it. Layouts are values: only those with attributes need Dup. An error of an onDup ends
// it, and deletes the copies that others have made.
//
// MPI 4.1, section 5.1.10 (MPI_Type_dup).
func (l *Layout) Dup() (Layout, error) {
	s := at("Dup")
	a, err := l.attributes(s)
	if err != nil {
		return Layout{}, err
	}
	d := newLayout(LayoutContents{Combiner: CombinerDup, Inner: []Layout{*l}})
	d.name, d.attrs = l.name, new(attributes)
	if d.attrs.list, err = a.copies(l, s); err != nil {
		dropped(l, d.attrs.list)
		return Layout{}, err
	}
	return d, nil
}

// Free deletes what l caches under keys and calls their onDelete functions; an error of
// one keeps its value. Nothing else of a layout needs to be freed.
//
// MPI 4.1, section 5.1.9 (MPI_Type_free).
func (l *Layout) Free() error {
	s := at("Free")
	a, err := l.attributes(s)
	if err != nil {
		return err
	}
	return a.deleteAll(l, s)
}

// An attribute is a value that an object has under a key.
type attribute struct {
	k     *keyval
	value any
	going bool // its deletion has begun
}

// attributes are the values of one object, in the order in which they were set: under each
// key one that is not being deleted. Callbacks are called without the lock, and may
// themselves set and delete values of the object, as may other goroutines.
type attributes struct {
	mu   sync.Mutex
	list []*attribute
}

// all returns the values that are not being deleted.
func (a *attributes) all() (list []*attribute) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range a.list {
		if !v.going {
			list = append(list, v)
		}
	}
	return list
}

// get returns the value under k: one that is being deleted, if there is no other.
func (a *attributes) get(k *keyval) (any, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range slices.Backward(a.list) {
		if v.k == k {
			return v.value, true
		}
	}
	return nil, false
}

func (a *attributes) has(k *keyval) bool {
	_, found := a.get(k)
	return found
}

// set gives h the value of v. An earlier value is deleted first.
func (a *attributes) set(h Holder, s site, v *attribute) error {
	for {
		a.mu.Lock()
		old := a.claim(v.k)
		if old == nil {
			a.list = append(a.list, v)
		}
		a.mu.Unlock()
		if old == nil {
			return nil
		}
		if err := a.remove(h, s, old); err != nil {
			return err
		}
	}
}

// delete deletes the value of h under k, if there is one.
func (a *attributes) delete(h Holder, s site, k *keyval) error {
	a.mu.Lock()
	old := a.claim(k)
	a.mu.Unlock()
	if old == nil {
		return nil
	}
	return a.remove(h, s, old)
}

// claim begins the deletion of the value under k, or of the last one if k is nil. There is
// one only for who begins it. The caller holds the lock.
func (a *attributes) claim(k *keyval) *attribute {
	for _, v := range slices.Backward(a.list) {
		if !v.going && (k == nil || v.k == k) {
			v.going = true
			return v
		}
	}
	return nil
}

// remove ends the deletion of a value that has been claimed. If the callback fails, or panics, the
// value stays, unless another has taken its place meanwhile.
func (a *attributes) remove(h Holder, s site, old *attribute) error {
	deleted := false
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		old.going = false
		if deleted || slices.ContainsFunc(a.list, func(v *attribute) bool { return v.k == old.k && v != old }) {
			a.list = slices.DeleteFunc(a.list, func(v *attribute) bool { return v == old })
		}
	}()
	if old.k.del != nil {
		if err := old.k.del(h, old.value); err != nil {
			return heldBy(h).owner().because(s, ErrOther, err, "the function that is called at deletion failed")
		}
	}
	deleted = true
	return nil
}

// deleteAll deletes all values of h, also those that callbacks set meanwhile, the last
// first (MPI 4.1, section 11.2.4).
func (a *attributes) deleteAll(h Holder, s site) error {
	for {
		a.mu.Lock()
		last := a.claim(nil)
		a.mu.Unlock()
		if last == nil {
			return nil
		}
		if err := a.remove(h, s, last); err != nil {
			return err
		}
	}
}

// copies returns the values that a duplicate of h gets: those before an error, if there is one.
func (a *attributes) copies(h Holder, s site) (list []*attribute, err error) {
	for _, v := range a.all() {
		if v.k.copy == nil {
			continue
		}
		value, keep, err := v.k.copy(h, v.value)
		if err != nil {
			return list, heldBy(h).owner().because(s, ErrOther, err, "the function that copies an attribute failed")
		}
		if keep {
			list = append(list, &attribute{k: v.k, value: value})
		}
	}
	return list, nil
}

// dropped deletes copies for a duplicate of h that is not made, as values of h, the last first.
func dropped(h Holder, copies []*attribute) {
	for _, v := range slices.Backward(copies) {
		if v.k.del != nil {
			_ = v.k.del(h, v.value)
		}
	}
}
