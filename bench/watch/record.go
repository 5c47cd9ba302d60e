package watch

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"rhinet/bench"
	"rhinet/bench/host"
)

// Schema names the format of a record.
const Schema = "rhinet-watch-1"

// A Record is the costs of the quick set on one machine at one time.
type Record struct {
	Schema string     `json:"schema"`
	Host   host.Host  `json:"host"`
	Costs  []Cost     `json:"costs"`
	Works  []WorkCost `json:"works,omitempty"`
}

// A Cost is the cost of one repetition of a test, on the rank where it is highest. For allocations and
// system calls it is the smallest of all tries, because a busy machine only adds to them.
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

func (c Cost) name() string { return Test{c.Test, c.Ranks, c.Bytes}.String() }

// IsRecord reports whether a file that begins with head is a record, even if damaged further on.
func IsRecord(head string) bool { return bench.HasSchema(head, Schema) }

// Read reads a record.
func Read(file string) (*Record, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	if err := json.Unmarshal(text, r); err != nil && (r.Schema == Schema || !json.Valid(text)) {
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
	whole := *r // with a list that is empty, not null
	whole.Costs = append([]Cost{}, r.Costs...)
	return e.Encode(&whole)
}
