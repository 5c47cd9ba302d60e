package watch

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"rhinet/bench"
)

// again is how often tests that cost more than in the record are repeated, so that a busy moment is not
// taken for a regression.
const again = 2

// Guard counts, prints the counts, and fails if something costs more than in the record; if there is none,
// it writes a new record to file. end removes the progress bar when a count is over.
func Guard(ctx context.Context, out io.Writer, o Options, end func(), file string, before *Record, times bool) error {
	o.Before = before
	now, notes, err := Run(ctx, o)
	end()
	if err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintln(out, "note:", n)
	}
	if before == nil {
		if err := bench.Replace(file, func(out *os.File) error { return now.Encode(out) }); err != nil {
			return bench.Input(fmt.Errorf("--baseline: %w", err))
		}
		return showCosts(out, now)
	}
	for range again {
		if o = costly(o, before, now, times); len(o.Tests)+len(o.Works) == 0 {
			break
		}
		more, _, err := Run(ctx, o)
		end()
		if err != nil {
			return err
		}
		now.Merge(more)
	}
	if err := showCosts(out, now); err != nil {
		return err
	}
	return judge(out, before, now, times)
}

// costly keeps those tests and works that cost more than in the record.
func costly(o Options, before, now *Record, times bool) Options {
	found, _ := Compare(before, now, times)
	high := map[string]bool{}
	for _, f := range found {
		high[f.What] = true
	}
	o.Tests = slices.DeleteFunc(slices.Clone(o.Tests), func(t Test) bool { return !high[t.String()] })
	o.Works = slices.DeleteFunc(slices.Clone(o.Works), func(w Work) bool { return !high[w.Name] })
	return o
}

// showCosts prints a record as a table.
func showCosts(out io.Writer, r *Record) error {
	fmt.Fprintln(out, r.Host)
	var rows [][]string
	for _, c := range r.Costs {
		calls := "-"
		if c.Syscalls >= 0 {
			calls = fmt.Sprintf("%.3f", c.Syscalls)
		}
		rows = append(rows, []string{c.Test, strconv.Itoa(c.Ranks), strconv.Itoa(c.Bytes), fmt.Sprintf("%.3f", c.Allocs), calls, fmt.Sprintf("%.3f", c.Median)})
	}
	err := bench.Table(out, []string{"test", "ranks", "bytes", "allocations", "system calls", "usec"}, rows)
	if err != nil || len(r.Works) == 0 {
		return err
	}
	rows = nil
	count := func(v float64) string {
		if v < 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", v)
	}
	for _, w := range r.Works {
		rows = append(rows, []string{w.Work, count(w.Instructions), fmt.Sprintf("%.2f %%", 100*w.Noise), count(w.Lines), count(w.Cycles), w.Tool})
	}
	return bench.Table(out, []string{"work", "instructions", "noise", "cache lines", "cycles", "counted by"}, rows)
}

func judge(out io.Writer, before, now *Record, times bool) error {
	found, notes := Compare(before, now, times)
	for _, n := range notes {
		fmt.Fprintln(out, "note:", n)
	}
	for _, f := range found {
		fmt.Fprintln(out, "more than before:", f)
	}
	if len(found) > 0 {
		return fmt.Errorf("%s higher than in the record of %s", costs(len(found)), before.Host.Time.Format(time.RFC3339))
	}
	return nil
}

// costs returns the beginning of the sentence on how many costs are too high.
func costs(n int) string {
	if n == 1 {
		return "1 cost is"
	}
	return fmt.Sprintf("%d costs are", n)
}
