package nas

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// record is the JSON form of a Result.
type record struct {
	Kernel     string      `json:"kernel"`
	Class      string      `json:"class"`
	Size       Size        `json:"size"`
	Iterations int         `json:"iterations"`
	TimeStep   float64     `json:"time_step,omitempty"`
	Seconds    float64     `json:"seconds"`
	Processes  int         `json:"processes"`
	Active     int         `json:"active"`
	Mops       float64     `json:"mops"`
	PerProcess float64     `json:"mops_per_process"`
	Executed   float64     `json:"executed_share,omitempty"` // of the counted operations
	Variant    string      `json:"variant,omitempty"`
	Operation  string      `json:"operation"`
	Verdict    Verdict     `json:"verification"`
	Checks     []Check     `json:"checks,omitempty"`
	Phases     []PhaseTime `json:"phases,omitempty"`
	Library    string      `json:"library,omitempty"` // the other MPI library used
	CallCost   float64     `json:"library_call_s,omitempty"`
}

// WriteJSON writes the result as one line of JSON.
func WriteJSON(w io.Writer, r *Result) error {
	percent, _ := Executed(r.Kernel)
	return json.NewEncoder(w).Encode(record{
		Kernel: r.Kernel, Class: r.Class.String(), Size: r.Size, Iterations: r.Iterations,
		TimeStep: r.TimeStep, Seconds: r.Seconds, Processes: r.Processes, Active: r.Active,
		Mops: r.Mops, PerProcess: r.MopsPerProcess(), Executed: float64(percent) / 100, Variant: r.Variant, Operation: r.Operation,
		Verdict: r.Verdict, Checks: r.Checks, Phases: r.Phases, Library: r.Library, CallCost: r.CallCost,
	})
}

// MarshalJSON leaves out the numbers that JSON cannot express: a missing reference, or a computation that
// failed.
func (c Check) MarshalJSON() ([]byte, error) {
	number := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	return json.Marshal(struct {
		Name       string   `json:"name"`
		Computed   *float64 `json:"computed"`
		Reference  *float64 `json:"reference,omitempty"`
		Difference *float64 `json:"difference,omitempty"`
		OK         bool     `json:"ok"`
	}{c.Name, number(c.Computed), number(c.Reference), number(c.Difference), c.OK})
}

// WriteCSVHeader writes the names of the columns of [WriteCSV].
func WriteCSVHeader(w io.Writer) error {
	return writeRecord(w, "kernel", "class", "size", "iterations", "processes", "active",
		"seconds", "mops", "mops_per_process", "comm_wait_mean_s", "comm_wait_max_s", "verification", "executed_share", "variant")
}

// WriteCSV writes the result as one line. The communication wait is empty without timers, and the share of
// the counted operations where it is not known.
func WriteCSV(w io.Writer, r *Result) error {
	mean, most, executed := "", "", ""
	if percent, ok := Executed(r.Kernel); ok {
		executed = fmt.Sprint(float64(percent) / 100)
	}
	for _, p := range r.Phases {
		if p.Name == CommWait {
			mean, most = fmt.Sprint(p.Mean), fmt.Sprint(p.Max)
		}
	}
	return writeRecord(w, r.Kernel, r.Class.String(), r.Size.compact(), fmt.Sprint(r.Iterations),
		fmt.Sprint(r.Processes), fmt.Sprint(r.Active), fmt.Sprint(r.Seconds), fmt.Sprint(r.Mops),
		fmt.Sprint(r.MopsPerProcess()), mean, most, r.Verdict.String(), executed, r.Variant)
}

func writeRecord(w io.Writer, fields ...string) error {
	c := csv.NewWriter(w)
	if err := c.Write(fields); err != nil {
		return err
	}
	c.Flush()
	return c.Error()
}

// compact returns the size without blanks: 1400 or 12x12x12.
func (s Size) compact() string {
	if s.Grid == [3]int{} {
		return fmt.Sprint(s.Count)
	}
	return fmt.Sprintf("%dx%dx%d", s.Grid[0], s.Grid[1], s.Grid[2])
}

// WriteSummary prints one line per result, followed by notes on the rates.
func WriteSummary(w io.Writer, results []Result) error {
	if _, err := fmt.Fprintf(w, "\n\n %-6s %-5s %18s %6s %12s %12s %12s %8s  %s\n", "Kernel", "Class", "Size", "Procs",
		"Seconds", "Mop/s", "Mop/s/proc", "Executed", "Verification"); err != nil {
		return err
	}
	var kernels []string
	for i := range results {
		r := &results[i]
		kernels = append(kernels, r.Kernel)
		executed := ""
		if percent, ok := Executed(r.Kernel); ok {
			executed = percentText(percent)
		}
		if _, err := fmt.Fprintf(w, " %-6s %-5s %18s %6d %12.4f %12.2f %12.2f %8s  %s\n", r.Kernel, r.Class, r.Size.compact(),
			r.Processes, r.Seconds, r.Mops, r.MopsPerProcess(), executed, r.Verdict); err != nil {
			return err
		}
	}
	for i, note := range AboutRates(kernels) {
		between := ""
		if i == 0 {
			between = "\n"
		}
		if _, err := fmt.Fprintf(w, "%s %s.\n", between, note); err != nil {
			return err
		}
	}
	return nil
}
