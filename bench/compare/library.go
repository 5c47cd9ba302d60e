package compare

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rhinet/bench/peer"
	"rhinet/internal/libmpi"
)

// The kernels in Go also run on the libraries of the peers, started by the peers' launchers: then
// computation is the same, and only communication differs. Each call goes from Go to C.

// callTest is the test name of samples for the cost of a call from Go to C, in microseconds per call. They
// are not in the table, but noted below it.
const callTest = "call from Go"

// callCost returns the sample with the cost of a call in a cell, if the kernel has reported it.
func callCost(c Cell, microseconds string) []Sample {
	v, err := strconv.ParseFloat(microseconds, 64)
	if err != nil || !(v > 0) {
		return nil
	}
	return []Sample{{Test: callTest, Ranks: c.Ranks, Value: v}}
}

// aboutCalls returns notes on the costs of calls to the libraries of other MPIs, if there were any.
func (res *Result) aboutCalls() []string {
	costs := map[string][]float64{}
	for _, s := range res.Samples {
		if s.Test == callTest {
			costs[s.Runtime] = append(costs[s.Runtime], s.Value)
		}
	}
	var each []string
	for _, name := range res.Runtimes {
		if v := slices.Sorted(slices.Values(costs[name])); len(v) > 0 {
			each = append(each, fmt.Sprintf("%s %.2f us", name, quantile(0.5, v)))
		}
	}
	if len(each) == 0 {
		return nil
	}
	return []string{"the same kernels in Go run on the libraries of the peers, with the peers' collective calls: computing is the same code, and all measure their waits in one way. " +
		"Each MPI call there passes from Go to C, which is in run time and wait time: " + strings.Join(each, ", ") + " a call, median of the runs"}
}

// PeersNPB makes a runtime of each named C runtime that runs our kernels on its library, on h: npb is the
// program, built with the tag peers. Errors are as from [Peers].
func PeersNPB(ctx context.Context, names []string, h *Hosts, dir, npb string, waits bool) (all []Runtime, err error) {
	for _, name := range names {
		k, err := installed(name)
		if err != nil {
			return nil, err
		}
		shim, err := peer.CompileShim(ctx, k.mpicc, dir)
		if err != nil {
			return nil, err
		}
		r := Runtime{Name: k.name, read: readNAS, version: k.version(ctx)}
		if waits {
			r.read = readTimed
		}
		// With one processor of Go's scheduler (P), sysmon retakes it from a rank that waits in a call, and
		// the rank must then wake sysmon on its return; with a second, idle P, sysmon leaves both alone.
		rank := []string{"env", libmpi.Variable + "=" + shim, "GOMAXPROCS=2"}
		r.command = func(job []Cell, _ time.Duration) []string {
			return append(append(h.launch(k, job[0].Ranks), rank...), kernelCommand(npb, job[0], waits)...)
		}
		all = append(all, r)
	}
	return all, nil
}
