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
	tuned, err := s.choose(&j)
	if err != nil {
		return j, err
	}
	nic, release, err := nics.ProcessIn(s.job, s.store, s.watch)
	if err != nil {
		var none *Comm
		return j, none.because(at("Init"), ErrInit, err, "")
	}
	can := ir.AbilitiesOf(nic)
	j.Clock = can.Clock
	config := port.Config{NIC: nic, Policy: s.share(&j, can), Limits: port.Limits{Eager: tuned.Eager, Split: tuned.Split, RingMemory: s.job.RingMemory}}
	if s.watch.Requests {
		j.Forgotten = func(text string) { fmt.Fprintf(os.Stderr, "rank %d: %s\n", s.job.Rank, text) }
		config.Trouble = func(err error) { fmt.Fprintf(os.Stderr, "rank %d: %v\n", s.job.Rank, err) }
	}
	if j.Observe, err = s.observe(j.Clock); err != nil {
		return j, errors.Join(initError(ErrInit, "%v", err), release())
	}
	if j.Observe != nil {
		config.Observe = j.Observe
		j.Observe.Protocols(llc.Protocols(nic.Caps()))
	}
	s.attach(&j, port.New(config), can.Announcer, release)
	return j, nil
}

// choose reads which algorithms and protocols the job uses.
func (s setup) choose(j *Job) (tuned tuning.Setting, err error) {
	if j.Collectives.Force, err = collectives.ParseForce(s.force); err != nil {
		return tuned, initError(ErrInit, "%s: %v", envForce, err)
	}
	if j.Windows, err = onesided.ParseJob(s.windows); err != nil {
		return tuned, initError(ErrInit, "%s: %v", envWin, err)
	}
	if tuned, err = tuning.ParseWord(s.job.Tuning); err != nil {
		return tuned, initError(ErrInit, "%s: %v", envJob, err)
	}
	if j.Collectives.Rules, err = collectives.ParseRules(tuned.Rules); err != nil {
		return tuned, initError(ErrInit, "%s: %v; start the program with the mpirun of the same rhinet", envJob, err)
	}
	return tuned, nil
}

// share says how the ranks share the processors, and places this one.
func (s setup) share(j *Job, can ir.Abilities) wait.Policy {
	cpus := s.job.CPUs
	if cpus == 0 {
		cpus = wait.UsableCPUs()
	}
	if can.Clock != nil {
		cpus = s.job.Size // each rank has its own processor
	}
	j.Processors, j.Collectives.Oversubscribed = cpus, s.job.Size > cpus
	policy := wait.For(s.job.Size, cpus, false)
	if can.CPUTimer != nil {
		policy.Spent = can.CPUTimer.Spent
	}
	if s.job.Fabric >= 0 && s.job.Size > cpus && !s.job.Loaded {
		where := wait.Together(s.job.Rank, s.job.Size)
		if s.job.Spread() {
			where = wait.InTurn(s.job.Rank)
		}
		wait.Spread(where)
	}
	return policy
}

// attach makes p the transport of the job, with what ends, parks and resumes it.
func (s setup) attach(j *Job, p *port.Port, a ir.Announcer, release func() error) {
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
		if a != nil && !closed.Load() {
			a.Abort() // so that the launcher blames no other rank
		}
		os.Exit(status)
	}
	if a != nil {
		j.inWorld = a.MarkWorld
	}
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
