package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"rhinet/bench/peer"
	"rhinet/npb/nas"
)

// The communication wait time of a kernel is the time that its ranks spend in MPI calls during the timed
// section: the communication that is not hidden by computation (llc, section 6). Our kernels measure it
// themselves (npb -timers); originals are linked with a library in front of that of their MPI, using the
// standard's profiling interface.

// seconds is the unit of run time and wait time.
const seconds = "s"

// WaitTest is the name under which the communication wait time of a kernel is reported.
func WaitTest(kernel string) string { return kernel + "_wait" }

// A KernelRun is what `npb -format json` prints for a kernel.
type KernelRun struct {
	Kernel    string  `json:"kernel"`
	Class     string  `json:"class"`
	Processes int     `json:"processes"`
	Seconds   float64 `json:"seconds"`
	Mops      float64 `json:"mops"`
	Verdict   string  `json:"verification"`
	Phases    []struct {
		Name string  `json:"name"`
		Mean float64 `json:"mean_s"`
		Max  float64 `json:"max_s"`
	} `json:"phases"`
	CallCost float64 `json:"library_call_s"` // on another MPI's library
}

// Wait returns the mean and the largest time in seconds that ranks waited for communication; ok tells
// whether timers were on (npb -timers).
func (k KernelRun) Wait() (mean, most float64, ok bool) {
	for _, p := range k.Phases {
		if p.Name == nas.CommWait {
			return p.Mean, p.Max, true
		}
	}
	return 0, 0, false
}

// ParseKernels parses output of npb; ok tells whether it is output of npb.
func ParseKernels(text []byte) (runs []KernelRun, ok bool) {
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var k KernelRun
		if d.Decode(&k) != nil || k.Kernel == "" || k.Processes < 1 || k.Seconds <= 0 {
			return nil, false
		}
		runs = append(runs, k)
	}
	return runs, len(runs) > 0
}

// readRun reads the output of our kernels, which must be verified.
func readRun(c Cell, text string) (k KernelRun, err error) {
	runs, ok := ParseKernels([]byte(text))
	if !ok || len(runs) != 1 {
		return k, errReport
	}
	switch k = runs[0]; {
	case k.Kernel+"."+k.Class != c.Test || k.Processes != c.Ranks:
		return k, fmt.Errorf("printed the report of %s.%s on %d ranks", k.Kernel, k.Class, k.Processes)
	case k.Verdict != nas.Successful.String():
		return k, fmt.Errorf("was not verified: %s", k.Verdict)
	}
	return k, nil
}

// readTimed takes run time and wait time from the output of our kernels.
func readTimed(job []Cell, text string, _ time.Duration) ([]Sample, error) {
	c := job[0]
	k, err := readRun(c, text)
	if err != nil {
		return nil, err
	}
	mean, _, timed := k.Wait()
	if !timed {
		return nil, errReport
	}
	list := timedSamples(c, k.Seconds, mean)
	if k.CallCost > 0 {
		list = append(list, callCost(c, strconv.FormatFloat(k.CallCost*1e6, 'g', 6, 64))...)
	}
	return list, nil
}

// readProbed takes the run time of an original from its report, and the wait time from the output of the
// library: from the interval between two readings of the clock that is as long as the run time, on rank 0
// or on the rank where it is longest.
func readProbed(job []Cell, text string, _ time.Duration) ([]Sample, error) {
	c := job[0]
	r, err := verified(c, text)
	if err != nil {
		return nil, err
	}
	said, err := strconv.ParseFloat(r["Time in seconds"], 64)
	if err != nil {
		return nil, fmt.Errorf("gave %q for the time in seconds", r["Time in seconds"])
	}
	took, waited, off := 0.0, 0.0, math.Inf(1)
	for _, w := range peer.ParseWaits(text) {
		for _, length := range []float64{w.First, w.Longest} {
			if d := math.Abs(length - said); d < off {
				took, waited, off = length, w.Mean, d
			}
		}
	}
	if off > 0.01+0.01*said {
		return nil, fmt.Errorf("says that it took %v s, but at no time has so much passed between two calls of MPI_Wtime, by which its waits are measured", said)
	}
	return timedSamples(c, took, waited), nil
}

// timedSamples returns the figures of a run. A single rank does not wait.
func timedSamples(c Cell, took, waited float64) []Sample {
	list := []Sample{{Test: c.Test, Ranks: c.Ranks, Value: took, Unit: seconds}}
	if c.Ranks > 1 && waited > 0 {
		list = append(list, Sample{Test: WaitTest(c.Test), Ranks: c.Ranks, Value: waited, Unit: seconds})
	}
	return list
}
