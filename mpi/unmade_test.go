package mpi_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 7.4.2: a communicator that is being made must not be used before its
// request is complete. Every call says so.
func TestACommunicatorThatIsNotMadeYet(t *testing.T) {
	making := map[string]func(c *mpi.Comm) (*mpi.Comm, *mpi.Request){
		"a duplicate of world": (*mpi.Comm).Idup,
		"the rest of world":    (*mpi.Comm).Ishrink,
	}
	for name, begin := range making {
		mpitest.Run(t, 2, func(w *mpi.Comm) error {
			if w.Rank() == 1 { // rank 0 cannot be ready without it
				if _, err := mpi.Recv(w, one[:0], 0, 0); err != nil {
					return err
				}
			}
			d, r := begin(w)
			if w.Rank() == 0 {
				if err := errors.Join(unmade(name, d), mpi.Send(w, one[:0], 1, 0)); err != nil {
					return err
				}
			}
			return errors.Join(waited(r), equal("size", d.Size(), 2), mpi.Barrier(d), d.Free())
		}, mpitest.KeepGoing())
	}
}

// unmade makes every call on d, which is not made.
func unmade(name string, d *mpi.Comm) error {
	err := errors.Join(equal("name", d.Name(), name), equal("size", d.Size(), 0), equal("rank", d.Rank(), mpi.Undefined), equal("remote size", d.RemoteSize(), 0),
		is(mpi.Barrier(d), mpi.ErrComm, "mpi: Barrier on "+name+": the communicator is not made yet; complete the request that came with it, without an error"))
	for _, call := range slices.Sorted(maps.Keys(callsOn)) {
		if e := is(callsOn[call](d), mpi.ErrComm, ""); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", call, e))
		}
	}
	v := reflect.ValueOf(d)
	for i := range v.NumMethod() {
		out := callWithZeros(v.Method(i))
		var got error
		switch last := out[len(out)-1].(type) {
		case *mpi.Request:
			got = waited(last)
		case error:
			got = last
		default:
			if v.Method(i).Type().Out(len(out)-1) != reflect.TypeFor[error]() {
				continue // such as Rank
			}
		}
		if method := v.Type().Method(i).Name; method != "CallErrhandler" { // of no error
			if e := is(got, mpi.ErrComm, ""); e != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", method, e))
			}
		}
	}
	return err
}

// MPI 4.1, section 7.4.2: a communicator whose request fails is never made.
func TestACommunicatorThatCannotBeMade(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		k := mpi.NewKeyval(func(*mpi.Comm, int) (int, bool, error) { return 0, false, errors.New("no") }, nil)
		if w.Rank() == 1 {
			if err := k.Set(c, 1); err != nil {
				return err
			}
		}
		d, r := c.Idup()
		return errors.Join(is(waited(r), mpi.ErrOther, ""), is(mpi.Barrier(d), mpi.ErrComm, ""), is(d.Free(), mpi.ErrComm, ""), c.Free())
	})
}
