package watch

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"rhinet/bench/host"
)

// A Test is a test of the quick set.
type Test struct {
	Name         string
	Ranks, Bytes int
}

// String is the name under which findings are reported.
func (t Test) String() string { return fmt.Sprintf("%s, %d ranks, %d bytes", t.Name, t.Ranks, t.Bytes) }

// Quick is the quick set: every way to send a message once.
func Quick() []Test {
	return []Test{
		{"PingPong", 2, 8}, {"PingPong", 2, 4096}, {"PingPong", 2, 65536}, {"Sendrecv", 2, 8}, {"Exchange", 2, 1024},
		{"Bcast", 2, 8}, {"Allreduce", 2, 8}, {"Alltoall", 2, 1024}, {"Barrier", 2, 0},
	}
}

// Options of a run.
type Options struct {
	Tests []Test
	Works []Work // need a Counter
	Tries int
	Limit time.Duration // of one command
	// Command returns the command that runs a test on its ranks, reps times after as many for warming up,
	// and prints what ParseTally reads.
	Command func(t Test, reps int) []string
	Counter *Counter
	// Before, if not nil, is a record: a work that takes no more than there is not tried again.
	Before *Record
	enough func(WorkCost) bool // set by Run; nil: nothing is
	// Progress, if not nil, is called with what begins.
	Progress func(done, all int, what string)
}

// tell calls Progress.
func (o Options) tell(done int, what string) {
	if o.Progress != nil {
		o.Progress(done, len(o.Tests)+len(o.Works), what)
	}
}

// Repetitions of a try, few and many. The system calls of a repetition follow from the difference, which
// excludes starting and ending a job.
const (
	few  = 200
	many = 2200
)

// Run counts. If system calls or instructions cannot be counted, notes say why.
func Run(ctx context.Context, o Options) (r *Record, notes []string, err error) {
	r = &Record{Schema: Schema, Host: host.Describe()}
	r.Host.FindCommit()
	if o.Before != nil {
		o.enough = func(w WorkCost) bool { return o.Before.enough(&r.Host, w) }
	}
	for i, t := range o.Tests {
		o.tell(i, t.String())
		c, why, err := o.cost(ctx, t)
		if err != nil {
			return nil, nil, fmt.Errorf("%s on %d ranks: %w", t.Name, t.Ranks, err)
		}
		if text := fmt.Sprintf("system calls are not counted: %v", why); why != nil && !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
		r.Costs = append(r.Costs, c)
	}
	works, more, err := o.works(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.Works, notes = works, append(notes, more...)
	r.Host.After = host.Load()
	return r, notes, nil
}

// cost runs one test several times. why says what prevented system calls from being counted.
func (o Options) cost(ctx context.Context, t Test) (c Cost, why, err error) {
	c = Cost{Test: t.Name, Ranks: t.Ranks, Bytes: t.Bytes, Syscalls: -1}
	var times []float64
	for i := range o.Tries {
		allocs, usec, err := o.once(ctx, t)
		if err != nil {
			return c, nil, err
		}
		times = append(times, usec)
		if i == 0 || allocs < c.Allocs {
			c.Allocs = allocs
		}
		if why != nil {
			continue
		}
		var calls float64
		calls, err = o.syscalls(ctx, t)
		switch {
		case errors.Is(err, errNoTrace):
			why = err
		case err != nil:
			return c, nil, err
		case c.Syscalls < 0 || calls < c.Syscalls:
			c.Syscalls = max(calls, 0)
		}
	}
	slices.Sort(times)
	n := len(times)
	c.Low, c.Median, c.High = times[n/4], times[n/2], times[n-1-n/4]
	return c, why, nil
}

// once runs a test and returns its tally.
func (o Options) once(ctx context.Context, t Test) (allocs, usec float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	args := o.Command(t, many)
	var out, errs strings.Builder
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(errs.String()))
	}
	return ParseTally(out.String())
}

// syscalls returns the system calls of one repetition.
func (o Options) syscalls(ctx context.Context, t Test) (float64, error) {
	var calls [2]int
	for i, reps := range []int{few, many} {
		limited, cancel := context.WithTimeout(ctx, o.Limit)
		n, err := trace(limited, o.Command(t, reps))
		cancel()
		if err != nil {
			return 0, err
		}
		calls[i] = n
	}
	return float64(calls[1]-calls[0]) / (2 * (many - few)), nil // warm-ups run as often
}

// errNoTrace says that this system does not allow tracing system calls.
var errNoTrace = errors.New("this system does not allow it")

// FormatTally returns the line that a test prints for ParseTally.
func FormatTally(allocs, usec float64) string { return fmt.Sprintf("tally %.4f %.4f\n", allocs, usec) }

// ParseTally finds the line of FormatTally.
func ParseTally(text string) (allocs, usec float64, err error) {
	for line := range strings.Lines(text) {
		if n, _ := fmt.Sscanf(line, "tally %f %f", &allocs, &usec); n == 2 {
			return allocs, usec, nil
		}
	}
	return 0, 0, fmt.Errorf("no tally in the output %q", text)
}
