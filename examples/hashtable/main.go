// Hashtable counts words in a table that is spread over all ranks. A rank finds or creates the entry of a
// key by CompareAndSwap and adds to it by Accumulate, in the memory of the rank that has the entry; that
// rank takes no part.
package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"rhinet/mpi"
)

const (
	slots  = 257 // of each rank
	keys   = 300 // in all
	insert = 500 // by each rank
)

func main() { mpi.Main(run) }

// A table is two windows: the key of each slot, 0 where there is none, and its count.
type table struct {
	keys, counts *mpi.Win[uint64]
	ranks        int
}

func run(world *mpi.Comm) error {
	t, err := newTable(world)
	if err != nil {
		return err
	}
	// All ranks add the same keys, each in an order of its own.
	rnd := rand.New(rand.NewPCG(2, uint64(world.Rank())))
	mine := make([]uint64, keys+1)
	for range insert {
		key := 1 + rnd.Uint64N(keys)
		mine[key]++
		if err := t.add(key, 1); err != nil {
			return err
		}
	}
	all := make([]uint64, len(mine))
	if err := mpi.Allreduce(world, mine, all, mpi.Sum); err != nil {
		return err
	}
	different := 0
	for key := uint64(1); key <= keys; key++ {
		n, err := t.count(key)
		if err != nil {
			return err
		}
		if n != all[key] {
			return fmt.Errorf("key %d was counted %d times, and added %d times", key, n, all[key])
		}
		if n > 0 {
			different++
		}
	}
	if world.Rank() == 0 {
		fmt.Printf("%d keys, added %d times by %d ranks\n", different, insert*world.Size(), world.Size())
	}
	return t.free()
}

func newTable(world *mpi.Comm) (*table, error) {
	k, err := mpi.WinAllocate[uint64](world, slots)
	if err != nil {
		return nil, err
	}
	c, err := mpi.WinAllocate[uint64](world, slots)
	if err != nil {
		return nil, err
	}
	return &table{k, c, world.Size()}, errors.Join(k.LockAll(), c.LockAll())
}

func (t *table) free() error {
	return errors.Join(t.keys.UnlockAll(), t.counts.UnlockAll(), t.keys.Free(), t.counts.Free())
}

// home returns where the search for a key begins.
func (t *table) home(key uint64) (rank, slot int) {
	h := key * 0x9e3779b97f4a7c15
	return int(h>>40) % t.ranks, int(h>>20) % slots
}

// add adds n to the count of key.
func (t *table) add(key, n uint64) error {
	rank, slot := t.home(key)
	for range slots {
		there, err := t.keys.CompareAndSwap(0, key, rank, slot)
		if err != nil {
			return err
		}
		if there == 0 || there == key {
			return t.counts.Accumulate([]uint64{n}, rank, slot, mpi.Sum)
		}
		slot = (slot + 1) % slots
	}
	return fmt.Errorf("the table of rank %d is full", rank)
}

// count returns the count of key.
func (t *table) count(key uint64) (uint64, error) {
	rank, slot := t.home(key)
	for range slots {
		there, err := t.keys.FetchAndOp(0, rank, slot, mpi.NoOp)
		if err != nil || there == 0 {
			return 0, err
		}
		if there == key {
			return t.counts.FetchAndOp(0, rank, slot, mpi.NoOp)
		}
		slot = (slot + 1) % slots
	}
	return 0, nil
}
