package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 7.7.3: windows cache values, which are deleted when they are
// replaced or deleted, or the window is freed, the last first; an error of the callback
// keeps them.
func TestAttributesOfWindows(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		var deleted []string
		k := mpi.NewWinKeyval(func(on mpi.AnyWin, value string) error {
			if value == "stays" {
				return errors.New("no")
			}
			v, err := mpi.WinAs[int32](on)
			if err == nil {
				deleted = append(deleted, value+" of "+v.Name())
			}
			return err
		})
		plain := mpi.NewWinKeyval[int](nil)
		v, err := mpi.WinAllocate[int32](w, 1)
		if err != nil {
			return err
		}
		if err := errors.Join(v.SetName("v"), plain.Set(v, 3), k.Set(v, "a"), k.Set(v, "b")); err != nil {
			return err
		}
		n, found, err := plain.Value(v)
		if err := errors.Join(err, equal("value", fmt.Sprint(n, found), "3 true"), plain.Delete(v)); err != nil {
			return err
		}
		if _, found, err := plain.Value(v); found || err != nil {
			return fmt.Errorf("a deleted value: %v", err)
		}
		other := mpi.NewWinKeyval(func(mpi.AnyWin, int) error { deleted = append(deleted, "other"); return nil })
		if err := errors.Join(other.Set(v, 1), k.Set(v, "stays")); err != nil {
			return err
		}
		if err := is(v.Free(), mpi.ErrOther, "mpi: WinFree on v: the function that is called at deletion failed: no"); err != nil {
			return err
		}
		plain.Free()
		var none *mpi.Win[int32]
		if err := errors.Join(
			is(plain.Set(v, 1), mpi.ErrKeyval, "mpi: Set on v: the key is nil or has been freed; make one with NewWinKeyval"),
			is(other.Set(none, 1), mpi.ErrWin, ""), is(other.Delete(none), mpi.ErrWin, "")); err != nil {
			return err
		}
		u, err := mpi.WinAllocate[int32](w, 1)
		if err := errors.Join(err, u.SetName("u"), k.Set(u, "first"), other.Set(u, 0), u.Free()); err != nil {
			return err
		}
		return equalAll("deleted", deleted, []string{"a of v", "b of v", "other", "first of u"})
	})
}

// MPI 4.1, section 7.7.4: layouts cache values; a duplicate gets the value that the
// callback of the key returns, and MPI_Type_free deletes them.
func TestAttributesOfLayouts(t *testing.T) {
	var deleted []int
	k := mpi.NewLayoutKeyval(func(_ *mpi.Layout, n int) (int, bool, error) {
		if n == 13 {
			return 0, false, errors.New("unlucky")
		}
		return n + 1, n%2 == 0, nil
	}, func(_ *mpi.Layout, n int) error {
		if n == 99 {
			return errors.New("no")
		}
		deleted = append(deleted, n)
		return nil
	})
	name := mpi.NewLayoutKeyval(mpi.Keep[string, *mpi.Layout], nil)
	l := mpi.Vector(3, 1, 4)
	if err := errors.Join(k.Set(&l, 3), k.Set(&l, 4), name.Set(&l, "column")); err != nil {
		t.Fatal(err)
	}
	d, err1 := l.Dup()
	e, err2 := d.Dup()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	n, counted, _ := k.Value(&d)
	_, more, _ := k.Value(&e)
	text, named, _ := name.Value(&e)
	if got := fmt.Sprint(n, counted, more, text, named); got != "5 true falsecolumntrue" {
		t.Errorf("values: %s", got)
	}
	if a, b := l.String(), e.String(); a != b {
		t.Errorf("the duplicate of %s is %s", a, b)
	}
	if err := errors.Join(d.Free(), d.Free(), l.Free(), e.Free()); err != nil {
		t.Fatal(err)
	}
	if want := []int{3, 5, 4}; !slices.Equal(deleted, want) {
		t.Errorf("deleted %v, want %v", deleted, want)
	}
	var none *mpi.Layout
	var unlucky, kept mpi.Layout
	if err := errors.Join(k.Set(&unlucky, 13), k.Set(&kept, 99)); err != nil {
		t.Fatal(err)
	}
	name.Free()
	for _, err := range []error{
		is(second(unlucky.Dup()), mpi.ErrOther, "mpi: Dup: the function that copies an attribute failed: unlucky"),
		is(kept.Free(), mpi.ErrOther, "mpi: Free: the function that is called at deletion failed: no"),
		is(second(none.Dup()), mpi.ErrLayout, "mpi: Dup: the layout is nil; name a variable"),
		is(none.Free(), mpi.ErrLayout, ""), is(k.Set(none, 1), mpi.ErrLayout, ""),
		is(name.Delete(&l), mpi.ErrKeyval, "mpi: Delete: the key is nil or has been freed; make one with NewLayoutKeyval"),
	} {
		if err != nil {
			t.Error(err)
		}
	}
}
