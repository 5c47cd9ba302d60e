package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/bench/pmb"
)

// An outcome is the result of one command.
type outcome struct {
	samples []Sample
	slow    []TooSlow
}

// whole reports whether every size of c was measured or is too slow.
func (o outcome) whole(c Cell) bool { return o.count(c) >= len(c.Bytes) }

func (o outcome) count(c Cell) (found int) {
	for _, n := range c.Bytes {
		if slices.ContainsFunc(o.samples, func(s Sample) bool { return s.Test == c.Test && s.Ranks == c.Ranks && s.Bytes == n }) ||
			slices.ContainsFunc(o.slow, func(b TooSlow) bool { return b.Test == c.Test && b.Ranks == c.Ranks && b.Bytes == n }) {
			found++
		}
	}
	return found
}

// drop removes a cell that failed.
func (o *outcome) drop(c Cell) {
	o.samples = slices.DeleteFunc(o.samples, func(s Sample) bool {
		return s.Ranks == c.Ranks && (s.Test == c.Test || c.Test == Hello && s.Test == Memory || s.Test == pmb.OverlapTest(c.Test) || s.Test == WaitTest(c.Test) || s.Test == callTest && isKernel(c.Test) || ofProgress(s.Test, c.Test))
	})
	o.slow = slices.DeleteFunc(o.slow, func(b TooSlow) bool { return b.Ranks == c.Ranks && b.Test == c.Test })
}

// title describes what a job measures.
func title(job []Cell) string {
	if len(job) == 1 {
		return fmt.Sprintf("%s on %s", job[0].Test, bench.Number(job[0].Ranks, "rank"))
	}
	return fmt.Sprintf("%s on %s", bench.Number(len(job), "test"), bench.Number(job[0].Ranks, "rank"))
}

// together is the time that a job of several cells gets in addition to the limit of a command: twice the
// measuring time of all its sizes.
func together(job []Cell, budget time.Duration) (more time.Duration) {
	if len(job) > 1 {
		for _, c := range job {
			more += 2 * budget * time.Duration(len(c.Bytes))
		}
	}
	return more
}

// graceOfPeers is the time in which launchers end a job that they are asked to end, before it is killed.
const graceOfPeers = 2 * time.Second

// measure runs one job once. The error says which runtime failed and how; the outcome then holds what was
// printed before.
func (r Runtime) measure(ctx context.Context, job []Cell, budget, limit time.Duration) (outcome, error) {
	args := r.command(job, budget)
	if args == nil {
		return outcome{}, nil
	}
	limit += together(job, budget)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	runtime.LockOSThread() // the death signal of inGroup is tied to this thread
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(append(os.Environ(), "OMPI_MCA_btl_base_warn_component_unused=0"), r.env...)
	ended := inGroup(cmd, graceOfPeers)
	cmd.WaitDelay = graceOfPeers + 3*time.Second
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	elapsed := time.Since(start)
	ended()
	got, unread := r.outcome(job, out.String(), elapsed)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("%s: %s did not end within %v%w", r.Name, r.blame(got, job), limit, silent{ctx.Err()})
	case err != nil:
		err = fmt.Errorf("%s: %s: %v: %s", r.Name, r.blame(got, job), err, strings.TrimSpace(errs.String()))
	case unread != nil:
		err = fmt.Errorf("%s: %s %w", r.Name, title(job), unread)
	}
	return got, err
}

// outcome reads the output of a command. The error says what is missing.
func (r Runtime) outcome(job []Cell, text string, elapsed time.Duration) (got outcome, err error) {
	if got.samples, err = r.read(job, text, elapsed); err != nil {
		return outcome{}, err
	}
	if r.slow != nil {
		got.slow = r.slow(text)
	}
	for i := range got.samples {
		got.samples[i].Runtime = r.Name
	}
	for i := range got.slow {
		got.slow[i].Runtime = r.Name
	}
	for _, c := range job {
		if n := got.count(c); n < len(c.Bytes) {
			return got, fmt.Errorf("gave %d rows for %d sizes of %s", n, len(c.Bytes), c.Test)
		}
	}
	return got, nil
}

// blame names the cell at which a failed command was.
func (r Runtime) blame(got outcome, job []Cell) string {
	for i, c := range job {
		if i > 0 && !got.whole(c) {
			return title([]Cell{c})
		}
		if !got.whole(c) {
			break
		}
	}
	return title(job)
}

// silent is an error that errors.Is can find but that adds nothing to the text.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (e silent) Unwrap() error { return e.error }
