package nas

import "rhinet/mpi"

// A Phase is a part of a kernel's timed section.
type Phase struct {
	Name string
	Comm bool // the time is spent inside MPI calls
}

// Timers add up the time this rank spends in each phase. Phases are numbered from 0 in the order in which
// they are given to NewTimers. Phases may nest, except that those marked Comm must not overlap one another:
// their sum is the communication wait time.
//
// Begin and End cost one branch when timers are off, and never allocate.
type Timers struct {
	on     bool
	phases []Phase
	start  []float64 // seconds
	sum    []float64
}

// NewTimers returns timers for the phases; if on is false, they measure nothing.
func NewTimers(on bool, phases ...Phase) *Timers {
	return &Timers{
		on: on, phases: phases,
		start: make([]float64, len(phases)), sum: make([]float64, len(phases)),
	}
}

// Begin starts phase i.
func (t *Timers) Begin(i int) {
	if t.on {
		t.start[i] = mpi.Wtime()
	}
}

// End ends phase i.
func (t *Timers) End(i int) {
	if t.on {
		t.sum[i] += mpi.Wtime() - t.start[i]
	}
}

// Reset sets all times to zero; it is called at the start of the timed section.
func (t *Timers) Reset() { clear(t.sum) }

// A PhaseTime is the time of one phase over all ranks, in seconds.
type PhaseTime struct {
	Name string  `json:"name"`
	Comm bool    `json:"comm"`
	Mean float64 `json:"mean_s"`
	Max  float64 `json:"max_s"`
}

// CommWait is the name of the entry that is the sum of all phases marked Comm.
const CommWait = "communication wait"

// seconds returns this rank's time per phase, and as the last entry the sum of those marked Comm.
func (t *Timers) seconds() []float64 {
	s := make([]float64, len(t.sum)+1)
	for i, d := range t.sum {
		s[i] = d
		if t.phases[i].Comm {
			s[len(s)-1] += s[i]
		}
	}
	return s
}

// phaseTimes combines the names with the mean and maximum of seconds over the ranks.
func (t *Timers) phaseTimes(mean, max []float64) []PhaseTime {
	all := append(t.phases[:len(t.phases):len(t.phases)], Phase{CommWait, true})
	out := make([]PhaseTime, len(all))
	for i, p := range all {
		out[i] = PhaseTime{p.Name, p.Comm, mean[i], max[i]}
	}
	return out
}
