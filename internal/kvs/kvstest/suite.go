// Package kvstest is the conformance suite of key-value stores. The part of one rank is one function, so
// that ranks can be goroutines or processes that a real launcher has started.
package kvstest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/internal/kvs"
)

// rounds is how many exchanges the suite makes.
const rounds = 3

// Exercise is the part of one rank of a job. It leaves the store open.
func Exercise(s kvs.Store, rank, size int) error {
	if err := refusals(s); err != nil {
		return err
	}
	for round := range rounds {
		for i, v := range values(rank, round) {
			if err := s.Put(key(rank, round, i), v); err != nil {
				return err
			}
		}
		if err := s.Fence(); err != nil {
			return err
		}
		for peer := range size {
			for old := range round + 1 {
				if err := compare(s, peer, old); err != nil {
					return fmt.Errorf("after fence %d: %w", round, err)
				}
			}
		}
	}
	if _, err := s.Get("nobody.puts.this"); !errors.Is(err, kvs.ErrAbsent) {
		return fmt.Errorf("a key that nobody has put: %v", err)
	}
	if err := lists(s, size); err != nil {
		return err
	}
	return s.Fence()
}

// lists gets many values at once.
func lists(s kvs.Store, size int) error {
	var keys []string
	var want [][]byte
	for peer := range size {
		for i, v := range values(peer, 0) {
			keys, want = append(keys, key(peer, 0, i)), append(want, v)
		}
	}
	got, err := kvs.List(s, keys)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(got, want, bytes.Equal) {
		return fmt.Errorf("a list of %d values has other ones, or %d", len(want), len(got))
	}
	if _, err := kvs.List(s, []string{keys[0], "nobody.puts.this"}); !errors.Is(err, kvs.ErrAbsent) {
		return fmt.Errorf("a list with a key that nobody has put: %v", err)
	}
	return nil
}

// key returns the name of value i of a rank in a round; some names have the maximal length.
func key(rank, round, i int) string {
	k := fmt.Sprintf("k.%d-%d_%d", rank, round, i)
	if i == 1 {
		k += strings.Repeat("Z", kvs.MaxKey-len(k))
	}
	return k
}

// values returns the values that a rank puts in a round: they cover all bytes and all relevant lengths.
func values(rank, round int) [][]byte {
	rng := rand.New(rand.NewPCG(uint64(rank), uint64(round)))
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	vs := [][]byte{nil, all}
	for _, n := range []int{1, 2, 3, kvs.MaxValue} {
		v := make([]byte, n)
		for i := range v {
			v[i] = byte(rng.Uint32())
		}
		vs = append(vs, v)
	}
	return vs
}

func compare(s kvs.Store, peer, round int) error {
	for i, want := range values(peer, round) {
		got, err := s.Get(key(peer, round, i))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("value %d of rank %d: %d bytes %.20x, want %d bytes %.20x", i, peer, len(got), got, len(want), want)
		}
	}
	return nil
}

// refusals tries keys and values that no store accepts.
func refusals(s kvs.Store) error {
	for _, k := range []string{"", "a b", "a=b", "a;b", "a\nb", "é", strings.Repeat("k", kvs.MaxKey+1)} {
		if err := s.Put(k, nil); err == nil || !strings.HasPrefix(err.Error(), "kvs: ") || errors.Is(err, kvs.ErrLost) {
			return fmt.Errorf("put of key %q: %v", k, err)
		}
	}
	if err := s.Put("long", make([]byte, kvs.MaxValue+1)); err == nil || !strings.Contains(err.Error(), "513 bytes for long") {
		return fmt.Errorf("put of a value that is too long: %v", err)
	}
	return nil
}

// Run exercises the stores of the ranks of one job, and closes them.
func Run(t *testing.T, stores []kvs.Store) {
	t.Helper()
	each(t, stores, func(s kvs.Store, rank int) error {
		return errors.Join(Exercise(s, rank, len(stores)), s.Close())
	})
}

// Lost checks that ranks notice the loss of their store, both in a call that it would have to answer and in
// a Fence that waits for another rank, by an error that contains the name of the store. end ends the store;
// the last of stores takes no part.
func Lost(t *testing.T, stores []kvs.Store, name string, end func()) {
	t.Helper()
	var waiting sync.WaitGroup
	waiting.Add(len(stores) - 1)
	go func() {
		waiting.Wait()
		end()
	}()
	each(t, stores[:len(stores)-1], func(s kvs.Store, rank int) error {
		waiting.Done()
		err := s.Fence()
		for _, e := range []error{err, s.Put("late", []byte("x")), s.Fence(), second(s.Get("late")), second(kvs.List(s, []string{"late"}))} {
			if !errors.Is(e, kvs.ErrLost) || !strings.Contains(e.Error(), name) || strings.Contains(e.Error(), "\n") {
				return fmt.Errorf("%v; want it to name %s", e, name)
			}
		}
		return nil
	})
	for _, s := range stores {
		_ = s.Close() // errors do not matter: the store is lost
	}
}

// Missing checks that a Fence ends with the error of [kvs.Watcher] when the last of stores never calls it, and
// that a rank that misses one which has called it is not stopped.
func Missing(t *testing.T, stores []kvs.Store) {
	t.Helper()
	gone := errors.New("a rank has gone")
	var missing atomic.Bool
	for _, s := range stores {
		s.(kvs.Watcher).Watch(func() error {
			if missing.Load() {
				return gone
			}
			return nil
		})
	}
	each(t, stores, func(s kvs.Store, _ int) error { return s.Fence() })
	missing.Store(true)
	each(t, stores[:len(stores)-1], func(s kvs.Store, _ int) error {
		for _, e := range []error{s.Fence(), s.Fence(), s.Put("late", []byte("x"))} {
			if e != gone {
				return fmt.Errorf("%v, want %v", e, gone)
			}
		}
		return nil
	})
	for _, s := range stores {
		_ = s.Close() // errors do not matter: the stores cannot be used
	}
}

// LostAtStart checks that opening a store that is gone or silent fails within 5 seconds, with an error that
// contains its name. open is given less patience than users have.
func LostAtStart(t *testing.T, name string, open func() (kvs.Store, error)) {
	t.Helper()
	const limit = 5 * time.Second
	begin := time.Now()
	s, err := open()
	if err == nil {
		_ = s.Close()
	}
	if !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; want it to name %s", err, name)
	}
	if d := time.Since(begin); d > limit || kvs.Patience > limit {
		t.Errorf("a store that is silent is lost after %v, or %v", d, kvs.Patience)
	}
}

// Silent returns the address of a server that sends nothing, until the test ends.
func Silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func second[T any](_ T, err error) error { return err }

// each calls do for each rank in a goroutine of its own.
func each(t *testing.T, stores []kvs.Store, do func(s kvs.Store, rank int) error) {
	t.Helper()
	var wg sync.WaitGroup
	for rank, s := range stores {
		wg.Go(func() {
			if err := do(s, rank); err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	wg.Wait()
}
