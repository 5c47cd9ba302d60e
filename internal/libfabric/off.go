//go:build !ofi || !linux || !(amd64 || arm64)

package libfabric

import "fmt"

// An Endpoint does not exist in this build.
type Endpoint struct{}

// Open returns an error that says how a program gets libfabric.
func Open(Config) (*Endpoint, error) {
	return nil, fmt.Errorf("%w: the program was built without it; build it with -tags ofi, as mpirun does with Go packages", ErrUnavailable)
}

func (*Endpoint) Name() []byte                                  { return nil }
func (*Endpoint) MaxMessage() int                               { return 0 }
func (*Endpoint) Insert([]byte) (Addr, error)                   { return NoAddr, ErrUnavailable }
func (*Endpoint) Memory(int) ([]byte, error)                    { return nil, ErrUnavailable }
func (*Endpoint) Recv([]byte, int) error                        { return ErrUnavailable }
func (*Endpoint) Send(Addr, []byte, int) error                  { return ErrUnavailable }
func (*Endpoint) Read(Addr, uint64, uint64, []byte, int) error  { return ErrUnavailable }
func (*Endpoint) Write(Addr, uint64, uint64, []byte, int) error { return ErrUnavailable }
func (*Endpoint) Register([]byte, uint64) (Region, error)       { return Region{}, ErrUnavailable }
func (*Endpoint) Unregister(Region) error                       { return ErrUnavailable }
func (*Endpoint) Poll([]Completion) (int, error)                { return 0, ErrUnavailable }
func (*Endpoint) Await() bool                                   { return false }
func (*Endpoint) Release()                                      {}
func (*Endpoint) TryWait() bool                                 { return false }
func (*Endpoint) Close() error                                  { return nil }

// A Region is registered memory.
type Region struct{}
