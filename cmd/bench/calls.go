package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/compare"
	"rhinet/bench/peer"
	"rhinet/bench/watch"
	"rhinet/bench/workdir"
	"rhinet/mpi"
)

// callsCommand counts the instructions of single calls.
func callsCommand(out io.Writer) *cobra.Command {
	var (
		peers  []string
		launch string
		limit  time.Duration
	)
	c := &cobra.Command{
		Use:   "calls",
		Short: "Count the instructions of single blocking calls, ours and the peers', by single-stepping",
		Args:  noArgs, PreRunE: alone,
		RunE: func(*cobra.Command, []string) error {
			if err := positive("limit", limit); err != nil {
				return usage(err)
			}
			if len(peers) == 1 && peers[0] == "none" {
				peers = nil
			}
			if err := compare.CheckPeers(peers); err != nil {
				return usage(err)
			}
			if err := compare.Installed(peers); err != nil {
				return errors.Join(err, errors.New("--peers names those to count, or none"))
			}
			return countCalls(out, launch, peers, limit)
		},
	}
	f := c.Flags()
	peersFlag(f, &peers, "runtimes to count besides ours, or none")
	f.StringVar(&launch, "mpirun", "", "our mpirun (default: the one next to this program, or else built)")
	f.DurationVar(&limit, "limit", time.Minute, "longest time of one runtime")
	c.AddCommand(callCommand())
	return c
}

// countCalls counts on this runtime and on the peers, and prints a table.
func countCalls(out io.Writer, launch string, peers []string, limit time.Duration) error {
	dir, done, err := workdir.Open()
	if err != nil {
		return err
	}
	defer done()
	mpirun, err := dir.Program(launch, "mpirun")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var rows [][]string
	count := func(name string, args []string) error {
		limited, cancel := context.WithTimeout(dir.Context, limit)
		defer cancel()
		c, err := watch.CountCalls(limited, name, args)
		rows = append(rows, []string{name, strconv.Itoa(watch.CallBytes), strconv.Itoa(c.Send), strconv.Itoa(c.Recv)})
		return err
	}
	if err := count("rhinet", []string{mpirun, "-n", "2", self, "watch", "calls", "make"}); err != nil {
		return err
	}
	for _, name := range peers {
		mpicc, args, err := compare.Launch(name, 2)
		if err != nil {
			return err
		}
		bin, err := peer.CompileCalls(dir.Context, mpicc, dir.Path)
		if err != nil {
			return err
		}
		args = append(args, bin, strconv.Itoa(watch.CallReps), strconv.FormatInt(watch.CallPause.Microseconds(), 10))
		if err := count(name, args); err != nil {
			return err
		}
	}
	return bench.Table(out, []string{"runtime", "bytes", "send", "receive"}, rows)
}

// callCommand is the program of the ranks: single calls between breakpoints.
func callCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "make",
		Hidden: true,
		Args:   noArgs,
		RunE: func(*cobra.Command, []string) error {
			world, err := mpi.Init()
			if err != nil {
				return err
			}
			if world.Size() < 2 {
				return usage(errors.Join(errors.New("make needs two ranks, and a tracer; run bench watch calls"), mpi.Finalize(world)))
			}
			return errors.Join(watch.Call(world, watch.CallPause), mpi.Finalize(world))
		},
	}
}
