// Pipeline sends blocks of numbers through all ranks, each of which does a part of the work on every block.
// The persistent requests are created once and started for each block. There are two of each kind, so that
// one block arrives while the one before is worked on and sent.
package main

import (
	"fmt"

	"rhinet/mpi"
)

const (
	blocks = 50
	length = 1000
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	rank, last := world.Rank(), world.Size()-1
	before, after := rank-1, rank+1
	if rank == 0 {
		before = mpi.ProcNull // transfers with it do nothing
	}
	if rank == last {
		after = mpi.ProcNull
	}
	var bufs [2][]int
	var recvs, sends [2]*mpi.Request
	for i := range bufs {
		bufs[i] = make([]int, length)
		var err error
		if recvs[i], err = mpi.RecvInit(world, bufs[i], before, i); err != nil {
			return err
		}
		if sends[i], err = mpi.SendInit(world, bufs[i], after, i); err != nil {
			return err
		}
	}
	if err := recvs[0].Start(); err != nil {
		return err
	}
	for block := range blocks {
		now, next := block%2, (block+1)%2
		// The other buffer is free when its block has been sent.
		if _, err := sends[next].Wait(); err != nil {
			return err
		}
		if block+1 < blocks {
			if err := recvs[next].Start(); err != nil {
				return err
			}
		}
		if _, err := recvs[now].Wait(); err != nil {
			return err
		}
		if rank == 0 {
			fill(bufs[now], block)
		}
		work(bufs[now], rank)
		if rank == last {
			if err := check(bufs[now], block, world.Size()); err != nil {
				return err
			}
		}
		if err := sends[now].Start(); err != nil {
			return err
		}
	}
	if err := mpi.WaitAll(sends[:]...); err != nil {
		return err
	}
	if rank == last {
		fmt.Printf("%d blocks of %d numbers went through %d ranks\n", blocks, length, world.Size())
	}
	return nil
}

// fill fills a block with numbers.
func fill(buf []int, block int) {
	for i := range buf {
		buf[i] = block*length + i
	}
}

// work does a rank's part of the work on a block.
func work(buf []int, rank int) {
	for i, v := range buf {
		buf[i] = (3*v + rank) % 1_000_003
	}
}

// check repeats the work of all ranks on a block.
func check(got []int, block, ranks int) error {
	want := make([]int, length)
	fill(want, block)
	for r := range ranks {
		work(want, r)
	}
	for i, v := range want {
		if got[i] != v {
			return fmt.Errorf("element %d of block %d is %d, not %d", i, block, got[i], v)
		}
	}
	return nil
}
