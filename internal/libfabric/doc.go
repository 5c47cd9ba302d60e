// Package libfabric binds as much of libfabric as one endpoint for reliable
// datagrams needs: messages, and reads and writes of registered memory of others. The
// library is loaded at run time, and only programs that are built with the tag ofi
// can: importing what loads libraries makes a binary dynamic.
//
// Names are those of libfabric without their prefix; fi_endpoint(3), fi_msg(3), fi_rma(3),
// fi_mr(3), fi_cq(3) and fi_av(3) describe them.
package libfabric

import (
	"errors"
	"strconv"
)

// ErrUnavailable reports that there is no libfabric in this program or on this host.
var ErrUnavailable = errors.New("libfabric cannot be used")

// ErrAgain reports that an operation cannot be started now, and may be after the
// next Poll.
var ErrAgain = errors.New("libfabric: try again")

// Config says what an endpoint is made of.
type Config struct {
	Providers []string // as libfabric names them, such as tcp;ofi_rxm; the first that there is
	Source    string   // own address; empty: the provider's choice
	Contexts  int      // operations under way at a time, which have numbers below that
	Peers     int      // addresses that will be inserted
}

// An Errno is a refusal of libfabric or of the system.
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
	Len     int  // of a message that was received
	From    Addr // who sent it, NoAddr if it is not known
	Err     error
}

// An Addr is a peer's number in the address vector of an endpoint.
type Addr uint64

// NoAddr is nobody's.
const NoAddr = ^Addr(0)
