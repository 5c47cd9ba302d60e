package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"rhinet/npb"
	"rhinet/npb/nas"
)

// options are the options on the command line.
type options struct {
	class      nas.Class
	format     string
	iterations int
	timers     bool
	variant    string
	grid       [2]int
	kernels    []nas.Kernel
	all        bool
	available  func() int64 // bytes of available memory, negative if unknown; nil: unknown
}

// errHelp means that help was requested.
var errHelp = errors.New("help")

// parse parses the command line. Flags may stand before and after names.
func parse(args []string) (options, error) {
	var o options
	var class string
	set := flags(&o, &class)
	var names []string
	for {
		if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
			return o, errHelp
		} else if err != nil {
			return o, fmt.Errorf("%w; npb -help lists the flags", err)
		}
		if set.NArg() == 0 {
			break
		}
		names, args = append(names, set.Arg(0)), set.Args()[1:]
	}
	var err error
	if o.class, err = nas.ParseClass(class); err != nil {
		return o, err
	}
	switch o.format {
	case "text", "json", "csv":
	default:
		return o, fmt.Errorf("unknown format %q; choose text, json or csv", o.format)
	}
	if o.iterations < 0 {
		return o, fmt.Errorf("-iterations %d is negative; give a positive number, or 0 for the class's own", o.iterations)
	}
	if o.kernels, o.all, err = selectKernels(names); err != nil {
		return o, err
	}
	return o, o.checkForms()
}

// checkForms reports a variant or a grid that none of the kernels has.
func (o *options) checkForms() error {
	if o.variant != "" {
		takes, err := o.having(func(k nas.Kernel) bool { return k.Variants != nil }, "-variant "+o.variant)
		if err != nil {
			return err
		}
		if err := nas.CheckVariant(takes.Name, o.variant, takes.Variants); err != nil {
			return err
		}
	}
	if o.grid != [2]int{} {
		_, err := o.having(func(k nas.Kernel) bool { return k.CheckGrid != nil }, fmt.Sprintf("-grid %dx%d", o.grid[0], o.grid[1]))
		return err
	}
	return nil
}

// having returns the first chosen kernel to which a flag applies.
func (o *options) having(has func(nas.Kernel) bool, flag string) (nas.Kernel, error) {
	if i := slices.IndexFunc(o.kernels, has); i >= 0 {
		return o.kernels[i], nil
	}
	var names []string
	for _, k := range npb.Kernels() {
		if has(k) {
			names = append(names, k.Name)
		}
	}
	return nas.Kernel{}, fmt.Errorf("%s is for %s, which is not among the kernels named", flag, strings.Join(names, ", "))
}

// parseGrid parses P1xP2.
func parseGrid(text string) (grid [2]int, err error) {
	first, second, ok := strings.Cut(text, "x")
	if ok {
		if grid[0], err = strconv.Atoi(first); err == nil {
			grid[1], err = strconv.Atoi(second)
		}
	}
	if !ok || err != nil || grid[0] < 1 || grid[1] < 1 {
		return grid, errors.New("give two numbers of processes, such as 2x4")
	}
	return grid, nil
}

// flags declares the flags. NPB_TIMER_FLAG switches the timers on, as in the original benchmarks.
func flags(o *options, class *string) *flag.FlagSet {
	set := flag.NewFlagSet("npb", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(class, "class", "S", "problem `class`: S, W, A, B, C, D or E")
	set.StringVar(&o.format, "format", "text", "output `format`: text, json or csv")
	set.Func("iterations", "run `n` iterations (not verified), instead of the class's own", func(v string) (err error) {
		if o.iterations, err = strconv.Atoi(v); err != nil {
			return errors.New("give a whole number")
		}
		return nil
	})
	set.Func("variant", "another `form` of the communication; is: alltoallv (Alltoall of the counts, Alltoallv of the keys)", func(v string) error {
		if o.variant = v; v == "" {
			return errors.New("name a variant")
		}
		return nil
	})
	set.Func("grid", "process `grid` of ft, such as 2x4: 1xN is the layout of slabs (1-D), others that of pencils (2-D)", func(v string) (err error) {
		o.grid, err = parseGrid(v)
		return err
	})
	switch strings.ToLower(os.Getenv("NPB_TIMER_FLAG")) {
	case "1", "on", "yes", "true":
		o.timers = true
	}
	set.BoolFunc("timers", "report the time of each phase and the communication wait", func(v string) (err error) {
		if o.timers, err = strconv.ParseBool(v); err != nil {
			return errors.New("give true or false")
		}
		return nil
	})
	return set
}

// usage prints the help.
func usage(w io.Writer) {
	fmt.Fprintf(w, "usage: mpirun -n N npb [flags] kernel...\n\nThe kernels are %s; all runs every one that the number of processes allows.\n\n", npb.Names())
	var class string
	set := flags(new(options), &class)
	set.SetOutput(w)
	set.PrintDefaults()
}
