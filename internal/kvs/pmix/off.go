//go:build !pmix || !linux || !(amd64 || arm64)

package pmix

import (
	"fmt"

	"rhinet/internal/kvs"
)

// Built reports whether the program was built with PMIx.
const Built = false

// A Client does not exist in this build.
type Client struct{ kvs.Store }

// Open returns an error that says how a program gets PMIx.
func Open() (*Client, error) {
	return nil, fmt.Errorf("%w: the program was built without it; build it with -tags pmix", ErrUnavailable)
}

// Rank, like all methods of a Client, is never called in this build.
func (*Client) Rank() int                  { return 0 }
func (*Client) Size() int                  { return 0 }
func (*Client) AppNum() (int, bool, error) { return 0, false, ErrUnavailable }
func (*Client) Hosts() ([]int, error)      { return nil, ErrUnavailable }
func (*Client) Gone(func())                {}
func (*Client) Abort(int)                  {}
