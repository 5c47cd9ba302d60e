package lowlevel

import (
	"errors"
	"runtime"
	"testing"

	"rhinet/nicemu/martini"
)

// await yields until f returns true.
func await(f func() bool) {
	for !f() {
		runtime.Gosched()
	}
}

// reserved returns the process for which lock id of l's process is reserved.
func reserved(t *testing.T, boss *martini.Manager, l *Library, id int) int {
	h, err := boss.Hardware(l.nic)
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, to := h.LockTable().State(id)
	return to
}

// TestLocksAreQueued follows the messages of section 9.2: the second requester has a reservation
// with the first and gets the lock from it; a requester that comes after the release gets it at
// once.
func TestLocksAreQueued(t *testing.T) {
	boss, all := managed(t, 3, martini.Options{})
	for _, l := range all {
		if err := l.InitLock(0, 2); err != nil {
			t.Fatal(err)
		}
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(all[0].Lock(0))
	if err := all[0].Lock(0); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
	if err := all[0].InitLock(0, 1); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
	if err := all[1].Unlock(0); !errors.Is(err, ErrNotHeld) {
		t.Error(err)
	}
	got := make(chan error)
	go func() { got <- all[1].Lock(0) }()
	await(func() bool { return reserved(t, boss, all[0], 0) == 1 })
	select {
	case err := <-got:
		t.Fatalf("acquired while held: %v", err)
	default:
	}
	ok(all[0].Unlock(0))
	ok(<-got)
	ok(all[1].Unlock(0))
	for range 3 {
		ok(all[1].Lock(0))
		ok(all[1].Unlock(0))
		ok(all[0].Lock(0))
		ok(all[0].Unlock(0))
	}
}

// TestBrokenOffLock: a process whose wait ends early stays in the queue. It does not hold the lock
// until a later wait has completed.
func TestBrokenOffLock(t *testing.T) {
	all := job(t, 2, martini.Options{})
	for _, l := range all {
		if err := l.InitLock(3, 0); err != nil {
			t.Fatal(err)
		}
	}
	stop := errors.New("stop")
	patient := all[1].o.Alive
	all[1].o.Alive = func() error { return stop }
	if err := all[0].Lock(3); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := all[1].Lock(3); !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if err := all[1].Unlock(3); !errors.Is(err, ErrNotHeld) {
			t.Fatal(err)
		}
	}
	all[1].o.Alive = patient
	if err := all[0].Unlock(3); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(all[1].Lock(3), all[1].Unlock(3)); err != nil {
		t.Error(err)
	}
}

// TestClosedWithLocks: locks that are still held at the end are released, with an error.
func TestClosedWithLocks(t *testing.T) {
	boss, all := managed(t, 2, martini.Options{})
	other, err := Open(all[0].nic, Options{Alive: func() error { return errors.New("stop") }})
	if err != nil {
		t.Fatal(err)
	}
	for id := range 2 {
		if err := errors.Join(other.InitLock(id, 1), all[1].InitLock(id, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(other.Lock(0), all[1].Lock(1)); err != nil {
		t.Fatal(err)
	}
	if err := other.Lock(1); err == nil {
		t.Fatal("two have the lock")
	}
	got := make(chan error)
	go func() { got <- all[1].Lock(0) }()
	await(func() bool { return reserved(t, boss, other, 0) == 1 })
	if err := other.Close(); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
	if err := errors.Join(all[1].Unlock(0), all[1].Unlock(1)); err != nil {
		t.Error(err)
	}
	// The next library finds the lock that the last one has requested.
	if err := all[0].InitLock(1, 1); !errors.Is(err, martini.LockWanted) {
		t.Error(err)
	}
	if err := all[0].InitLock(0, 1); err != nil {
		t.Error(err)
	}
}

// TestLockNeedsItsRepresentative: a process that has not initialized a lock does not represent it.
func TestLockNeedsItsRepresentative(t *testing.T) {
	all := job(t, 2, martini.Options{})
	if err := all[0].InitLock(0, 1); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := all[0].Lock(0); !errors.Is(err, martini.NoLock) {
			t.Error(err)
		}
	}
	if err := all[1].InitLock(0, 1); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(all[0].Lock(0), all[0].Unlock(0)); err != nil {
		t.Error(err)
	}
}

func TestLocksAllocateNothing(t *testing.T) {
	all := job(t, 2, martini.Options{})
	for _, l := range all {
		if err := l.InitLock(0, 1); err != nil {
			t.Fatal(err)
		}
	}
	if used := testing.AllocsPerRun(100, func() {
		if all[0].Lock(0) != nil || all[0].Unlock(0) != nil {
			t.Fail()
		}
	}); used != 0 {
		t.Errorf("%v allocations", used)
	}
}
