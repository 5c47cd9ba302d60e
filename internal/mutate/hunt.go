package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"rhinet/internal/parallel"
)

// A hunt is one run of the command.
type hunt struct {
	options
	root   string
	list   []Fault  // all
	faults []Fault  // those to run
	keys   []string // of faults
	runner *runner

	mu      sync.Mutex // guards the fields below
	out     io.Writer
	rec     *record
	memory  *memory
	results []Result // of faults; without a verdict until the fault has run
	ended   int      // number of faults that have run
	sick    []string // tests that fail in the unchanged tree
}

// run runs all faults and writes the tables. The error counts the survivors.
func (h *hunt) run(ctx context.Context) (err error) {
	h.results = make([]Result, len(h.faults))
	if h.runner, err = newRunner(h.root, h.slow, mostMemory, h.faults, h.ill); err != nil {
		return err
	}
	defer h.runner.close()
	if err := errors.Join(h.each(ctx), report(h.out, h.faults, h.results)); err != nil {
		return err
	}
	count := map[Verdict]int{}
	for _, r := range h.results {
		count[r.Verdict]++
	}
	if count[Survived]+count[Broken] > 0 {
		return fmt.Errorf("of %d faults %d survived, and %d do not build", len(h.results), count[Survived], count[Broken])
	}
	if len(h.sick) > 0 {
		return fmt.Errorf("without any fault these tests fail: %s", strings.Join(h.sick, ", "))
	}
	return nil
}

// each runs the faults, several at a time, until one cannot be run.
func (h *hunt) each(ctx context.Context) error {
	err := parallel.Each(ctx, len(h.faults), h.jobs, h.one)
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// one runs fault number i, unless the record says that it was caught.
func (h *hunt) one(ctx context.Context, i int) error {
	f := &h.faults[i]
	h.mu.Lock()
	res, known := h.rec.known(h.keys[i])
	likely := h.memory.likely(f, h.list)
	h.mu.Unlock()
	if !known {
		var err error
		if res, err = h.runner.fault(ctx, f, likely); err != nil {
			return err
		}
		res.Key = h.keys[i]
	}
	return h.keep(i, res, known)
}

// keep records and prints the result of fault number i.
func (h *hunt) keep(i int, res Result, known bool) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.results[i] = res
	h.ended++
	before, after := "", ""
	if res.Own {
		after = " (own build)"
	}
	if known {
		before = "recorded: "
	} else {
		err = h.rec.keep(res)
	}
	if h.memory.keep(res) {
		err = errors.Join(err, h.memory.write(h.list))
	}
	_, _ = fmt.Fprintf(h.out, "%d of %d  %s  %s%s  %s%s  %v\n", h.ended, len(h.faults), res.Fault, before, res.Verdict, res.By, after, res.Took)
	if h.verbose && !known && res.Verdict != Survived || res.Verdict == Broken {
		_, _ = fmt.Fprintf(h.out, "%s\n", tail(res.output, 30))
	}
	return err
}

// ill is called with tests that fail without any fault. In the common build these may be tests of
// properties of the compiled code, such as those that count allocations; in the unchanged tree none may
// fail.
func (h *hunt) ill(b *binary, names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	where := "with all faults built in, but none switched on"
	if b.build == h.runner.plain {
		where = "without any fault"
		for _, name := range names {
			h.sick = append(h.sick, b.pkg()+" "+name)
		}
	}
	_, _ = fmt.Fprintf(h.out, "%s, %v fails and is left out: %s\n", where, b.Test, strings.Join(names, " "))
}
