package mpi_test

import (
	"errors"
	"testing"

	"rhinet/collectives"
	"rhinet/collectives/colltest"
	policy "rhinet/internal/wait"
	"rhinet/llc/contract"
	"rhinet/llc/nics"
	"rhinet/llc/port"
	"rhinet/llc/route/routetest"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// onHosts places so many ranks on each host.
func onHosts(each int) mpitest.Option {
	return mpitest.Transports(func(n int) ([]mpi.Transport, func() error, error) {
		near, release, err := nics.Local("", n, nics.Debug{})
		if err != nil {
			return nil, nil, err
		}
		hosts := make([]int, n)
		for i := range hosts {
			hosts[i] = i / each
		}
		all, err := routetest.Place(near, routetest.FarCaps(), hosts)
		if err != nil {
			return nil, nil, err
		}
		ts := make([]mpi.Transport, n)
		for i, t := range contract.WatchAll(all, func(err error) { go panic(err) }) {
			ts[i] = port.New(port.Config{NIC: t, Policy: policy.For(n, policy.UsableCPUs(), true)})
		}
		return ts, release, nil
	})
}

// Ranks of one host use shared memory and flags, those of several hosts do not, and
// collective calls of both give correct results.
func TestWhatHostsShare(t *testing.T) {
	mpitest.Run(t, 5, func(w *mpi.Comm) error {
		host, err := w.Split(w.Rank()/2, 0)
		if err != nil {
			return err
		}
		for _, c := range []struct {
			comm      *mpi.Comm
			operation string
			want      string
		}{
			{w, "barrier", "hosts"}, {w, "bcast", "hosts"}, {w, "reduce", "hosts"}, {w, "allreduce", "hosts"}, {w, "allgather", "hosts"},
			{host, "barrier", map[bool]string{true: "exchange", false: "alone"}[host.Size() > 1]},
		} {
			got, err := c.comm.Algorithm(c.operation, 8)
			if err = errors.Join(err, equal(c.operation, got, c.want)); err != nil {
				return err
			}
		}
		for n := 1; n < 100_000; n *= 10 {
			sum, all := make([]int, n), make([]int, 5*n)
			mine := make([]int, n)
			for i := range mine {
				mine[i] = i * (w.Rank() + 1)
			}
			err := errors.Join(mpi.Allreduce(w, mine, sum, mpi.Sum), mpi.Allgather(w, mine, all), mpi.Barrier(w))
			if err = errors.Join(err, equal("sum", sum[n-1], 15*(n-1)), equal("part of rank 3", all[4*n-1], 4*(n-1))); err != nil {
				return err
			}
		}
		return errors.Join(putAround(w), putAround(host), host.Free())
	}, onHosts(2))
}

// putAround has each rank write to the next rank of c, in memory of the job and in
// memory of the ranks.
func putAround(c *mpi.Comm) error {
	own := make([]int64, 2)
	made, err := mpi.WinCreate(c, own)
	if err != nil {
		return err
	}
	allocated, err := mpi.WinAllocate[int64](c, 2)
	if err != nil {
		return err
	}
	next := (c.Rank() + 1) % c.Size()
	before := int64((c.Rank() + c.Size() - 1) % c.Size())
	for _, w := range []*mpi.Win[int64]{made, allocated} {
		err := errors.Join(w.Fence(), w.Put([]int64{int64(c.Rank())}, next, 1), w.Fence(), equal("put", w.Local()[1], before), w.Free())
		if err != nil {
			return err
		}
	}
	return nil
}

// Every algorithm works between ranks some of which share a host.
func TestEveryAlgorithmOnHosts(t *testing.T) {
	colltest.Run(t, func(t testing.TB, n int) []collectives.Transport { return collectiveTransports(t, n, onHosts(2)) }, 3)
}
