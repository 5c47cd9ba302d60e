package bench

import "time"

// A Policy says how often a test is repeated at one size. It is the same in peer/c/peer.c, so that other
// runtimes are measured in the same way.
type Policy struct {
	Batches     int           // timed separately; the median counts
	Repetitions int           // maximum in all batches together
	Volume      int           // maximum bytes that a rank moves; 0: no limit
	Time        time.Duration // maximum time
}

// Steady is the policy of measurements to be compared: as many repetitions as the time allows, in five
// batches, so that a busy moment of the machine spoils only one or two.
func Steady(budget time.Duration) Policy {
	return Policy{Batches: 5, Repetitions: 500_000, Time: budget}
}

// Repetitions before those that count: warmUps fill caches and make connections; probes estimate the time
// of a repetition and take a tenth of a batch's time.
const (
	warmUps    = 2
	probeShare = 10
)

// patience is the maximum duration of all batches as a multiple of the planned time; on a machine that has
// become slower since the probes, fewer batches count.
const patience = 2

// A Timed runs reps repetitions and returns the seconds of one: on this rank's clock, and on that of the
// slowest rank including all overhead, from which all ranks derive the same number of repetitions.
type Timed func(reps int) (mine, slowest float64, err error)

// Run repeats a test at a size. It returns the repetitions of a batch and, for each batch, the seconds of
// one repetition on this rank. If a batch ends in less than half of its time, the probes ran in a slow
// moment, such as the start of the job: then all batches start over with more repetitions.
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

// most returns the maximum repetitions of a batch.
func (p Policy) most(bytes int) int {
	most := p.Repetitions
	if p.Volume > 0 && bytes > 0 {
		most = min(most, p.Volume/bytes)
	}
	return max(1, most/p.Batches)
}

// share returns a batch's seconds.
func (p Policy) share() float64 { return p.Time.Seconds() / float64(p.Batches) }

// Count warms up and determines the repetitions of a batch. If a single repetition takes all the available
// time, first is its time on this rank, and no other one is to be run.
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

// within returns how many repetitions of once seconds fit into the share seconds of a batch: at least one,
// at most most.
func within(share, once float64, most int) int {
	if once*float64(most) > share {
		return max(1, int(share/once))
	}
	return most
}
