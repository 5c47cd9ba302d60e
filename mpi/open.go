package mpi

import (
	"fmt"
	"os"

	"rhinet/collectives"
	"rhinet/internal/wait"
	"rhinet/llc/ir"
	"rhinet/llc/nics"
	"rhinet/llc/port"
)

var _ Transport = (*port.Port)(nil)

// open connects the process to its network interface.
func (s setup) open() (Job, error) {
	j := Job{Rank: s.job.Rank, Size: s.job.Size, Debug: s.watch.Requests}
	// Before there is a NIC: one that is closed shows the launcher a rank that has finalized.
	force, err := collectives.ParseForce(s.force)
	if err != nil {
		return j, initError(ErrInit, "%s: %v", envForce, err)
	}
	nic, release, err := s.openNIC()
	if err != nil {
		var none *Comm
		return j, none.because(at("Init"), ErrInit, err, "")
	}
	cpus := s.job.CPUs
	if cpus == 0 {
		cpus = wait.UsableCPUs()
	}
	can := ir.AbilitiesOf(nic)
	if can.Clock != nil {
		cpus = s.job.Size // each has one of its own
	}
	j.Processors = cpus
	j.Collectives = collectives.Options{Oversubscribed: s.job.Size > cpus, Force: force}
	config := port.Config{NIC: nic, Policy: wait.For(s.job.Size, cpus, false)}
	if s.watch.Requests {
		j.Forgotten = func(text string) { fmt.Fprintf(os.Stderr, "rank %d: %s\n", s.job.Rank, text) }
		config.Trouble = func(err error) { fmt.Fprintf(os.Stderr, "rank %d: %v\n", s.job.Rank, err) }
	}
	if s.job.Fabric >= 0 && s.job.Size > cpus {
		wait.Spread(s.job.Rank)
	}
	j.Transport, j.release = port.New(config), release
	if j.Clock = can.Clock; j.Clock != nil {
		j.Transport = virtualTime(j.Transport, j.Clock, s.job.Rank)
	}
	if a := can.Aborter; a != nil {
		j.Abort = func(status int) {
			a.Abort() // so that the launcher blames nobody else
			os.Exit(status)
		}
	}
	return j, nil
}

// openNIC finds the network interface in the job's memory, or in memory of its
// own for a world of one rank.
func (s setup) openNIC() (ir.Translator, func() error, error) {
	name := s.job.NIC
	if name == "" {
		name = nics.Default
	}
	if s.job.Fabric >= 0 {
		return nics.Join(name, s.job.Fabric, s.job.Rank, s.job.Size)
	}
	all, release, err := nics.Local(name, 1, s.watch)
	if err != nil {
		return nil, nil, err
	}
	return all[0], release, nil
}

// Local connects n ranks that are goroutines of this process with network
// interfaces of the given name ("": the usual one). The second result gives
// back their memory, after all transports are closed. Programs have no use for
// it; package mpitest does, and so the interfaces are watched: one that breaks the
// contract of its kind, or a port that does, ends the process with a panic.
func Local(n int, nic string) ([]Transport, func() error, error) {
	if nic == "" {
		nic = nics.Default
	}
	all, release, err := nics.Local(nic, n, nics.Debug{Contract: true})
	if err != nil {
		return nil, nil, fmt.Errorf("mpi: %w", err)
	}
	policy := wait.For(n, wait.UsableCPUs(), true)
	ts := make([]Transport, n)
	for i, t := range all {
		ts[i] = port.New(port.Config{NIC: t, Policy: policy})
	}
	return ts, release, nil
}
