package mpi_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"rhinet/mpi"
)

// TestMethodsOfNilHandles: handles may be nil: MPI_COMM_NULL, as Split with Undefined
// gives, the empty group, a request that is inactive, and windows and sessions that
// could not be made. No method panics then. One that has an error to return says of
// which class the handle is, and so does the Wait of a request that it returns
// (MPI 4.1, section 9.4). The others return what stands for nothing.
func TestMethodsOfNilHandles(t *testing.T) {
	handles := []struct {
		nil   any
		class error // of errors; nil: methods are defined for nil
		gives map[string]string
	}{
		{(*mpi.Comm)(nil), mpi.ErrComm, map[string]string{
			"Rank": fmt.Sprint(mpi.Undefined), "Size": "0", "RemoteSize": "0", "Name": "", "IsInter": "false", "IsRevoked": "false",
			"Library": " 0", "WithContext": "nil",
		}},
		{(*mpi.Win[int])(nil), mpi.ErrWin, map[string]string{"Name": "", "Len": fmt.Sprint(mpi.Undefined), "Local": "nil", "Flavor": "Created", "IsRevoked": "false"}},
		{(*mpi.Session)(nil), mpi.ErrSession, nil},
		{(*mpi.Group)(nil), nil, map[string]string{
			"Rank": fmt.Sprint(mpi.Undefined), "Size": "0", "Compare": "Ident", "Union": "nil", "Intersection": "nil", "Difference": "nil",
		}},
		{(*mpi.Request)(nil), nil, map[string]string{"Done": "closed"}},
	}
	for _, h := range handles {
		v := reflect.ValueOf(h.nil)
		for i := range v.NumMethod() {
			method := v.Type().Method(i).Name
			t.Run(v.Type().String()+"."+method, func(t *testing.T) {
				out := callWithZeros(v.Method(i))
				last := out[len(out)-1]
				if r, is := last.(*mpi.Request); is {
					_, last = r.Wait()
				}
				err, _ := last.(error)
				if got := v.Method(i).Type(); got.Out(got.NumOut()-1) == reflect.TypeFor[error]() || err != nil {
					if h.class != nil && !errors.Is(err, h.class) {
						t.Errorf("error %v, want one of class %v", err, h.class)
					}
					return
				}
				if got, want := shown(out), h.gives[method]; got != want {
					t.Errorf("returns %q, want %q", got, want)
				}
			})
		}
	}
}

// callWithZeros calls a method with the zero values of its parameters.
func callWithZeros(m reflect.Value) (out []any) {
	args := make([]reflect.Value, m.Type().NumIn())
	for i := range args {
		args[i] = reflect.Zero(m.Type().In(i))
	}
	if m.Type().IsVariadic() {
		args = args[:len(args)-1]
	}
	for _, v := range m.Call(args) {
		out = append(out, v.Interface())
	}
	return out
}

// shown prints results, and says which are nil, and of a channel whether it is closed.
func shown(results []any) (text string) {
	for i, r := range results {
		if i > 0 {
			text += " "
		}
		switch v := reflect.ValueOf(r); {
		case v.Kind() == reflect.Chan:
			if _, ok := v.TryRecv(); !ok {
				text += "closed"
			}
		case (v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice) && v.IsNil():
			text += "nil"
		default:
			text += fmt.Sprint(r)
		}
	}
	return text
}
