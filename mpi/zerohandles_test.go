package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 9.4: a call on a Comm that no call has made is an error, whatever the
// call, and says what to do.
func TestCallsOnAZeroComm(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(callsOn)) {
		t.Run(name, func(t *testing.T) {
			if err := is(callsOn[name](new(mpi.Comm)), mpi.ErrComm, ""); err != nil {
				t.Error(err)
			}
		})
	}
	const text = "the communicator is a zero Comm, which no call has made; use one that a call has returned, such as Dup or Split"
	for want, call := range map[string]func(c *mpi.Comm) error{
		"mpi: Send to 0 tag 1: " + text:   func(c *mpi.Comm) error { return mpi.Send(c, one, 0, 1) },
		"mpi: Recv from 0 tag 1: " + text: func(c *mpi.Comm) error { return second(mpi.Recv(c, one, 0, 1)) },
		"mpi: Irecv from 0 tag 1: " + text: func(c *mpi.Comm) error {
			r := mpi.Irecv(c, one, 0, 1)
			if err := is(r.Cancel(), mpi.ErrRequest, ""); err == nil {
				return errors.New("a failed receive cannot be cancelled")
			}
			_, _, err := r.Status()
			return errors.Join(is(err, mpi.ErrComm, ""), mpi.WaitAll(r))
		},
		"mpi: Barrier: " + text: mpi.Barrier,
		"mpi: Free: " + text:    (*mpi.Comm).Free,
	} {
		if err := is(call(new(mpi.Comm)), mpi.ErrComm, want); err != nil {
			t.Error(err)
		}
	}
	if v := new(mpi.Comm).WithContext(context.Background()); v != nil {
		t.Errorf("a view of no communicator: %v", v)
	}
}

// MPI 4.1, section 9.4: handles that no call has made, passed to calls on a communicator.
func TestZeroHandlesAsArguments(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		g, err := w.Group()
		if err != nil {
			return err
		}
		key, wkey := mpi.NewKeyval[int](nil, nil), mpi.NewWinKeyval[int](nil)
		const noMessage = "the message is a zero Message; match one with Mprobe or Improbe"
		for i, row := range []struct {
			err   error
			class mpi.Class
			text  string
		}{
			{second(w.Compare(new(mpi.Comm))), mpi.ErrComm, ""},
			{second(w.IntercommCreate(0, new(mpi.Comm), 0, 0)), mpi.ErrComm, ""},
			{second(mpi.Mrecv(new(mpi.Message), one)), mpi.ErrRequest, "mpi: Mrecv: " + noMessage},
			{waited(mpi.Imrecv(new(mpi.Message), one)), mpi.ErrRequest, "mpi: Imrecv: " + noMessage},
			{second(mpi.WinAs[int](nil)), mpi.ErrWin, ""},
			{second(mpi.WinAs[int](new(mpi.Win[int]))), mpi.ErrWin, "mpi: WinAs: the window is nil or a zero Win; use one that a call has made without an error"},
			{new(mpi.Session).Finalize(), mpi.ErrSession, "mpi: Finalize: the session is a zero Session, which no call has opened; SessionInit opens one"},
			{key.Set(new(mpi.Comm), 1), mpi.ErrComm, ""},
			{key.Delete(new(mpi.Comm)), mpi.ErrComm, ""},
			{wkey.Set(nil, 1), mpi.ErrWin, ""},
			{wkey.Set(new(mpi.Win[int]), 1), mpi.ErrWin, ""},
			{wkey.Delete(nil), mpi.ErrWin, ""},
			{mpi.StartAll(new(mpi.Request)), mpi.ErrRequest, ""},
			{mpi.Send(w, make([]mpi.Item, 1), 0, 0), mpi.ErrLayout, ""},
			{mpi.Send(w, mpi.View(one, mpi.LayoutContents{Combiner: mpi.CombinerDup}.Layout().Of(mpi.Contiguous(1))), 0, 0), mpi.ErrLayout, ""},
		} {
			if err := is(row.err, row.class, row.text); err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
		}
		if _, _, err := wkey.Value(nil); is(err, mpi.ErrWin, "") != nil {
			return fmt.Errorf("a value of no window: %v", err)
		}
		var noKey *mpi.Keyval[int]
		noKey.Free()
		empty, err := w.Create(new(mpi.Group))
		if c, err := mpi.CommFromGroup(new(mpi.Group), "a"); c != nil || err != nil {
			return fmt.Errorf("of no processes: %v, error %w", c, err)
		}
		u := new(mpi.Group).Union(g)
		c, err2 := mpi.CommFromGroup(u, "c")
		if err := errors.Join(err, err2, equal("rank in a union", u.Rank(), 0), mpi.WaitAll(new(mpi.Request), nil)); err != nil || empty != nil {
			return errors.Join(err, equal("no communicator", empty, nil))
		}
		var noClass *mpi.UserClass
		var noCode *mpi.ErrorCode
		return errors.Join(equal("texts", noClass.Error()+noCode.Error(), ""), c.Free())
	})
}
