// Package libfabric binds the part of libfabric that one endpoint for reliable datagrams needs: messages,
// and reads and writes of registered memory of peers. The library is loaded at run time, and only in
// programs built with the tag ofi, because importing a package that loads libraries makes a binary dynamic.
//
// Names are those of libfabric without their prefix; see fi_endpoint(3), fi_msg(3), fi_rma(3), fi_mr(3),
// fi_cq(3) and fi_av(3).
package libfabric

import (
	"errors"
	"strconv"
)

// ErrUnavailable reports that there is no libfabric in this program or on this host.
var ErrUnavailable = errors.New("libfabric cannot be used")

// ErrAgain reports that an operation cannot be started now, but perhaps after the next Poll.
var ErrAgain = errors.New("libfabric: try again")

// Config says what an endpoint is made of.
type Config struct {
	Providers []string // names of libfabric, such as tcp;ofi_rxm; the first available one is used
	Source    string   // own address; empty: the provider's choice
	Contexts  int      // operations in flight at a time; their numbers are below that
	Peers     int      // number of addresses that will be inserted
}

// An Errno is an error of libfabric or of the system.
type Errno struct {
	Call string
	Code int // positive
	Text string
}

func (e *Errno) Error() string {
	return "libfabric: " + e.Call + ": " + e.Text + " (" + strconv.Itoa(e.Code) + ")"
}

// A Completion reports the end of an operation.
type Completion struct {
	Context int
	Len     int  // length of a received message
	From    Addr // the sender, NoAddr if unknown
	Err     error
}

// An Addr is a peer's number in the address vector of an endpoint.
type Addr uint64

// NoAddr is no peer's number.
const NoAddr = ^Addr(0)
