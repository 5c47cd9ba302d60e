// Package kvs is the management data store of a job (llc, section 2): a key-value store in which the ranks
// exchange addresses and similar data before they can communicate. It is external: the packages below this
// one are thin adapters to stores that other programs serve.
//
//	own        the store that mpirun serves
//	launcher   stores of other launchers: PMI-1 and PMI-2
//	pmix       stores of launchers with PMIx, through their library
//	memcached  a memcached server that a user has started
//
// Package kvstest has the test suite that each adapter passes.
package kvs

import (
	"errors"
	"fmt"
	"time"
)

// A Store is the store of one job as used by one of its ranks. It belongs to one goroutine.
//
// An error that wraps [ErrLost] names the store, which is unusable from then on.
type Store interface {
	// Put stores a value for a key, once in the life of the job. Other ranks can rely on it after the next
	// Fence. [Check] says which keys and values are valid.
	Put(key string, value []byte) error
	// Fence returns when all ranks have called it as often as this one. It waits for other ranks without
	// limit, and for the store no longer than [Patience].
	Fence() error
	// Get returns what a rank has put before the latest Fence, or an error that wraps [ErrAbsent].
	Get(key string) ([]byte, error)
	// Close ends the use of the store. After its last Get, a rank must call Fence before Close if others
	// still need what it has put.
	Close() error
}

// A Lister is a Store that can answer for many keys at once.
type Lister interface {
	// List is Get of each of the keys.
	List(keys []string) ([][]byte, error)
}

// A Watcher is a Store whose user knows of ranks that will never call Fence.
type Watcher interface {
	// Watch has a Fence that waits ask missing from time to time. When missing returns an error, and the
	// ranks are not complete soon, that error is the result of Fence, and the store is unusable.
	Watch(missing func() error)
}

// List is Get of each of the keys, in one request if the store supports that: ranks of a large job need the
// values of all others.
func List(s Store, keys []string) ([][]byte, error) {
	if l, ok := s.(Lister); ok {
		return l.List(keys)
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		var err error
		if values[i], err = s.Get(key); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Limits of keys and values: PMI allows 64 bytes for a key and 1024 for a value, as text.
const (
	MaxKey   = 48
	MaxValue = 512
)

// Patience is how long a store may be silent before it counts as lost.
const Patience = 4 * time.Second

// ErrLost reports a store that cannot be reached any more.
var ErrLost = errors.New("the key-value store of the job is lost")

// ErrAbsent reports a key that no rank has put.
var ErrAbsent = errors.New("nobody has put this key")

// Lost returns the error for the loss of the store of the given name.
func Lost(name string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrLost, name, err)
}

// Check returns what is wrong with a key or a value. Keys are 1 to MaxKey letters, digits, dots, dashes and
// underscores, values any 0 to MaxValue bytes.
func Check(key string, value []byte) error {
	if len(key) < 1 || len(key) > MaxKey {
		return fmt.Errorf("kvs: a key of %d bytes; it has 1 to %d", len(key), MaxKey)
	}
	for _, c := range key {
		if !plain(c) {
			return fmt.Errorf("kvs: key %q; it is made of letters, digits, dots, dashes and underscores", key)
		}
	}
	if len(value) > MaxValue {
		return fmt.Errorf("kvs: a value of %d bytes for %s; it has at most %d", len(value), key, MaxValue)
	}
	return nil
}

func plain(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '.' || c == '-' || c == '_'
}
