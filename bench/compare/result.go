package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"rhinet/bench"
	"rhinet/bench/host"
)

// A Result is everything that a comparison has found. It is what --out writes.
type Result struct {
	Schema          string            `json:"schema"`
	Host            host.Host         `json:"host"`
	Calibrated      *host.Calibration `json:"calibration_before,omitempty"`
	CalibratedAfter *host.Calibration `json:"calibration_after,omitempty"`
	Settings        []string          `json:"settings,omitempty"` // environment variables that affect runtimes
	Rounds          int               `json:"rounds"`
	Budget          string            `json:"time_per_size"`
	Waits           bool              `json:"waits,omitempty"`       // kernels by run time and communication wait time, not by rate
	Efficiency      bool              `json:"efficiency,omitempty"`  // show the efficiency of kernels, too
	Cost            bool              `json:"cost,omitempty"`        // ratios are relative to the first runtime
	OwnBarrier      bool              `json:"own_barrier,omitempty"` // a barrier of messages between collective calls instead of the runtimes' own
	Fresh           bool              `json:"fresh,omitempty"`       // ranks write and read their buffers between collective calls
	Runtimes        []string          `json:"runtimes"`              // the first ones are ours
	Ours            int               `json:"ours,omitempty"`        // how many are ours; 0 means 1
	Versions        map[string]string `json:"versions,omitempty"`    // of the other runtimes, as reported by their launchers
	Samples         []Sample          `json:"samples"`
	Failures        []Failure         `json:"failures,omitempty"`
	TooSlow         []TooSlow         `json:"too_slow,omitempty"`
	Notes           []string          `json:"notes"` // what could not be measured, and why
	Interrupted     bool              `json:"interrupted,omitempty"`
}

// A Failure is a cell that failed on a runtime in a round.
type Failure struct {
	Round   int    `json:"round"`
	Runtime string `json:"runtime"`
	Test    string `json:"test"`
	Ranks   int    `json:"ranks"`
}

// Schema names the format of a result file: a name, and a version.
const (
	schemaName = "rhinet-compare-"
	Schema     = schemaName + "1"
)

// ours returns how many of the runtimes are this one.
func (res *Result) ours() int { return min(max(res.Ours, 1), len(res.Runtimes)) }

// Peers returns the names of the runtimes that are not this one.
func (res *Result) Peers() []string { return res.Runtimes[res.ours():] }

// Encode writes the result file.
func (res *Result) Encode(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	whole := *res // with lists that are empty, not null
	whole.Runtimes, whole.Samples, whole.Notes = append([]string{}, res.Runtimes...), append([]Sample{}, res.Samples...), append([]string{}, res.Notes...)
	return e.Encode(&whole)
}

// IsResult reports whether a file that begins with head is a result file, of any version and even if
// damaged further on.
func IsResult(head string) bool { return bench.HasSchema(head, schemaName) }

// Read reads a result file. If the file is something else, or of another version, the error says so.
func Read(file string) (*Result, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	res := new(Result)
	// In a file of another version only the schema is known to be readable.
	var head struct {
		Schema string `json:"schema"`
	}
	whole := json.Unmarshal(text, res)
	if json.Unmarshal(text, &head) != nil {
		head.Schema = ""
	}
	switch {
	case !json.Valid(text):
		return nil, fmt.Errorf("%s is no result file: %v", file, whole)
	case !strings.HasPrefix(head.Schema, schemaName):
		return nil, fmt.Errorf("%s is %w: it names no schema %s", file, ErrForeign, Schema)
	case head.Schema != Schema:
		return nil, fmt.Errorf("%s has the schema %q; this program reads %s", file, head.Schema, Schema)
	case whole != nil:
		return nil, fmt.Errorf("%s is damaged: %v", file, whole)
	}
	if err := res.damage(); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", file, err)
	}
	return res, nil
}

// ErrForeign says that a file is complete, but not a result file.
var ErrForeign = errors.New("no result file")

