package watch

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"rhinet/bench/host"
)

// Schema names the format of a record.
const Schema = "rhinet-watch-1"

// A Record is what a quick set cost on one machine at one time.
type Record struct {
	Schema string    `json:"schema"`
	Host   host.Host `json:"host"`
	Costs  []Cost    `json:"costs"`
}

// A Cost is what one repetition of a test costs, on the rank where it costs
// most: of allocations and system calls the least of all tries, which a busy
// machine can only add to.
type Cost struct {
	Test     string  `json:"test"`
	Ranks    int     `json:"ranks"`
	Bytes    int     `json:"bytes"`
	Allocs   float64 `json:"allocations"`
	Syscalls float64 `json:"system_calls"` // of all ranks and the launcher; below 0: not counted
	Low      float64 `json:"usec_first_quartile"`
	Median   float64 `json:"usec_median"`
	High     float64 `json:"usec_third_quartile"`
}

func (c Cost) name() string { return fmt.Sprintf("%s, %d ranks, %d bytes", c.Test, c.Ranks, c.Bytes) }

// Read reads a record.
func Read(file string) (*Record, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s is no record of bench watch: %v", file, err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("%s is no record of bench watch: its schema is %q, not %s", file, r.Schema, Schema)
	}
	return r, nil
}

// Encode writes a record.
func (r *Record) Encode(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// Tolerances: counts may rise by so much a repetition (the Go runtime
// allocates and sleeps a little by itself), and the first quartile of the
// times may exceed the third of before by this factor.
const (
	moreAllocs   = 0.25
	moreSyscalls = 0.5
	slower       = 1.25
)

// A Finding is one thing that costs more than before.
type Finding struct {
	Test Test
	Text string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s, %d ranks, %d bytes: %s", f.Test.Name, f.Test.Ranks, f.Test.Bytes, f.Text)
}

// Merge takes over from another record of the same machine what cost less
// there: a busy machine only adds to a cost.
func (r *Record) Merge(other *Record) {
	for i, c := range r.Costs {
		for _, o := range other.Costs {
			if o.name() != c.name() {
				continue
			}
			c.Allocs = min(c.Allocs, o.Allocs)
			if o.Syscalls >= 0 {
				c.Syscalls = min(c.Syscalls, o.Syscalls)
			}
			if o.Median < c.Median {
				c.Low, c.Median, c.High = o.Low, o.Median, o.High
			}
			r.Costs[i] = c
		}
	}
}

// Compare lists what costs more in now than in before. Times are compared
// only if asked for, and only between machines of one kind; notes say what
// was not compared.
func Compare(before, now *Record, times bool) (findings []Finding, notes []string) {
	same := before.Host.CPU == now.Host.CPU && before.Host.Cores == now.Host.Cores && before.Host.OS == now.Host.OS
	if times && !same {
		notes = append(notes, fmt.Sprintf("times are not compared: before it was %s with %d cores", before.Host.CPU, before.Host.Cores))
	}
	old := map[string]Cost{}
	for _, c := range before.Costs {
		old[c.name()] = c
	}
	for _, c := range now.Costs {
		o, ok := old[c.name()]
		if !ok {
			notes = append(notes, c.name()+": not in the record of before")
			continue
		}
		add := func(format string, args ...any) {
			findings = append(findings, Finding{Test{c.Test, c.Ranks, c.Bytes}, fmt.Sprintf(format, args...)})
		}
		if c.Allocs > o.Allocs+moreAllocs {
			add("%.2f allocations, %.2f before", c.Allocs, o.Allocs)
		}
		switch {
		case c.Syscalls < 0 || o.Syscalls < 0:
			notes = append(notes, c.name()+": system calls are not compared")
		case c.Syscalls > o.Syscalls+moreSyscalls:
			add("%.2f system calls, %.2f before", c.Syscalls, o.Syscalls)
		}
		if times && same && c.Low > slower*o.High {
			add("%.3f µs [%.3f %.3f], before %.3f [%.3f %.3f]", c.Median, c.Low, c.High, o.Median, o.Low, o.High)
		}
	}
	return findings, notes
}
