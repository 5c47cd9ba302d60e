// Command mutate puts small faults into the code, one at a time, and runs the tests that should notice. A
// fault that no test notices is a survivor: behavior of the code that no test checks.
//
//	go run ./internal/mutate ./llc ./internal/ring
//	go run ./internal/mutate --list llc/credit.go
//	go run ./internal/mutate
//
// The working tree is not touched: the go command reads the faulty files through
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
	jobs    int
	verbose bool
}

// command runs the command and returns its exit status: 0 if every fault was caught, 1 if some survived or
// tests fail without a fault, 2 for a mistake in the arguments or a list that does not fit the code.
func command(ctx context.Context, args []string, out, trouble io.Writer) int {
	var o options
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(trouble)
	flags.Usage = func() {
		_, _ = fmt.Fprintln(trouble, "usage: mutate [flags] [FILE | PACKAGE | FOLDER/...]...\nof the faults in these places, all by default, which does no test notice?")
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.list, "list", false, "list the faults and run nothing")
	flags.StringVar(&o.only, "only", "", "only faults whose name or file this regular expression finds")
	flags.StringVar(&o.record, "record", "", "file of results: what it says was caught is not run again")
	flags.Float64Var(&o.slow, "slow", 1, "factor on all time limits, for a loaded machine")
	flags.IntVar(&o.jobs, "jobs", 1, "faults to run at a time")
	flags.BoolVar(&o.verbose, "verbose", false, "show what the failing tests print")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	h, err := newHunt(o, flags.Args(), out)
	if err == nil && o.list {
		err = show(out, h.faults)
	}
	if err != nil {
		_, _ = fmt.Fprintf(trouble, "mutate: %v\n", err)
		return 2
	}
	if o.list {
		return 0
	}
	if err := h.run(ctx); err != nil {
		_, _ = fmt.Fprintf(trouble, "mutate: %v\n", err)
		return 1
	}
	return 0
}

// newHunt reads the faults to run.
func newHunt(o options, places []string, out io.Writer) (*hunt, error) {
	if o.slow <= 0 || o.jobs <= 0 {
		return nil, fmt.Errorf("--slow %v or --jobs %d is not above 0", o.slow, o.jobs)
	}
	h := &hunt{options: o, out: out}
	var err error
	if h.root, err = moduleRoot(); err != nil {
		return nil, err
	}
	if h.list, err = all(h.root); err != nil {
		return nil, err
	}
	if h.faults, err = chosen(h.list, o.only, places); err != nil {
		return nil, err
	}
	if h.keys, err = keysOf(h.faults, h.root); err != nil {
		return nil, err
	}
	if h.rec, err = openRecord(o.record); err != nil {
		return nil, err
	}
	h.memory, err = openMemory(h.root)
	return h, err
}

// keysOf applies all faults, so that a stale one is found before anything runs.
func keysOf(faults []Fault, root string) (keys []string, err error) {
	for i := range faults {
		k, e := faults[i].key(root)
		err = errors.Join(err, e)
		keys = append(keys, k)
	}
	return keys, err
}

// moduleRoot returns the folder of the module in which the command is run.
func moduleRoot() (string, error) {
	text, err := exec.Command("go", "env", "GOMOD").Output()
	name := strings.TrimSpace(string(text))
	if err != nil || name == "" || name == os.DevNull {
		return "", errors.New("this is no module: run it in the source tree of rhinet")
	}
	return filepath.Dir(name), nil
}
