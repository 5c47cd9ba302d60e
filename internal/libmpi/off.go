//go:build !peers || !linux || !(amd64 || arm64)

package libmpi

import "fmt"

// Built reports whether the program can load such libraries.
const Built = false

// A Library does not exist in this build.
type Library struct{}

// Open returns an error that says how a program gets a library.
func Open(string) (*Library, error) {
	return nil, fmt.Errorf("%w: the program was built without; build it with -tags peers (Linux, amd64 or arm64), or unset %s", ErrUnavailable, Variable)
}

func (*Library) Name() string                            { return "" }
func (*Library) Rank() int                               { return 0 }
func (*Library) Size() int                               { return 0 }
func (*Library) MaxTag() int                             { return 0 }
func (*Library) World() Comm                             { return 0 }
func (*Library) CallCost() float64                       { return 0 }
func (*Library) Group([]int32, int) (Comm, error)        { return 0, ErrUnavailable }
func (*Library) Free(Comm) error                         { return ErrUnavailable }
func (*Library) Send(Comm, []byte, int, int, bool) error { return ErrUnavailable }
func (*Library) Recv(Comm, []byte, int, int) (Transfer, error) {
	return Transfer{}, ErrUnavailable
}
func (*Library) Isend(Comm, []byte, int, int, bool) (Transfer, error) {
	return Transfer{}, ErrUnavailable
}
func (*Library) Irecv(Comm, []byte, int, int) (Transfer, error) { return Transfer{}, ErrUnavailable }
func (*Library) Wait([]Transfer) error                          { return ErrUnavailable }
func (*Library) Any([]Transfer, bool) (int, error)              { return 0, ErrUnavailable }
func (*Library) Failed(string, *Transfer) error                 { return ErrUnavailable }
func (*Library) Probe(Comm, int, int, bool) (Transfer, bool, error) {
	return Transfer{}, false, ErrUnavailable
}
func (*Library) Collective(*Collective) error { return ErrUnavailable }
func (*Library) Abort(int)                    {}
func (*Library) Close() error                 { return ErrUnavailable }
