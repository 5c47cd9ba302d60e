package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/compare"
	"rhinet/bench/results"
	"rhinet/bench/workdir"
	"rhinet/internal/scratch"
)

func resultsCommand(out, errs io.Writer) *cobra.Command {
	var r results.Options
	var launch string
	c := &cobra.Command{
		Use:   "results DIR",
		Short: "Make a folder of results: comparisons, the suite, NIC and PM levels, kernels, and the report of all; run again, it continues where it stopped",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usage(errors.New("name one folder to write to, such as results/2026-01-31"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			r.Dir = filepath.Clean(args[0])
			return makeResults(r, launch, out, errs)
		},
	}
	f := c.Flags()
	f.BoolVar(&r.Short, "short", false, "short versions of everything, which take seconds, to see that it works")
	peersFlag(f, &r.Peers, "runtimes to compare with")
	f.StringArrayVar(&r.References, "reference", nil, "folder of compiled originals of the kernels, as for bench compare npb; may be repeated")
	f.StringVar(&r.MPI, "reference-mpi", "", "the MPI of the originals: openmpi or mpich (default: the one they are linked with)")
	f.StringVar(&launch, "mpirun", "", "our mpirun (default: the one next to this program, or else built)")
	return c
}

// makeResults measures what is missing in the folder.
func makeResults(r results.Options, launch string, out, errs io.Writer) error {
	if os.Getenv(rankVariable) != "" {
		return usage(errors.New("results are made by processes of their own; run it without mpirun"))
	}
	if err := compare.CheckPeers(r.Peers); err != nil {
		return usage(err)
	}
	if err := compare.Installed(r.Peers); err != nil {
		return err
	}
	if _, _, err := compare.References(r.References, r.MPI, nil, nil); err != nil {
		return usage(err)
	}
	if err := ofReferences(r.MPI, r.References); err != nil {
		return err
	}
	if err := r.CheckPlace(); err != nil {
		return usage(err)
	}
	dir, done, err := workdir.Open()
	if err != nil {
		return err
	}
	defer done()
	tools := map[string]string{}
	if tools["bench"], err = os.Executable(); err != nil {
		return err
	}
	if tools["mpirun"], err = dir.Program(launch, "mpirun"); err != nil {
		return err
	}
	if err := bench.MakeFolder(r.Dir); err != nil {
		return usage(err)
	}
	if err := r.CheckFiles(); err != nil { // not only when everything has been measured
		return usage(err)
	}
	lock, err := scratch.Lock(r.Dir)
	if errors.Is(err, scratch.ErrLost) {
		return usage(fmt.Errorf("another command is at work in %s", r.Dir))
	}
	if err != nil {
		return usage(err)
	}
	defer lock.Close()
	if tools["npb"], err = dir.Program("", "npb"); err != nil {
		return err
	}
	return r.Produce(dir.Context, tools, out, errs)
}
