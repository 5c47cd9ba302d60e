package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, sections 7.7.2 and 7.4.3: the function that is called at deletion may itself
// set and delete values of the communicator, also its own, and make calls on it. A value
// is deleted once, and Free deletes also what is set meanwhile.
func TestDeletionsThatUseTheCommunicator(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		var deleted []int
		var k, other *mpi.Keyval[int]
		other = mpi.NewKeyval(nil, func(c *mpi.Comm, v int) error {
			deleted = append(deleted, -v)
			return other.Delete(c)
		})
		k = mpi.NewKeyval(nil, func(c *mpi.Comm, v int) error {
			deleted = append(deleted, v)
			still, found, err := k.Value(c)
			if err := errors.Join(err, equal("value", fmt.Sprint(still, found), fmt.Sprint(v, true)), k.Delete(c), mpi.Barrier(c)); err != nil {
				return err
			}
			if v%10 == 0 {
				return other.Set(c, v)
			}
			return k.Set(c, v-1)
		})
		c, err := w.Dup()
		if err := errors.Join(err, k.Set(c, 10), k.Set(c, 12), k.Delete(c)); err != nil {
			return err
		}
		v, found, err := k.Value(c)
		if err := errors.Join(err, equal("value", fmt.Sprint(v, found), "11 true"), equalAll("deleted", deleted, []int{10, 12})); err != nil {
			return err
		}
		return errors.Join(c.Free(), equalAll("deleted", deleted, []int{10, 12, 11, 10, -10, -10}))
	})
}

// MPI 4.1, section 7.4.3: a communicator that is freed while Free deletes its values is
// freed once.
func TestFreeWithinADeletion(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		k := mpi.NewKeyval(nil, func(c *mpi.Comm, _ int) error { return c.Free() })
		c, err := w.Dup()
		return errors.Join(err, k.Set(c, 1), is(c.Free(), mpi.ErrComm, "mpi: Free on world.dup1: the communicator has been freed"))
	})
}

// MPI 4.1, section 7.7.2: an error keeps the value, unless it has been replaced by then.
func TestAFailedDeletionOfAReplacedValue(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		var k *mpi.Keyval[int]
		k = mpi.NewKeyval(nil, func(c *mpi.Comm, v int) error {
			switch v {
			case 1:
				return errors.Join(k.Set(c, 2), errors.New("no"))
			case 3:
				return errors.New("no")
			}
			return nil
		})
		c, err := w.Dup()
		if err := errors.Join(err, k.Set(c, 1), is(k.Delete(c), mpi.ErrOther, "")); err != nil {
			return err
		}
		v, _, err := k.Value(c)
		if err := errors.Join(err, equal("value", v, 2), k.Set(c, 3), is(k.Set(c, 4), mpi.ErrOther, "")); err != nil {
			return err
		}
		v, _, err = k.Value(c)
		return errors.Join(err, equal("value", v, 3))
	})
}

// MPI 4.1, section 7.7.4: if a value of a layout cannot be copied, no layout is made, and the copies
// of the other values are deleted, the last first.
func TestALayoutThatCannotBeDuplicated(t *testing.T) {
	var log []int
	copied := func(l *mpi.Layout, v int) (int, bool, error) { return -v, true, nil }
	gone := func(_ *mpi.Layout, v int) error { log = append(log, v); return nil }
	first, second := mpi.NewLayoutKeyval(copied, gone), mpi.NewLayoutKeyval(copied, gone)
	bad := mpi.NewLayoutKeyval(func(*mpi.Layout, int) (int, bool, error) { return 0, true, errors.New("no") }, gone)
	l := mpi.Vector(2, 1, 3)
	if err := errors.Join(first.Set(&l, 1), second.Set(&l, 2), bad.Set(&l, 3)); err != nil {
		t.Fatal(err)
	}
	d, err := l.Dup()
	_, found, _ := first.Value(&d)
	if err := errors.Join(is(err, mpi.ErrOther, "mpi: Dup: the function that copies an attribute failed: no"),
		equal("a value of the layout that is not made", found, false), equalAll("deleted", log, []int{-2, -1}),
		bad.Delete(&l), second.Delete(&l), l.Free(), equalAll("deleted", log, []int{-2, -1, 3, 2, 1})); err != nil {
		t.Fatal(err)
	}
}

// MPI 4.1, section 7.7.2: a value whose deletion ends in a panic stays, as after an error.
func TestAPanicOfADeletion(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		calls := 0
		k := mpi.NewKeyval(mpi.Keep[int, *mpi.Comm], func(*mpi.Comm, int) error {
			if calls++; calls == 1 {
				panic("once")
			}
			return nil
		})
		c, err := w.Dup()
		if err := errors.Join(err, k.Set(c, 5), equal("panic", fmt.Sprint(recovered(func() error { return k.Delete(c) })), "once")); err != nil {
			return err
		}
		d, err := c.Dup()
		if err != nil {
			return err
		}
		v, found, err := k.Value(d)
		return errors.Join(err, equal("copy", fmt.Sprint(v, found), "5 true"), c.Free(), d.Free(), equal("calls", calls, 3))
	})
}

// MPI 4.1, sections 7.7.2 and 11.6.2: goroutines that set and delete values under one key
// do so in some order: each value is deleted once.
func TestGoroutinesReplaceAttributes(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		const goroutines, each = 8, 200
		var mu sync.Mutex
		var deleted []int
		k := mpi.NewKeyval(nil, func(_ *mpi.Comm, v int) error {
			mu.Lock()
			deleted = append(deleted, v)
			mu.Unlock()
			return nil
		})
		c, err := w.Dup()
		if err != nil {
			return err
		}
		var wg sync.WaitGroup
		errs := make([]error, goroutines)
		for g := range goroutines {
			wg.Go(func() {
				for i := range each {
					errs[g] = errors.Join(errs[g], k.Set(c, g*each+i))
					if i%7 == 0 {
						errs[g] = errors.Join(errs[g], k.Delete(c))
					}
				}
			})
		}
		wg.Wait()
		if err := errors.Join(append(errs, c.Free())...); err != nil {
			return err
		}
		slices.Sort(deleted)
		return equalAll("deleted", deleted, sequence(goroutines*each, 0))
	})
}
