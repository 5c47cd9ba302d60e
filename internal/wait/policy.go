package wait

import (
	"runtime"
	"time"
)

// A Policy says how long to poll in each way before sleeping. The zero Policy
// sleeps at once.
type Policy struct {
	Eager int           // polls before anything else
	Spin  time.Duration // then polls with a PAUSE between
	Yield time.Duration // then polls with the processor given away between
	Nap   time.Duration // longest single sleep; 0 means a tenth of a second
	Local bool          // the other ranks are goroutines of this process: yield to goroutines only

	// Spent returns the processor time that all ranks of the job on this machine have used; nil: unknown.
	// It distinguishes yields that are long because of ranks from those that are long because of other
	// processes.
	Spent func() time.Duration

	cpus       int        // that the ranks may use, all together
	load       jobLoad    // processor time used when a yield was long
	contention contention // state of the processors, as observed by waits so far
}

// For returns the policy for a rank of a job with the given number of ranks on this machine, and of
// processors that they may use together (see [UsableCPUs]; a rank bound to one processor must be told,
// since it cannot see the others). local says that the ranks are goroutines of this process.
func For(ranks, cpus int, local bool) Policy {
	if local {
		cpus = min(cpus, runtime.GOMAXPROCS(0))
	}
	p := Policy{Eager: eagerPolls, Spin: spinTime, Yield: yieldTime, Nap: napTime, Local: local, cpus: cpus}
	if ranks > cpus {
		p.Eager, p.Spin = oversubscribedPolls, 0
		if !local {
			p.Nap = min(longestNap, napTime*time.Duration(max(1, ranks/(napRanks*max(1, cpus)))))
		}
	}
	return p
}

// Oversubscribed reports whether there are more ranks than processors, so that a wait must not spin: the rank
// that is waited for needs the processor.
func (p *Policy) Oversubscribed() bool { return p.Spin == 0 }

// Begin returns a new wait. p must stay in place until it ends.
func (p *Policy) Begin() Backoff { return Backoff{policy: p, eager: p.Eager} }
