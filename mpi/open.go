package mpi

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"rhinet/collectives"
	"rhinet/internal/observe"
	"rhinet/internal/onesided"
	"rhinet/internal/tuning"
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nics"
	"rhinet/llc/port"
)

var _ Transport = (*port.Port)(nil)

// open connects the process to its network interface.
func (s setup) open() (Job, error) {
	j := Job{Rank: s.job.Rank, Size: s.job.Size, Host: s.job.Host, App: s.job.App + 1, Debug: s.watch.Requests || s.watch.Buffers, Check: s.watch.Buffers,
		KeepGoing: s.job.KeepGoing}
	// Before the NIC is opened: closing one tells the launcher that the rank has
	// finalized.
	force, err := collectives.ParseForce(s.force)
	if err != nil {
		return j, initError(ErrInit, "%s: %v", envForce, err)
	}
	if j.Windows, err = onesided.ParseJob(s.windows); err != nil {
		return j, initError(ErrInit, "%s: %v", envWin, err)
	}
	tuned, err := tuning.ParseWord(s.job.Tuning)
	if err != nil {
		return j, initError(ErrInit, "%s: %v", envJob, err)
	}
	rules, err := collectives.ParseRules(tuned.Rules)
	if err != nil {
		return j, initError(ErrInit, "%s: %v; start the program with the mpirun of the same rhinet", envJob, err)
	}
	nic, release, err := nics.ProcessIn(s.job, s.store, s.watch)
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
		cpus = s.job.Size // each rank has its own processor
	}
	j.Processors = cpus
	j.Collectives = collectives.Options{Oversubscribed: s.job.Size > cpus, Force: force, Rules: rules}
	policy := wait.For(s.job.Size, cpus, false)
	if can.CPUTimer != nil {
		policy.Spent = can.CPUTimer.Spent
	}
	config := port.Config{NIC: nic, Policy: policy, Limits: port.Limits{Eager: tuned.Eager, Split: tuned.Split, RingMemory: s.job.RingMemory}}
	if s.watch.Requests {
		j.Forgotten = func(text string) { fmt.Fprintf(os.Stderr, "rank %d: %s\n", s.job.Rank, text) }
		config.Trouble = func(err error) { fmt.Fprintf(os.Stderr, "rank %d: %v\n", s.job.Rank, err) }
	}
	if s.job.Fabric >= 0 && s.job.Size > cpus && !s.job.Loaded {
		where := wait.Together(s.job.Rank, s.job.Size)
		if s.job.Spread() {
			where = wait.InTurn(s.job.Rank)
		}
		wait.Spread(where)
	}
	j.Clock = can.Clock
	if j.Observe, err = s.observe(j.Clock); err != nil {
		return j, errors.Join(initError(ErrInit, "%v", err), release())
	}
	if j.Observe != nil {
		config.Observe = j.Observe
		j.Observe.Protocols(llc.Protocols(nic.Caps()))
	}
	p := port.New(config)
	var closed atomic.Bool
	j.Transport, j.release = p, func() error {
		closed.Store(true)
		return release()
	}
	j.park, j.resume = p.Park, p.Reopen
	if j.Clock != nil {
		v := virtualTime(j.observed(), p.Waiting, j.Clock, s.job.Rank)
		j.Transport, j.park = v, func(over bool) error { return v.end(func() error { return p.Park(over) }) }
	}
	if to := j.Observe; to != nil {
		end, park := j.release, j.park
		j.release = func() error { return errors.Join(to.Close(), end()) }
		j.park = func(over bool) error {
			defer to.Pause()
			return park(over)
		}
		j.resume = func() {
			p.Reopen()
			to.Resume()
		}
	}
	j.Abort = func(status int) {
		if a := can.Announcer; a != nil && !closed.Load() {
			a.Abort() // so that the launcher blames no other rank
		}
		os.Exit(status)
	}
	if a := can.Announcer; a != nil {
		j.inWorld = a.MarkWorld
	}
	return j, nil
}

// observe begins to record what the rank does, if the launcher asks for it.
func (s setup) observe(clock ir.Clock) (*observe.Rank, error) {
	if s.job.Observe < 0 {
		return nil, nil
	}
	if clock == nil {
		return observe.Open(s.job.Observe, s.job.Rank, s.job.Size, nil)
	}
	return observe.Open(s.job.Observe, s.job.Rank, s.job.Size, func() int64 { return int64(clock.Now() * 1e9) })
}

// Local connects n ranks that are goroutines of this process with network interfaces of
// the given name ("": the default). The second result frees their memory, after all
// transports are closed. It is for package mpitest, not for programs, so the interfaces
// are checked: a NIC or a port that breaks its contract ends the process with a panic.
//
// Not in the standard.
func Local(n int, nic string) ([]Transport, func() error, error) {
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
