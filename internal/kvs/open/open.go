// Package open opens the key-value store of a given name.
package open

import (
	"fmt"
	"strings"

	"rhinet/internal/kvs"
	"rhinet/internal/kvs/memcached"
	"rhinet/internal/kvs/own"
)

// Store connects one rank of a job with size ranks to the store of the given name, such as
// rhinet://HOST:PORT or memcached://HOST:PORT. key is the job's key.
func Store(name string, key []byte, rank, size int) (kvs.Store, error) {
	if address, ok := strings.CutPrefix(name, own.Scheme); ok {
		return opened(own.Open(address, key, rank))
	}
	if address, ok := strings.CutPrefix(name, memcached.Scheme); ok {
		return opened(memcached.Open(address, key, size))
	}
	return nil, unknown(name)
}

// Check returns what is wrong with the name of a store that a user may choose.
func Check(name string) error {
	if address, ok := strings.CutPrefix(name, memcached.Scheme); ok {
		return memcached.CheckAddress(address)
	}
	return unknown(name)
}

func unknown(name string) error {
	return fmt.Errorf("kvs: %q names no store; write %sHOST:PORT", name, memcached.Scheme)
}

// opened converts a store to the interface, nil if there is an error.
func opened[S kvs.Store](s S, err error) (kvs.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
