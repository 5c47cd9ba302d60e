// Command mutate puts small faults into the code, one at a time, and runs the tests
// that should notice. A fault that no test notices is a survivor: something that
// the code does and that nobody checks.
//
//	go run ./internal/mutate --list
//	go run ./internal/mutate --only llc/credit.go
//	go run ./internal/mutate --record caught.jsonl
//
// The working tree is not touched: the go command reads the faulty file through
// -overlay. docs/mutation.md says how to write a fault, and what to do about a survivor.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the flags.
type options struct {
	list    bool
	only    string
	record  string
	slow    float64
	verbose bool
	trust   bool
}

// command runs the command and returns its exit status: 0 if every fault was caught,
// 1 if some survived or the tests fail without any, 2 for a mistake in the arguments
// or a list that does not fit the code.
func command(ctx context.Context, args []string, out, trouble io.Writer) int {
	var o options
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(trouble)
	flags.BoolVar(&o.list, "list", false, "list the faults and run nothing")
	flags.StringVar(&o.only, "only", "", "only faults whose name or file this regular expression finds")
	flags.StringVar(&o.record, "record", "", "file of results: what it says was caught is not run again")
	flags.Float64Var(&o.slow, "slow", 1, "factor on all time limits, for a loaded machine")
	flags.BoolVar(&o.verbose, "verbose", false, "show what the failing tests print")
	flags.BoolVar(&o.trust, "trust", false, "do not run the tests without any fault first")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	fail := func(err error) int {
		_, _ = fmt.Fprintf(trouble, "mutate: %v\n", err)
		return 2
	}
	if flags.NArg() > 0 || o.slow <= 0 {
		return fail(fmt.Errorf("unexpected %q, or --slow %v that is not above 0; see --help", flags.Args(), o.slow))
	}
	faults, err := all()
	if err == nil {
		faults, err = chosen(faults, o.only)
	}
	if err != nil {
		return fail(err)
	}
	if o.list {
		if err := show(out, faults); err != nil {
			return fail(err)
		}
		return 0
	}
	root, err := moduleRoot()
	if err != nil {
		return fail(err)
	}
	keys, err := keysOf(faults, root)
	if err != nil {
		return fail(err)
	}
	rec, err := openRecord(o.record)
	if err != nil {
		return fail(err)
	}
	h := &hunt{runner: runner{root, o.slow, mostMemory}, options: o, faults: faults, keys: keys, rec: rec, out: out}
	if err := h.run(ctx); err != nil {
		_, _ = fmt.Fprintf(trouble, "mutate: %v\n", err)
		return 1
	}
	return 0
}

// keysOf makes all faults, so that a stale one is found before anything runs.
func keysOf(faults []Fault, root string) (keys []string, err error) {
	for i := range faults {
		k, e := faults[i].key(root)
		err = errors.Join(err, e)
		keys = append(keys, k)
	}
	return keys, err
}

// moduleRoot returns the folder of the module that the command is run in.
func moduleRoot() (string, error) {
	text, err := exec.Command("go", "env", "GOMOD").Output()
	name := strings.TrimSpace(string(text))
	if err != nil || name == "" || name == os.DevNull {
		return "", errors.New("this is no module: run it in the source tree of rhinet")
	}
	return filepath.Dir(name), nil
}

// A hunt is one run of the command.
type hunt struct {
	runner
	options
	faults  []Fault
	keys    []string // of faults
	rec     *record
	out     io.Writer
	results []Result
}

// run runs all faults and writes the tables. The error counts the survivors.
func (h *hunt) run(ctx context.Context) error {
	if !h.trust {
		if err := h.baseline(ctx); err != nil {
			return err
		}
	}
	for i := range h.faults {
		if err := h.one(ctx, i); err != nil {
			return err
		}
	}
	if err := report(h.out, h.faults, h.results); err != nil {
		return err
	}
	count := map[Verdict]int{}
	for _, r := range h.results {
		count[r.Verdict]++
	}
	if count[Survived]+count[Broken] > 0 {
		return fmt.Errorf("of %d faults %d survived, and %d do not build", len(h.results), count[Survived], count[Broken])
	}
	return nil
}

// baseline runs the tests of faults that are not known to be caught, without any fault.
func (h *hunt) baseline(ctx context.Context) error {
	var left []Fault
	for i, f := range h.faults {
		if _, ok := h.rec.known(h.keys[i]); !ok {
			left = append(left, f)
		}
	}
	list := tests(left)
	for i, t := range list {
		_, _ = fmt.Fprintf(h.out, "without any fault, %d of %d: go test %v\n", i+1, len(list), t)
		if err := h.healthy(ctx, t, 2*usualLimit); err != nil {
			return err
		}
	}
	return nil
}

// one runs fault number i, unless it is known to be caught.
func (h *hunt) one(ctx context.Context, i int) error {
	f := &h.faults[i]
	res, known := h.rec.known(h.keys[i])
	note := "recorded: "
	if !known {
		var err error
		if res, err = h.fault(ctx, f); err != nil {
			return err
		}
		res.Key, note = h.keys[i], ""
		if err := h.rec.keep(res); err != nil {
			return err
		}
	}
	h.results = append(h.results, res)
	_, _ = fmt.Fprintf(h.out, "%d of %d  %s  %s%s  %s  %v\n", i+1, len(h.faults), f.Name, note, res.Verdict, res.By, res.Took)
	if h.verbose && !known && res.Verdict != Survived || res.Verdict == Broken {
		_, _ = fmt.Fprintf(h.out, "%s\n", tail(res.output, 30))
	}
	return nil
}
