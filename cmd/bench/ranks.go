package main

import "rhinet/mpi"

// onRanks runs a program in all ranks: check returns what is wrong with the input for the given number of
// ranks, and last runs on rank 0 when all have ended.
func onRanks(check func(ranks int) error, run func(*mpi.Comm) error, last func() error) error {
	world, err := mpi.Init()
	if err != nil {
		return err
	}
	if err := check(world.Size()); err != nil {
		mpi.Finalize(world)
		return usage(err)
	}
	first := world.Rank() == 0
	if err := run(world); err != nil {
		return err
	}
	if err := mpi.Finalize(world); err != nil || !first {
		return err
	}
	return last()
}
