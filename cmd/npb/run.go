package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// The exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // a verification, or the run itself
	exitUsage  = 2
)

// run is the whole program on one rank. Only rank 0 writes to the outputs. The status is the same on every
// rank; an error concerns this rank alone, and then the job cannot continue.
func run(world *mpi.Comm, args []string, stdout, stderr io.Writer) (int, error) {
	if world.Rank() != 0 {
		stdout, stderr = io.Discard, io.Discard
	}
	o, err := parse(args)
	if errors.Is(err, errHelp) {
		usage(stdout)
		return exitOK, nil
	}
	if err != nil {
		fmt.Fprintf(stderr, "npb: %v\n", err)
		return exitUsage, nil
	}
	o.available = availableMemory
	return o.execute(world, stdout, stderr)
}

// execute runs the kernels; see run.
func (o *options) execute(world *mpi.Comm, stdout, stderr io.Writer) (int, error) {
	available, err := o.memory(world)
	if err != nil {
		return exitFailed, err
	}
	skipped, err := o.admit(world.Size(), available)
	if err != nil {
		fmt.Fprintf(stderr, "npb: %v\n", err)
		return exitUsage, nil
	}
	out := newOutput(o, stdout, stderr)
	for _, reason := range skipped {
		out.note("skipped: " + reason)
	}
	failed := false
	for _, k := range o.kernels {
		r, err := o.runKernel(world, k, out)
		if err != nil {
			return exitFailed, fmt.Errorf("%s: %w", k.Name, err)
		}
		bad, err := anyFailed(world, r.Verdict)
		if err != nil {
			return exitFailed, err
		}
		failed = failed || bad
	}
	if err := out.close(); err != nil {
		return exitFailed, err
	}
	if failed {
		return exitFailed, nil
	}
	return exitOK, nil
}

// admit checks that every kernel can run on procs processes in the available memory, before anything is
// allocated. With "all" it drops those that cannot and returns why.
func (o *options) admit(procs int, available int64) (skipped []string, err error) {
	var fit []nas.Kernel
	for _, k := range o.kernels {
		err := k.Allowed(procs, o.class)
		if err == nil && o.grid != [2]int{} && k.CheckGrid != nil {
			err = k.CheckGrid(procs, o.class, o.grid)
		}
		if err == nil {
			err = fits(k, procs, o.class, available)
		}
		switch {
		case err == nil:
			fit = append(fit, k)
		case o.all:
			skipped = append(skipped, err.Error())
		default:
			return nil, err
		}
	}
	o.kernels = fit
	return skipped, nil
}

// runKernel runs one kernel and reports it.
func (o *options) runKernel(world *mpi.Comm, k nas.Kernel, out *output) (nas.Result, error) {
	// Garbage of the kernel before must not be collected in the timed section of this one.
	runtime.GC()
	problem, err := k.Describe(o.class)
	if err != nil {
		return nas.Result{}, err
	}
	cfg := nas.Config{Class: o.class, Iterations: o.iterations, Timers: o.timers, Variant: o.variant, Grid: o.grid}
	n, verifiable := cfg.Count(problem.Iterations)
	if problem.Iterations > 0 && !verifiable {
		problem.Iterations, problem.Class = n, nas.Unknown
	}
	cfg.Progress = out.begin(problem, world.Size())
	r, err := k.Run(world, cfg)
	if err != nil {
		return r, err
	}
	if world.Rank() == 0 {
		out.result(r)
	}
	return r, nil
}

// anyFailed tells every rank whether rank 0's verification failed.
func anyFailed(world *mpi.Comm, v nas.Verdict) (bool, error) {
	flag := []int32{0}
	if v == nas.Unsuccessful {
		flag[0] = 1
	}
	err := mpi.Bcast(world, flag, 0)
	return flag[0] != 0, err
}
