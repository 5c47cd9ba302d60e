// Command mpirun starts a program as the ranks of a parallel job on this
// machine, stays with it, and ends it as a whole:
//
//	mpirun -n 4 ./cmd/npb -class S ep
//
// The program is an executable or a Go main package, which mpirun builds
// itself. docs/mpirun.md describes every flag and what users can rely on.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"rhinet/internal/launch"
)

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// streams are where a launcher reads and writes.
type streams struct{ in, out, err *os.File }

// run does what the arguments ask for and returns the exit status.
func run(args []string, std streams) int {
	if len(args) > 0 && slices.Contains(cobraWords, args[0]) {
		return runCobra(args, std)
	}
	req, err := parse(args)
	switch {
	case errors.Is(err, errHelp):
		return runCobra([]string{"--help"}, std)
	case errors.Is(err, errVersion):
		fmt.Fprintln(std.out, version())
		return 0
	case err != nil:
		return usage(std, err)
	}
	for _, note := range req.notes {
		fmt.Fprintln(std.err, "mpirun: "+note)
	}
	job := &req.job
	job.Stdin, job.Stdout, job.Stderr = std.in, std.out, std.err
	plan, err := launch.Prepare(job)
	if err != nil {
		return usage(std, err)
	}
	if req.dryRun {
		if err := plan.Print(std.out); err != nil {
			fmt.Fprintf(std.err, "mpirun: cannot write the placement: %v\n", err)
			return launch.StatusFailed
		}
		return 0
	}
	return plan.Run()
}

// usage reports a mistake of the user, in one line.
func usage(std streams, err error) int {
	fmt.Fprintf(std.err, "mpirun: %v\n", err)
	return launch.StatusUsage
}

// version says what this is and where it was built from.
func version() string {
	revision := "unknown revision"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
		if v := info.Main.Version; v != "" && v != "(devel)" {
			revision = v
		}
	}
	return fmt.Sprintf("mpirun (rhinet) %s, %s, %s/%s", revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
