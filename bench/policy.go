package bench

import "time"

// A Policy says how often a test is repeated at one size. It is the same in
// peer/c/peer.c, so that other runtimes are measured alike.
type Policy struct {
	Batches     int           // timed apart from each other; the median counts
	Repetitions int           // in all batches together, at most
	Volume      int           // bytes that they may move a rank; 0: any number
	Time        time.Duration // that they may take
}

// Steady is the policy of measurements that are to be compared: as many
// repetitions as the time allows, in five batches, of which a busy moment of the
// machine spoils one or two.
func Steady(budget time.Duration) Policy {
	return Policy{Batches: 5, Repetitions: 500_000, Time: budget}
}

// The repetitions before those that count: warmUps find cold caches and
// connections, probes estimate the time of one, as many as take a tenth of a
// batch's time.
const (
	warmUps    = 2
	probeShare = 10
)

// patience is how many times the time that they were to take all batches may take;
// fewer count on a machine that has become so much slower than it was at the probes.
const patience = 2

// A Timed runs so many repetitions and returns the seconds of one: by this rank's
// clock, and by that of the slowest rank with all that goes with a repetition, by
// which all ranks derive the same number of repetitions.
type Timed func(reps int) (mine, slowest float64, err error)

// Run repeats a test at a size. It returns the repetitions of a batch, and for
// each batch the seconds of one on this rank. A batch that ends in less than half of its time shows
// that the probes met a slow moment, such as the start of the job: all begin again with more repetitions.
func (p Policy) Run(bytes int, timed Timed) (reps int, batches []float64, err error) {
	reps, first, err := p.Count(bytes, timed)
	if err != nil || first > 0 {
		return reps, []float64{first}, err
	}
	most, share := p.most(bytes), p.share()
	for spent := 0.0; len(batches) == 0 || len(batches) < p.Batches && spent < patience*p.Time.Seconds(); {
		mine, slowest, err := timed(reps)
		if err != nil {
			return 0, nil, err
		}
		took := slowest * float64(reps)
		batches, spent = append(batches, mine), spent+took
		if reps < most && 2*took < share {
			batches, reps = nil, within(share, slowest, most)
		}
	}
	return reps, batches, nil
}

// most is how many repetitions a batch has at most.
func (p Policy) most(bytes int) int {
	most := p.Repetitions
	if p.Volume > 0 && bytes > 0 {
		most = min(most, p.Volume/bytes)
	}
	return max(1, most/p.Batches)
}

// share is a batch's seconds.
func (p Policy) share() float64 { return p.Time.Seconds() / float64(p.Batches) }

// Count warms up and finds the repetitions of a batch. If one alone takes all the
// time there is, first is what it took on this rank, and there is to be no other.
func (p Policy) Count(bytes int, timed Timed) (reps int, first float64, err error) {
	most, share := p.most(bytes), p.share()
	if _, _, err = timed(warmUps); err != nil {
		return 0, 0, err
	}
	reps = 1
	mine, once, err := timed(reps)
	for err == nil && reps < most && once*float64(most) > share && once*float64(reps) < share/probeShare {
		reps = min(10*reps, most)
		mine, once, err = timed(reps)
	}
	switch {
	case err != nil:
		return 0, 0, err
	case once >= p.Time.Seconds():
		return reps, max(mine, 1e-9), nil
	}
	return within(share, once, most), 0, nil
}

// within is how many repetitions of once seconds fit into the seconds of a batch: one at least.
func within(share, once float64, most int) int {
	if once*float64(most) > share {
		return max(1, int(share/once))
	}
	return most
}
