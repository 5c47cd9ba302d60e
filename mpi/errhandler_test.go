package mpi_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A tally counts the errors that a handler is called with.
type tally struct{ seen []*mpi.Error }

func (k *tally) comm(_ *mpi.Comm, err *mpi.Error)       { k.seen = append(k.seen, err) }
func (k *tally) win(_ mpi.AnyWin, err *mpi.Error)       { k.seen = append(k.seen, err) }
func (k *tally) session(_ *mpi.Session, err *mpi.Error) { k.seen = append(k.seen, err) }

// once is an error unless call fails, and the handler has been called once, with its error.
func (k *tally) once(name string, call func() error) error {
	k.seen = nil
	err := call()
	var e *mpi.Error
	switch {
	case err == nil:
		return fmt.Errorf("%s is no error", name)
	case len(k.seen) != 1:
		return fmt.Errorf("%s: the handler was called %d times, for %v", name, len(k.seen), err)
	case !errors.As(err, &e) || e != k.seen[0]:
		return fmt.Errorf("%s: the handler was called with %v, returned is %v", name, k.seen[0], err)
	}
	return nil
}

// methods calls every method of v that returns an error or a request, with zero arguments.
func (k *tally) methods(v any, never ...string) (failed error) {
	r := reflect.ValueOf(v)
	for i := range r.NumMethod() {
		name, m := r.Type().Method(i).Name, r.Method(i)
		n := m.Type().NumOut()
		if n == 0 || slices.Contains(never, name) {
			continue
		}
		last := m.Type().Out(n - 1)
		if last != reflect.TypeFor[error]() && last != reflect.TypeFor[*mpi.Request]() {
			continue
		}
		failed = errors.Join(failed, k.once(name, func() error { return lastOf(m) }))
	}
	return failed
}

// lastOf calls m with zero arguments and returns its error, or the error of its
// request.
func lastOf(m reflect.Value) error {
	var args []reflect.Value
	for i := range m.Type().NumIn() {
		if !m.Type().IsVariadic() || i < m.Type().NumIn()-1 {
			args = append(args, reflect.Zero(m.Type().In(i)))
		}
	}
	out := m.Call(args)
	switch v := out[len(out)-1].Interface().(type) {
	case *mpi.Request:
		_, err := v.Wait()
		return err
	case error:
		return v
	}
	return nil
}

// MPI 4.1, section 9.3: the error handler of the communicator, window or session of a
// call is called when the call has failed, once, whatever the call.
func TestEveryMethodCallsTheHandler(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		var k tally
		c, err1 := w.Dup()
		v, err2 := mpi.WinAllocate[int](w, 1)
		s, err3 := w.Session()
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		if err := errors.Join(c.SetErrhandler(k.comm), v.SetErrhandler(k.win), s.SetErrhandler(k.session),
			c.Free(), v.Free(), s.Finalize()); err != nil {
			return err
		}
		return errors.Join(k.methods(c), k.methods(v), k.methods(s))
	})
}

// MPI 4.1, section 9.3: see TestEveryMethodCallsTheHandler. An error of a nonblocking
// call is returned at its completion.
func TestEveryFunctionCallsTheHandler(t *testing.T) {
	never := []string{"Abort"}
	for _, name := range functionsOfComm(t) {
		if callsOn[name] == nil && !slices.Contains(never, name) {
			t.Errorf("mpi.%s has a communicator and returns errors; add a call of it to this test", name)
		}
	}
	// Calls that succeed on a usable communicator.
	fine := []string{"Barrier", "BarrierInit", "BufferAttach", "BufferDetach", "BufferFlush", "BufferIflush", "Ibarrier", "NewRequest", "Self"}
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		var k tally
		open, err1 := w.Dup()
		freed, err2 := w.Dup()
		if err := errors.Join(err1, err2, open.SetErrhandler(k.comm), freed.SetErrhandler(k.comm), freed.Free()); err != nil {
			return err
		}
		var failed error
		for name, call := range callsOn {
			failed = errors.Join(failed, k.once(name+" on a freed communicator", func() error { return call(freed) }))
			if !slices.Contains(fine, name) {
				failed = errors.Join(failed, k.once(name, func() error { return call(open) }))
			}
			k.seen = nil
			if err := call(nil); err == nil || len(k.seen) > 0 {
				failed = errors.Join(failed, fmt.Errorf("%s on nil: error %v, handler called %d times", name, err, len(k.seen)))
			}
		}
		return failed
	})
}