// damage returns what is impossible in a result.
func (res *Result) damage() error {
	if len(res.Runtimes) == 0 {
		return errors.New("it names no runtime")
	}
	for i, name := range res.Runtimes {
		if name == "" || slices.Contains(res.Runtimes[:i], name) {
			return fmt.Errorf("it names the runtime %q twice, or without a name", name)
		}
	}
	for _, s := range res.Samples {
		switch {
		case !slices.Contains(res.Runtimes, s.Runtime):
			return fmt.Errorf("it has a sample of %q, which is none of its runtimes", s.Runtime)
		case s.Test == "" || s.Ranks < 1 || s.Bytes < 0 || s.Round < 0 || s.Value < 0:
			return fmt.Errorf("it has a sample of test %q, %d ranks, %d bytes, round %d, with the value %g", s.Test, s.Ranks, s.Bytes, s.Round, s.Value)
		}
	}
	return nil
}

// Resume reads a result file and checks that a comparison of these runtimes
// with opts can continue it.
func Resume(file string, runtimes []Runtime, opts Options) (*Result, error) {
	res, err := Read(file)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range runtimes {
		names = append(names, r.Name)
	}
	if !slices.Equal(names, res.Runtimes) {
		return nil, fmt.Errorf("%s compares %s; continue it with the same runtimes, not %s", file, strings.Join(res.Runtimes, ", "), strings.Join(names, ", "))
	}
	for _, f := range []struct {
		name     string
		had, has bool
	}{{"--waits", res.Waits, opts.Waits}, {OwnBarrier, res.OwnBarrier, opts.OwnBarrier}, {Fresh, res.Fresh, opts.Fresh}} {
		switch {
		case f.had && !f.has:
			return nil, fmt.Errorf("%s was measured with %s; continue it with the same", file, f.name)
		case f.has && !f.had:
			return nil, fmt.Errorf("%s was measured without %s; continue it without", file, f.name)
		}
	}
	if res.Budget != opts.Budget.String() {
		return nil, fmt.Errorf("%s was measured with --time %s; continue it with the same", file, res.Budget)
	}
	return res, nil
}

// settings lists the environment variables that affect a runtime.
func settings() []string {
	var found []string
	for _, v := range os.Environ() {
		for _, prefix := range []string{"RHINET_", "OMPI_MCA_", "MPIR_CVAR_", "MPICH_", "GOMAXPROCS=", "GOGC=", "GODEBUG=", "GOAMD64="} {
			if strings.HasPrefix(v, prefix) {
				found = append(found, v)
			}
		}
	}
	slices.Sort(found)
	return found
}

// Remarks returns the notes, together with those that follow from the figures.
func (res *Result) Remarks() []string {
	notes := slices.Clone(res.Notes)
	if res.Interrupted {
		notes = append([]string{"this comparison was interrupted; the medians are of the rounds there are"}, notes...)
	}
	if load, err := strconv.ParseFloat(strings.SplitN(res.Host.Load, " ", 2)[0], 64); err == nil && load > 0.5 {
		notes = append(notes, fmt.Sprintf("the machine was loaded: %.2f runnable tasks on average in the minute before", load))
	}
	notes = append(notes, res.bounds()...)
	notes = append(notes, res.aboutRates()...)
	notes = append(notes, res.aboutCalls()...)
	outliers, pairs, few := 0, 0, false
	for _, l := range res.Lines() {
		for _, r := range l.Ratios {
			outliers += r.Outliers
			pairs += r.Pairs
			few = few || r.Pairs > 0 && r.Pairs < enough
		}
	}
	if outliers > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d paired ratios are outliers (beyond 1.5 interquartile ranges); they are in the medians and intervals", outliers, pairs))
	}
	if few {
		notes = append(notes, fmt.Sprintf("? marks ratios of fewer than %d rounds, which cannot show a difference at 95 %%", enough))
	}
	return notes
}
