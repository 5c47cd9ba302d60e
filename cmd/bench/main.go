// Command bench measures this runtime, and others for comparison.
//
//	mpirun -n 2 bench pingpong --sizes 8,1024 --format csv
//	bench compare --rounds 8
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/compare"
	"rhinet/bench/pair"
	"rhinet/bench/pmb"
	"rhinet/internal/checked"
)

// Exit statuses other than 0 and 1 (a measurement failed).
const (
	statusUsage   = 2 // bad input: nothing was measured
	statusMissing = 3 // something to compare with is not installed
)

// usage marks errors of the user's input.
func usage(err error) error { return bench.Input(err) }

func main() {
	out := &checked.Writer{W: os.Stdout}
	os.Exit(out.Status("bench", os.Stderr, run(os.Args[1:], out, os.Stderr)))
}

// run executes the command line and returns the exit status.
func run(args []string, out, errs io.Writer) int {
	if name := pair.Second(); name != "" {
		return second(name, errs)
	}
	var err error
	if len(args) > 0 && args[0] == "pmb" {
		args, err = pmb.Flags(args[1:])
		args = append([]string{"pmb"}, args...)
	}
	if err != nil {
		fmt.Fprintln(errs, "bench:", err)
		leaveToFirst()
		return statusUsage
	}
	root, err := rootCommand(out, errs)
	if err != nil {
		fmt.Fprintln(errs, "bench:", err)
		return 1
	}
	root.SetArgs(args)
	if err = root.Execute(); err == nil {
		return 0
	}
	status := 1
	switch {
	case errors.Is(err, bench.ErrInput):
		status = statusUsage
	case errors.Is(err, compare.ErrNoPeers):
		status = statusMissing
	}
	if status == statusUsage {
		leaveToFirst()
	}
	fmt.Fprintln(errs, "bench:", text(err))
	return status
}

// rootCommand returns the command with all commands below it.
func rootCommand(out, errs io.Writer) (*cobra.Command, error) {
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure this MPI runtime, and others for comparison",
		Long: `Measure this MPI runtime, and others for comparison

allreduce, barrier, connected, exchange, layouts, pingpong, pmb and rma are programs
for the ranks of a job, which mpirun starts. The other commands start what they need.`,
		Example: `  mpirun -n 2 bench pingpong --sizes 8,1024
  mpirun -n 4 bench pmb Allreduce
  bench compare --rounds 8`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("unknown command %q; bench --help lists the commands", args[0]))
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return usage(errors.New("no command; bench --help lists the commands"))
		},
	}
	root.SetOut(out)
	root.SetErr(errs)
	root.SetFlagErrorFunc(wrongFlag)
	if err := addPlain(root, out); err != nil {
		return nil, err
	}
	root.AddCommand(levelCommands(out, errs)...)
	root.AddCommand(connectedCommand(out))
	root.AddCommand(compareCommand(out, errs), calibrateCommand(out), costCommand(out, errs), countCommand(out), pmbCommand(out), reportCommand(out), resultsCommand(out, errs), trafficCommand(out, errs), watchCommand(out, errs))
	root.AddCommand(layoutsCommand(out), networkCommand(out), rmaCommand(out), modelsCommand(out, errs))
	refuseTopics(root)
	return root, nil
}

// spoken is how long rank 0 may take to report what is wrong with the input.
const spoken = 2 * time.Second

// leaveToFirst lets rank 0 of a job report errors that all ranks find: the launcher ends the other ranks
// when rank 0 has exited. A rank that is still running afterwards has an error of its own, as in a job of
// several programs, and goes on to report it.
func leaveToFirst() {
	if rank := os.Getenv(rankVariable); rank != "" && rank != "0" {
		time.Sleep(spoken)
	}
}

// rankVariable is the variable in which a launcher passes the rank.
const rankVariable = "RHINET_RANK"

// text returns the error's message without the marks for user input, and with a word for a signal that the user
// may have sent.
func text(err error) string {
	return strings.NewReplacer(bench.ErrInput.Error()+": ", "", context.Canceled.Error(), "interrupted").Replace(err.Error())
}
