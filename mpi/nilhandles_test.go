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
// could not be made. They may also be zero values, which no call has made, and so may the
// handles that are passed to a method. No method panics then. One that has an error to return says of
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
		h.nil = reflect.New(reflect.TypeOf(h.nil).Elem()).Interface()
		handles = append(handles, h)
	}
	for _, h := range handles {
		v := reflect.ValueOf(h.nil)
		for i := range v.NumMethod() {
			method := v.Type().Method(i).Name
			t.Run(fmt.Sprintf("%v.%s of nil %v", v.Type(), method, v.IsNil()), func(t *testing.T) {
				out, passed := callWithZeros(v.Method(i)), callWithHandles(v.Method(i))
				err, other := errorOf(out), errorOf(passed)
				if (err == nil) != (other == nil) {
					t.Errorf("with nil handles error %v, with zero handles %v", err, other)
				}
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

// errorOf returns the error among the results of a call, or that of its request.
func errorOf(out []any) error {
	last := out[len(out)-1]
	if r, is := last.(*mpi.Request); is {
		_, last = r.Wait()
	}
	err, _ := last.(error)
	return err
}

// callWithZeros calls a method with the zero values of its parameters.
func callWithZeros(m reflect.Value) []any { return callWith(m, reflect.Zero) }

// callWithHandles is callWithZeros with zero handles in place of nil.
func callWithHandles(m reflect.Value) []any {
	return callWith(m, func(t reflect.Type) reflect.Value {
		if t.Kind() == reflect.Pointer {
			return reflect.New(t.Elem())
		}
		return reflect.Zero(t)
	})
}

func callWith(m reflect.Value, arg func(reflect.Type) reflect.Value) (out []any) {
	args := make([]reflect.Value, m.Type().NumIn())
	for i := range args {
		args[i] = arg(m.Type().In(i))
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
