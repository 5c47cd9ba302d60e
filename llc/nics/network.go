package nics

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"rhinet/internal/kvs"
	"rhinet/internal/kvs/open"
	"rhinet/internal/pmi"
	"rhinet/llc/entry"
	"rhinet/nicemu/fabric"
)

// network returns what a rank of a job on several hosts must know of the network, nil if there is one host.
// store is where ranks meet; if it is nil, the job names a store. f is the memory of this host, from which the
// rank knows of others that have ended.
func network(job pmi.Job, store kvs.Store, f *fabric.Fabric) (*entry.Network, error) {
	if !job.Spread() {
		return nil, nil
	}
	n := &entry.Network{Host: job.Host, Address: job.Address}
	if store != nil {
		n.Meet = func(name []byte) ([]entry.Place, uint32, error) { return meet(store, job, name) }
		return n, nil
	}
	key, err := storeKey(job.Key)
	if err != nil {
		return nil, fmt.Errorf("%s: key=%d holds no key: %w", pmi.Variable, job.Key, err)
	}
	n.Meet = func(name []byte) ([]entry.Place, uint32, error) {
		s, err := open.Store(job.Store, key, job.Rank, job.Size)
		if err != nil {
			return nil, 0, err
		}
		if w, ok := s.(kvs.Watcher); ok {
			w.Watch(func() error { return missing(f) })
		}
		all, secret, err := meet(s, job, name)
		return all, secret, errors.Join(err, s.Close())
	}
	return n, nil
}

// missing returns an error if a rank has ended, with which the others cannot meet any more. Only in a job that
// keeps going do they live to see it.
func missing(f *fabric.Fabric) error {
	for r := range f.Ranks() {
		if f.HasFailed(r) {
			return fmt.Errorf("nics: rank %d, or its host, was lost before all ranks had met; a job keeps going only if it is later", r)
		}
	}
	return nil
}

// storeKey reads a key, in hexadecimal, and closes the descriptor.
func storeKey(fd int) ([]byte, error) {
	file := os.NewFile(uintptr(fd), "key of the store")
	text, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(text))
	if err == nil && len(key) == 0 {
		err = io.ErrUnexpectedEOF
	}
	return key, err
}

// Keys that ranks put into the store; the number of the rank follows the first.
const (
	keyPlace  = "place."
	keySecret = "secret"
)

// meet has the ranks of a job exchange their places.
//
//	all     put host and name, rank 0 a secret number    -- fence --
//	all     list what all have put                       -- fence --
//
// After the second fence the store is not needed.
func meet(s kvs.Store, job pmi.Job, name []byte) ([]entry.Place, uint32, error) {
	err := s.Put(fmt.Sprint(keyPlace, job.Rank), append(binary.BigEndian.AppendUint16(nil, uint16(job.Host)), name...))
	if err == nil && job.Rank == 0 {
		b := make([]byte, 4)
		_, _ = rand.Read(b) // never fails
		err = s.Put(keySecret, b)
	}
	if err == nil {
		err = s.Fence()
	}
	var values [][]byte
	if err == nil {
		values, err = kvs.List(s, keysOf(job.Size))
	}
	if err == nil {
		err = s.Fence()
	}
	if err != nil {
		return nil, 0, err
	}
	return places(values)
}

// keysOf returns the keys that the ranks of a job put, the secret last.
func keysOf(size int) []string {
	keys := make([]string, size, size+1)
	for r := range keys {
		keys[r] = fmt.Sprint(keyPlace, r)
	}
	return append(keys, keySecret)
}

// places reads the values of these keys.
func places(values [][]byte) ([]entry.Place, uint32, error) {
	last := len(values) - 1
	all, secret := make([]entry.Place, last), values[last]
	if len(secret) != 4 {
		return nil, 0, errOther
	}
	for r, b := range values[:last] {
		if len(b) < 3 {
			return nil, 0, errOther
		}
		all[r] = entry.Place{Host: int(binary.BigEndian.Uint16(b)), Name: b[2:]}
	}
	return all, binary.BigEndian.Uint32(secret), nil
}

var errOther = errors.New("nics: the store holds what no rank of this version puts there; use programs of one build")
