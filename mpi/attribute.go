package mpi

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A Keyval is a key under which communicators cache values of type T. It is
// made once and belongs to the process.
//
// MPI 4.1, section 7.7.
type Keyval[T any] struct{ k keyval }

// A keyval is a Keyval without its type.
type keyval struct {
	copy  func(old *Comm, value any) (any, bool, error)
	del   func(c *Comm, value any) error
	freed atomic.Bool
}

// NewKeyval makes a key. onDup is asked when a communicator with a value is
// duplicated: for the value of the duplicate, and whether it gets one; an error
// ends Dup. With nil duplicates get none (MPI_COMM_NULL_COPY_FN); [Keep] gives
// them the same value (MPI_COMM_DUP_FN). onDelete, unless nil, is called with a
// value that is deleted or replaced, or whose communicator is freed; its error
// keeps that from happening.
//
// MPI 4.1, section 7.7.2 (MPI_Comm_create_keyval).
func NewKeyval[T any](onDup func(old *Comm, value T) (T, bool, error), onDelete func(c *Comm, value T) error) *Keyval[T] {
	k := new(Keyval[T])
	if onDup != nil {
		k.k.copy = func(old *Comm, value any) (any, bool, error) { return onDup(old, value.(T)) }
	}
	if onDelete != nil {
		k.k.del = func(c *Comm, value any) error { return onDelete(c, value.(T)) }
	}
	return k
}

// Keep is for [NewKeyval]: a duplicate gets the same value.
func Keep[T any](_ *Comm, value T) (T, bool, error) { return value, true, nil }

// Free ends the use of the key. Values under it stay until their communicators
// are freed.
//
// MPI 4.1, section 7.7.2 (MPI_Comm_free_keyval).
func (k *Keyval[T]) Free() { k.k.freed.Store(true) }

// Set caches value on c. A value that was there is deleted first.
//
// MPI 4.1, section 7.7.2 (MPI_Comm_set_attr).
func (k *Keyval[T]) Set(c *Comm, value T) error {
	s := at("Set")
	if err := k.check(c, s); err != nil {
		return err
	}
	if err := c.attrs.remove(c, s, &k.k); err != nil {
		return err
	}
	c.attrs.add(attribute{&k.k, value})
	return nil
}

// Value returns the value that c has, and whether it has one.
//
// MPI 4.1, section 7.7.2 (MPI_Comm_get_attr).
func (k *Keyval[T]) Value(c *Comm) (value T, found bool, err error) {
	if err := k.check(c, at("Value")); err != nil {
		return value, false, err
	}
	v, found := c.attrs.get(&k.k)
	if found {
		value = v.(T)
	}
	return value, found, nil
}

// Delete deletes the value that c has, if it has one.
//
// MPI 4.1, section 7.7.2 (MPI_Comm_delete_attr).
func (k *Keyval[T]) Delete(c *Comm) error {
	s := at("Delete")
	if err := k.check(c, s); err != nil {
		return err
	}
	return c.attrs.remove(c, s, &k.k)
}

func (k *Keyval[T]) check(c *Comm, s site) error {
	if err := c.check(s); err != nil {
		return err
	}
	if k == nil || k.k.freed.Load() {
		return c.errorAt(s, ErrKeyval, "the key is nil or has been freed; make one with NewKeyval")
	}
	return nil
}

// An attribute is a value that a communicator has under a key.
type attribute struct {
	k     *keyval
	value any
}

// attributes are those of one communicator, in the order in which they came.
// Callbacks are called without the lock.
type attributes struct {
	mu   sync.Mutex
	list []attribute
}

func (a *attributes) all() []attribute {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.list)
}

func (a *attributes) add(v attribute) {
	a.mu.Lock()
	a.list = append(a.list, v)
	a.mu.Unlock()
}

func (a *attributes) get(k *keyval) (any, bool) {
	for _, v := range a.all() {
		if v.k == k {
			return v.value, true
		}
	}
	return nil, false
}

// remove deletes the value under k, if there is one.
func (a *attributes) remove(c *Comm, s site, k *keyval) error {
	v, found := a.get(k)
	if !found {
		return nil
	}
	if k.del != nil {
		if err := k.del(c, v); err != nil {
			return c.because(s, ErrOther, err, "the function that is called at deletion failed")
		}
	}
	a.mu.Lock()
	a.list = slices.DeleteFunc(a.list, func(v attribute) bool { return v.k == k })
	a.mu.Unlock()
	return nil
}

// deleteAll deletes all values, the last first (MPI 4.1, section 11.2.4).
func (a *attributes) deleteAll(c *Comm, s site) error {
	for _, v := range slices.Backward(a.all()) {
		if err := a.remove(c, s, v.k); err != nil {
			return err
		}
	}
	return nil
}

// copyTo gives a duplicate what it shall have.
func (a *attributes) copyTo(c, d *Comm, s site) error {
	for _, v := range a.all() {
		if v.k.copy == nil {
			continue
		}
		value, keep, err := v.k.copy(c, v.value)
		if err != nil {
			return c.because(s, ErrOther, err, "the function that copies an attribute failed")
		}
		if keep {
			d.attrs.add(attribute{v.k, value})
		}
	}
	return nil
}
