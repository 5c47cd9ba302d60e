package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"rhinet/internal/launch"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/models"
)

// A request is what a command line asks for.
type request struct {
	job     launch.Job
	dryRun  bool
	quiet   bool
	check   bool     // add checksums to all that ranks send
	noInput bool     // nobody reads standard input
	notes   []string // what is odd, but no mistake
	nicSet  bool     // --nic was given
	virtual virtual

	part  *launch.Part // the part whose flags are being read
	flags *pflag.FlagSet
}

// Ways out of a command line that are no mistakes.
var (
	errHelp    = errors.New("help wanted")
	errVersion = errors.New("version wanted")
)

// parse reads the whole command line. An error is one line for the user.
func parse(args []string) (*request, error) {
	req := newRequest()
	parts := split(args)
	for i, words := range parts {
		req.part = &launch.Part{Ranks: 1}
		rest, err := parseFlags(req.flags, words)
		if err != nil {
			return nil, err
		}
		switch {
		case len(rest) == 0 && len(parts) == 1:
			return nil, errors.New("no program given; mpirun -n N program [args...] starts one, mpirun --help says more")
		case len(rest) == 0:
			return nil, fmt.Errorf("part %d of %d, between the colons, names no program", i+1, len(parts))
		case rest[0] == "":
			return nil, errors.New("the program's name is empty")
		}
		req.part.Program, req.part.Args = rest[0], rest[1:]
		req.job.Parts = append(req.job.Parts, *req.part)
	}
	if req.quiet {
		req.notes = nil
	}
	if req.check {
		addCheck(&req.job)
	}
	if err := req.virtual.check(req); err != nil {
		return nil, err
	}
	return req, nil
}

// newRequest returns a request with the defaults and the flags that change it.
func newRequest() *request {
	req := &request{part: new(launch.Part)}
	req.job = launch.Job{
		Name:     "mpirun",
		MaxRanks: fabric.MaxRanks,
		NIC:      nics.Default,
		Open: func(ranks int) (launch.Fabric, error) {
			m, err := openFabric(req.job.NIC, ranks)
			if err != nil {
				return nil, err // not a memory that is nil
			}
			return m, nil
		},
	}
	req.flags = pflag.NewFlagSet("mpirun", pflag.ContinueOnError)
	req.flags.SortFlags = false
	req.flags.SetInterspersed(false)
	req.addFlags(req.flags)
	req.addForeign(req.flags)
	return req
}

// split cuts a command line into the parts of a job with several programs.
func split(args []string) [][]string {
	var parts [][]string
	for {
		i := slices.Index(args, ":")
		if i < 0 {
			return append(parts, args)
		}
		parts = append(parts, args[:i])
		args = args[i+1:]
	}
}

// addFlags declares the flags of this launcher.
func (req *request) addFlags(fs *pflag.FlagSet) {
	job := &req.job
	fs.FuncP("np", "n", "start `N` ranks (default 1)", req.setRanks)
	fs.FuncP("export", "x", "give the ranks the variable `NAME[=VALUE]`", req.setExport)
	fs.Func("wdir", "run the ranks in directory `DIR`", func(dir string) error {
		if dir == "" {
			return errors.New("the directory's name is empty")
		}
		req.part.Dir = dir
		return nil
	})
	fs.Func("bind-to", "bind each rank to its share of the cores: `core|none` (default core if there are enough)", req.setBind)
	fs.Func("timeout", "end the job after `D`, such as 90s or 5m, and say what its ranks waited for", req.setTimeout)
	fs.Func("nic", "use the network interface `NAME`: "+strings.Join(nics.Names(), ", ")+", "+nics.Settings()+" (default "+nics.Default+")", req.setNIC)
	fs.Func("time", "run in virtual time on the modelled network `MODEL`: "+strings.Join(models.Names(), ", ")+", or NAME:PARAMETER=VALUE,...", req.virtual.setModel)
	fs.Func("compute", "in virtual time, computing costs `none|measured[:FACTOR]|counted[:HOST]` (default none)", req.virtual.setCompute)
	fs.Func("time-report", "write what came of virtual time to `FILE`, as JSON", req.virtual.setReport)
	fs.BoolVarP(&job.Tag, "tag-output", "l", false, "begin every line of output with its rank")
	fs.BoolVar(&job.Stamp, "timestamp-output", false, "begin every line of output with the time")
	fs.BoolVar(&job.Merge, "merge-stderr-to-stdout", false, "write the ranks' standard error to standard output")
	fs.BoolVarP(&job.Verbose, "verbose", "v", false, "print the placement of the ranks before the start")
	fs.BoolVarP(&req.quiet, "quiet", "q", false, "no notes about what is odd but no mistake")
	fs.BoolVar(&req.check, "check", false, "add a checksum to all that ranks send each other, and verify it")
	fs.BoolVar(&req.dryRun, "dry-run", false, "print the placement of the ranks and stop")
	fs.BoolFuncP("version", "V", "print the version and stop", func(string) error { return errVersion })
	fs.BoolFuncP("help", "h", "print this and stop", func(string) error { return errHelp })
}

func (req *request) setRanks(v string) error {
	n, err := strconv.Atoi(v)
	if errors.Is(err, strconv.ErrSyntax) {
		return fmt.Errorf("not a number; a job has 1 to %d ranks", req.job.MaxRanks)
	}
	if err != nil || n < 1 || n > req.job.MaxRanks {
		return fmt.Errorf("a job has 1 to %d ranks", req.job.MaxRanks)
	}
	req.part.Ranks = n
	return nil
}

func (req *request) setBind(v string) error {
	switch v {
	case "core", "hwthread":
		req.job.Bind = launch.BindCore
	case "none":
		req.job.Bind = launch.BindNone
	default:
		return errors.New("ranks are bound to core or none")
	}
	return nil
}

// setTimeout takes a duration, or a plain number of seconds as other launchers
// do.
func (req *request) setTimeout(v string) error {
	d, err := time.ParseDuration(v)
	if err != nil {
		d, err = time.ParseDuration(v + "s")
	}
	if seconds, bad := strconv.ParseFloat(v, 64); bad == nil && seconds > time.Duration(math.MaxInt64).Seconds() {
		return errors.New("no job takes so long; without the flag there is no limit")
	}
	if err != nil || d <= 0 {
		return errors.New("give a time above zero, such as 90s or 5m")
	}
	req.job.Timeout = d
	return nil
}

func (req *request) setNIC(v string) error {
	if err := nics.Check(v); err != nil {
		return err
	}
	req.job.NIC, req.nicSet = v, true
	return nil
}
