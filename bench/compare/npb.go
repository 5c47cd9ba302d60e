package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rhinet/npb"
	"rhinet/npb/nas"
)

// mops is the unit of the NAS Parallel Benchmarks: 10^6 operations per second.
const mops = "Mop/s"

// NPB plans the NAS Parallel Benchmarks: every kernel in every class on every number of ranks on which it
// can run. skipped lists what cannot run. The error for an unknown name lists the known ones.
func NPB(kernels, classes []string, ranks []int) (cells []Cell, skipped []string, err error) {
	chosen := npb.Kernels()
	if len(kernels) > 0 && !slices.Equal(kernels, []string{"all"}) {
		chosen = nil
		for _, name := range kernels {
			k, ok := npb.Find(name)
			if !ok {
				return nil, nil, fmt.Errorf("unknown kernel %q; the kernels are %s", name, npb.Names())
			}
			chosen = append(chosen, k)
		}
	}
	for _, k := range chosen {
		for _, name := range classes {
			class, err := nas.ParseClass(name)
			if err != nil {
				return nil, nil, err
			}
			for _, n := range ranks {
				if n < 1 {
					return nil, nil, fmt.Errorf("--ranks %d is less than 1", n)
				}
				if err := k.Allowed(n, class); err != nil {
					skipped = append(skipped, err.Error())
					continue
				}
				cells = append(cells, Cell{strings.ToUpper(k.Name) + "." + class.String(), n, []int{0}})
			}
		}
	}
	if len(cells) == 0 {
		return nil, nil, fmt.Errorf("nothing to measure: %s", strings.Join(skipped, "; "))
	}
	return cells, skipped, nil
}

// OursNPB is this runtime with a setting, running the kernels of the program npb. With waits, it measures
// the run time and the communication wait time instead of the rate.
func OursNPB(mpirun, npb string, s Setting, waits bool) Runtime {
	r := Runtime{Name: s.Name, read: readNAS, env: s.Env}
	if waits {
		r.read = readTimed
	}
	r.command = func(job []Cell, _ time.Duration) []string {
		return s.launch(mpirun, job[0].Ranks, kernelCommand(npb, job[0], waits)...)
	}
	return r
}

// kernelCommand returns the command of a rank that runs a kernel of the program npb.
func kernelCommand(npb string, c Cell, waits bool) []string {
	if waits {
		return kernelWith(npb, c, "-timers", "-format", "json")
	}
	return kernelWith(npb, c)
}

// kernelWith returns the command of a kernel with flags.
func kernelWith(npb string, c Cell, flags ...string) []string {
	kernel, class, _ := strings.Cut(c.Test, ".")
	return append(append([]string{npb, "-class", class}, flags...), strings.ToLower(kernel))
}

var errReport = errors.New("printed no report of the NAS Parallel Benchmarks")

// readNAS takes Mop/s from the report at the end of every NAS Parallel Benchmark. A run that was not
// verified is a failure, and so is a run of anything other than the cell: each rank alone, or another
// kernel or class.
func readNAS(job []Cell, text string, _ time.Duration) ([]Sample, error) {
	c := job[0]
	r, err := verified(c, text)
	if err != nil {
		return nil, err
	}
	rate, err := strconv.ParseFloat(r["Mop/s total"], 64)
	switch {
	case r["Mop/s total"] == "":
		return nil, errReport
	case err != nil:
		return nil, fmt.Errorf("gave %q for Mop/s", r["Mop/s total"])
	case !(rate > 0) || math.IsInf(rate, 0):
		return nil, fmt.Errorf("gave %v Mop/s, which nothing can be compared with; a larger class takes time enough to be measured", rate)
	}
	return append([]Sample{{Test: c.Test, Ranks: c.Ranks, Value: rate, Unit: mops}}, callCost(c, strings.TrimSuffix(r["Call from Go"], " us"))...), nil
}

// verified finds the report of a cell's kernel in the output of a job; it must be verified.
func verified(c Cell, text string) (map[string]string, error) {
	all := reports(text)
	if len(all) == 0 {
		return nil, errReport
	}
	r := all[0]
	if n, ok := r["Total processes"]; len(all) > 1 || ok && n != strconv.Itoa(c.Ranks) {
		return nil, fmt.Errorf("printed %d reports, of %s processes each, instead of one of %d; "+
			"so it is where a program is started by the launcher of another MPI than its own (see --reference-mpi)", len(all), n, c.Ranks)
	}
	if found := r[kernelLabel] + "." + r["Class"]; r["Class"] != "" && found != c.Test {
		return nil, fmt.Errorf("printed the report of %s", found)
	}
	switch verdict := r["Verification"]; verdict {
	case "SUCCESSFUL":
		return r, nil
	case "":
		return nil, errReport
	default:
		return nil, fmt.Errorf("was not verified: %s", verdict)
	}
}

// kernelLabel is the key under which reports stores the name of the kernel.
const kernelLabel = "kernel"

// reports returns the labels and values of each report. A report begins with a line like "CG Benchmark
// Completed."; kernels in C omit the full stop.
func reports(text string) (all []map[string]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if kernel, ok := strings.CutSuffix(strings.TrimSuffix(line, "."), " Benchmark Completed"); ok {
			all = append(all, map[string]string{kernelLabel: kernel})
			continue
		}
		if label, value, ok := strings.Cut(line, "="); ok && len(all) > 0 {
			all[len(all)-1][strings.TrimSpace(label)] = strings.TrimSpace(value)
		}
	}
	return all
}

// aboutRates returns notes on the rates of kernels.
func (res *Result) aboutRates() []string {
	var kernels []string
	for _, s := range res.Samples {
		if s.Unit == mops {
			kernel, _, _ := strings.Cut(s.Test, ".")
			kernels = append(kernels, kernel)
		}
	}
	return nas.AboutRates(kernels)
}

// AboutKernel returns the share, in percent, of the counted operations that our version of a kernel
// executes; ok is false if it is not known.
func AboutKernel(kernel string) (percent int, ok bool) { return nas.Executed(kernel) }

// AboutKernels returns notes on the rates of kernels, one sentence each.
func AboutKernels(kernels []string) []string { return nas.AboutRates(kernels) }