// functionsOfComm are the exported functions whose first argument is a communicator
// and that return an error or a request.
func functionsOfComm(t *testing.T) (names []string) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.IsExported() && hasComm(d.Type) && fails(d.Type) {
				names = append(names, d.Name.Name)
			}
		}
	}
	return names
}

func hasComm(f *ast.FuncType) bool {
	if len(f.Params.List) == 0 {
		return false
	}
	star, ok := f.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := star.X.(*ast.Ident)
	return ok && name.Name == "Comm"
}

func fails(f *ast.FuncType) bool {
	if f.Results == nil {
		return false
	}
	switch last := f.Results.List[len(f.Results.List)-1].Type.(type) {
	case *ast.Ident:
		return last.Name == "error"
	case *ast.StarExpr:
		name, ok := last.X.(*ast.Ident)
		return ok && name.Name == "Request"
	}
	return false
}

// MPI 4.1, section 9.3: a communicator inherits the handler of the one that it is made
// from.
func TestHandlersAreInherited(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		var k tally
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if h, err := c.Errhandler(); h != nil || err != nil {
			return fmt.Errorf("a handler that nobody has set, error %v", err)
		}
		if err := c.SetErrhandler(k.comm); err != nil {
			return err
		}
		half, err1 := c.Split(c.Rank(), 0)
		cart, err2 := c.CartCreate([]int{2}, []bool{true})
		inter, err3 := half.IntercommCreate(0, c, 1-c.Rank(), 0)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		merged, err := inter.Merge(c.Rank() == 1)
		if err != nil {
			return err
		}
		// Communicators made from an inter-communicator later have the handler that it
		// has then.
		if err := inter.SetErrhandler(nil); err != nil {
			return err
		}
		plain, err := inter.Merge(c.Rank() == 1)
		if err != nil {
			return err
		}
		for _, d := range []*mpi.Comm{half, cart, merged} {
			if err := k.once(d.Name(), func() error { return mpi.Send(d, one, 9, 0) }); err != nil {
				return err
			}
		}
		k.seen = nil
		for _, d := range []*mpi.Comm{w, inter, plain} {
			if err := mpi.Send(d, one, 9, 0); err == nil || len(k.seen) > 0 {
				return fmt.Errorf("on %s the handler was called", d.Name())
			}
		}
		return nil
	})
}

// A handler may make calls, also on the object of the failed call: the call holds no
// lock.
func TestHandlersMayMakeCalls(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		c, err1 := w.Dup()
		v, err2 := mpi.WinAllocate[int](w, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		var inside error
		err := errors.Join(
			c.SetErrhandler(func(c *mpi.Comm, err *mpi.Error) { inside = errors.Join(inside, mpi.Barrier(c)) }),
			v.SetErrhandler(func(on mpi.AnyWin, err *mpi.Error) {
				w, err1 := mpi.WinAs[int](on)
				inside = errors.Join(inside, err1, w.Fence(), w.Fence(mpi.NoSucceed))
			}))
		if err != nil {
			return err
		}
		return errors.Join(inside,
			is(mpi.Bcast(c, one, 3), mpi.ErrRoot, ""), is(mpi.Scan(c, one, nil, mpi.Sum), mpi.ErrCount, ""),
			is(v.Complete(), mpi.ErrRMASync, ""), is(v.UnlockAll(), mpi.ErrRMASync, ""), is(v.Put(one, 0, 0), mpi.ErrRMASync, ""))
	})
}

// MPI 4.1, section 3.7.5 and 9.3: for several requests, the handler is called for each
// that failed.
func TestEachFailedRequestCallsTheHandler(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		var k tally
		if err := w.SetErrhandler(k.comm); err != nil {
			return err
		}
		reqs := []*mpi.Request{mpi.Isend(w, one, 7, 0), mpi.Isend(w, one, 0, 0), mpi.Irecv(w, two, 0, 0), mpi.Irecv(w, two, 8, 0)}
		if len(k.seen) > 0 {
			return errors.New("the handler was called before the requests were completed")
		}
		if err := is(mpi.WaitAll(reqs...), mpi.ErrRank, ""); err != nil {
			return err
		}
		if err := equal("calls", len(k.seen), 2); err != nil {
			return err
		}
		defer func() { _ = w.SetErrhandler(nil) }()
		late := mpi.Irecv(w, one[:0], 0, 1)
		if err := mpi.Send(w, one, 0, 1); err != nil {
			return err
		}
		if err := k.once("a receive that is too short", func() error { return waited(late) }); err != nil {
			return err
		}
		k.seen = nil
		both := mpi.Isendrecv(w, []int{1, 2}, 0, 2, one, 0, 2)
		if <-both.Done(); len(k.seen) > 0 {
			return errors.New("the handler was called for a part of a call")
		}
		return k.once("an exchange", func() error { return waited(both) })
	})
}

