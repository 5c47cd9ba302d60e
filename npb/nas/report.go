package nas

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// Version is the version of the specification that the kernels follow.
const Version = "3.4"

// WriteBanner prints the lines at the beginning of a run.
func WriteBanner(w io.Writer, p Problem, procs int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "\n\n NAS Parallel Benchmarks %s (Go) -- %s Benchmark\n\n", Version, p.Kernel)
	fmt.Fprintf(b, " Size: %s (class %s)\n", p.Size, p.Class)
	if p.TimeStep != 0 {
		fmt.Fprintf(b, " Iterations: %d    dt: %g\n", p.Iterations, p.TimeStep)
	} else {
		fmt.Fprintf(b, " Iterations: %d\n", p.Iterations)
	}
	fmt.Fprintf(b, " Total number of processes: %d\n", procs)
	return b.Flush()
}

// WriteReport prints the details of verification, the phases, and the block that tools parse: labels in
// column 2 padded to 16, values right-aligned in 24 columns.
func WriteReport(w io.Writer, r *Result) error {
	b := bufio.NewWriter(w)
	writeDetails(b, r)
	writePhases(b, r.Phases)
	writeBlock(b, r)
	return b.Flush()
}

func writeDetails(w io.Writer, r *Result) {
	fmt.Fprintln(w)
	for _, line := range r.Details {
		fmt.Fprintf(w, " %s\n", line)
	}
	if r.Verdict == NotVerified {
		fmt.Fprintf(w, " Not verified: no reference values for %d iterations\n", r.Iterations)
	}
	if len(r.Checks) == 0 {
		return
	}
	fmt.Fprintf(w, " %-24s %24s %24s %12s\n", "Quantity", "Computed", "Reference", "Difference")
	for _, c := range r.Checks {
		if math.IsNaN(c.Reference) {
			fmt.Fprintf(w, " %-24s %24.15e\n", c.Name, c.Computed)
			continue
		}
		mark := ""
		if !c.OK {
			mark = "  FAILED"
		}
		fmt.Fprintf(w, " %-24s %24.15e %24.15e %12.3e%s\n", c.Name, c.Computed, c.Reference, c.Difference, mark)
	}
}

func writePhases(w io.Writer, phases []PhaseTime) {
	if len(phases) == 0 {
		return
	}
	fmt.Fprintf(w, "\n %-24s %12s %12s\n", "Phase, seconds", "mean", "max")
	for _, p := range phases {
		name := p.Name
		if p.Comm && name != CommWait {
			name += " (MPI)"
		}
		fmt.Fprintf(w, " %-24s %12.6f %12.6f\n", name, p.Mean, p.Max)
	}
}

func percentText(percent int) string { return fmt.Sprintf("%d %%", percent) }

func writeBlock(w io.Writer, r *Result) {
	line := func(label, value string) { fmt.Fprintf(w, " %-16s= %24s\n", label, value) }
	fmt.Fprintf(w, "\n\n %s Benchmark Completed.\n", r.Kernel)
	line("Class", r.Class.String())
	line("Size", r.Size.String())
	line("Iterations", fmt.Sprint(r.Iterations))
	line("Time in seconds", fmt.Sprintf("%.2f", r.Seconds))
	line("Total processes", fmt.Sprint(r.Processes))
	line("Active procs", fmt.Sprint(r.Active))
	line("Mop/s total", fmt.Sprintf("%.2f", r.Mops))
	line("Mop/s/process", fmt.Sprintf("%.2f", r.MopsPerProcess()))
	if percent, ok := Executed(r.Kernel); ok {
		line("Ops executed", percentText(percent)+" of those counted")
	}
	line("Operation type", r.Operation)
	line("Verification", r.Verdict.String())
	line("Version", Version)
	if r.Library != "" {
		line("MPI library", r.Library)
		line("Call from Go", fmt.Sprintf("%.3f us", r.CallCost*1e6))
	}
	line("Exact time", fmt.Sprintf("%.6f s", r.Seconds))
}
