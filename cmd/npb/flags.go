package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"rhinet/npb"
	"rhinet/npb/nas"
)

// options is what the command line says.
type options struct {
	class      nas.Class
	format     string
	iterations int
	timers     bool
	kernels    []nas.Kernel
	all        bool
	available  func() int64 // bytes of memory that can still be taken, negative if unknown; nil: unknown
}

// errHelp means that help was asked for.
var errHelp = errors.New("help")

// parse reads the command line. Flags may stand before and after names.
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
	o.kernels, o.all, err = selectKernels(names)
	return o, err
}

// flags declares the flags. NPB_TIMER_FLAG switches the timers on as it does
// in the original benchmarks.
func flags(o *options, class *string) *flag.FlagSet {
	set := flag.NewFlagSet("npb", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(class, "class", "S", "problem `class`: S, W, A, B, C or D")
	set.StringVar(&o.format, "format", "text", "output `format`: text, json or csv")
	set.Func("iterations", "run `n` iterations (not verified), instead of the class's own", func(v string) (err error) {
		if o.iterations, err = strconv.Atoi(v); err != nil {
			return errors.New("give a whole number")
		}
		return nil
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