// MPI 4.1, section 9.3: MPI_ERRORS_ARE_FATAL ends the job.
func TestErrorsAbort(t *testing.T) {
	for name, set := range map[string]func(w *mpi.Comm) (wrong func() error, err error){
		"communicator": func(w *mpi.Comm) (func() error, error) {
			return func() error { return mpi.Send(w, one, 9, 0) }, w.SetErrhandler(mpi.ErrorsAbort)
		},
		"window": func(w *mpi.Comm) (func() error, error) {
			v, err := mpi.WinAllocate[int](w, 1)
			if err != nil {
				return nil, err
			}
			return func() error { return v.Put(one, 0, 0) }, v.SetErrhandler(mpi.ErrorsAbort)
		},
		"session": func(w *mpi.Comm) (func() error, error) {
			s, err := w.Session()
			if err != nil {
				return nil, err
			}
			return func() error { return second(s.PsetInfo("x")) }, s.SetErrhandler(mpi.ErrorsAbort)
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := mpitest.World(1, func(w *mpi.Comm) error {
				wrong, err := set(w)
				if err != nil {
					return err
				}
				_ = wrong()
				return errors.New("the job goes on")
			})
			if err == nil || strings.Contains(err.Error(), "goes on") || !strings.Contains(err.Error(), "status 1") {
				t.Error(err)
			}
		})
	}
}

// MPI 4.1, section 9.5: classes and codes of the program, and MPI_Comm_call_errhandler
// and similar calls, which call the handler with them.
func TestErrorsOfTheProgram(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		class := mpi.NewErrorClass("cold store")
		code := mpi.NewErrorCode(class, "freezer 3 is warm")
		arg := mpi.NewErrorCode(mpi.ErrArg, "no such freezer")
		var k tally
		v, err1 := mpi.WinAllocate[int](w, 1)
		s, err2 := w.Session()
		if err := errors.Join(err1, err2, w.SetErrhandler(k.comm), v.SetErrhandler(k.win), s.SetErrhandler(k.session)); err != nil {
			return err
		}
		if h, err := v.Errhandler(); h == nil || err != nil {
			return fmt.Errorf("the window has no handler: %v", err)
		}
		if h, err := s.Errhandler(); h == nil || err != nil {
			return fmt.Errorf("the session has no handler: %v", err)
		}
		var failed error
		for _, call := range []func(error) error{w.CallErrhandler, v.CallErrhandler, s.CallErrhandler} {
			failed = errors.Join(failed,
				k.once("code", func() error { return call(code) }), is(k.seen[0], mpi.ErrOther, ""),
				k.once("class", func() error { return call(mpi.ErrArg) }), is(k.seen[0], mpi.ErrArg, ""),
				k.once("code of a predefined class", func() error { return call(arg) }), is(k.seen[0], mpi.ErrArg, ""))
			k.seen = nil
			if err := call(nil); err != nil || len(k.seen) > 0 {
				failed = errors.Join(failed, fmt.Errorf("no error: %v, %d calls", err, len(k.seen)))
			}
		}
		err := w.CallErrhandler(code)
		if !errors.Is(err, code) || !errors.Is(err, class) || errors.Is(err, arg) {
			return fmt.Errorf("%v is not of its class", err)
		}
		failed = errors.Join(failed, equal("text", err.Error(), "mpi: CallErrhandler on world: freezer 3 is warm"))
		code.SetString("")
		class.SetString("warm store")
		return errors.Join(failed, equal("no text", code.Error(), ""), equal("class", class.Error(), "warm store"), s.Finalize(), v.Free())
	})
}

// MPI 4.1, section 9.3.4: errors in making a communicator of a session's group are
// errors of the session.
func TestGroupsRaiseOnTheirSession(t *testing.T) {
	if err := mpitest.Sessions(1, func(s *mpi.Session) error {
		var k tally
		g, err := s.Group(mpi.PsetWorld)
		if err := errors.Join(err, s.SetErrhandler(k.session)); err != nil {
			return err
		}
		hints := mpi.Info{mpi.HintAlgorithms: "none"}
		return errors.Join(k.once("CommFromGroup", func() error { return second(mpi.CommFromGroup(g, "a", hints)) }),
			k.once("IntercommFromGroups", func() error { return second(mpi.IntercommFromGroups(g, 0, g, 0, "b", hints)) }),
			s.SetErrhandler(nil))
	}); err != nil {
		t.Error(err)
	}
}
