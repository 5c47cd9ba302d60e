package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
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
	check   bool     // check what ranks send, and how they use requests
	noInput bool     // no rank reads standard input
	notes   []string // oddities that are not mistakes
	nicBy   nicChoice
	tuning  string // file of --tuning, or noTuning; "": the default file
	virtual virtual
	observe observation
	profile profiling
	hosts   hostList

	part  *launch.Part // the part whose flags are being read
	flags *pflag.FlagSet
}

// Errors for command lines that are not mistakes.
var (
	errHelp    = errors.New("help wanted")
	errVersion = errors.New("version wanted")
)

// parse parses the whole command line. An error is one line for the user.
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
	if err := req.usualNIC(); err != nil {
		return nil, err
	}
	if req.check {
		addCheck(&req.job)
	}
	if err := req.virtual.check(req); err != nil {
		return nil, err
	}
	if err := req.hosts.check(req); err != nil {
		return nil, err
	}
	if err := req.apart(); err != nil {
		return nil, err
	}
	if req.noteNIC(); req.quiet {
		req.notes = nil
	}
	req.observe.attach(&req.job)
	req.profile.attach(&req.job)
	req.job.Take = req.take
	return req, nil
}

// apart reports two flags that would write to the same file.
func (req *request) apart() error {
	flags := map[string]string{}
	for _, f := range []struct{ flag, file string }{
		{"--stats", req.observe.stats}, {"--trace", req.observe.trace}, {"--profile", req.profile.file},
		{"--model-trace", req.virtual.modules}, {"--time-report", req.virtual.report},
	} {
		if f.file == "" || f.file == onStandardError {
			continue
		}
		path, err := filepath.Abs(f.file)
		if err != nil {
			path = f.file
		}
		if other := flags[path]; other != "" {
			return fmt.Errorf("%s and %s would both write to %s; give each a file of its own", other, f.flag, f.file)
		}
		flags[path] = f.flag
	}
	return nil
}

// take stores a part of the records of a rank on another host.
func (req *request) take(p *launch.Parcel) {
	if p.Profile {
		req.profile.take(p)
	} else {
		req.observe.take(p)
	}
}

// newRequest returns a request with the defaults, and its flags.
func newRequest() *request {
	req := &request{part: new(launch.Part)}
	req.job = launch.Job{
		Name:     "mpirun",
		MaxRanks: fabric.MaxRanks,
		NIC:      nics.Default,
		Open: func(ranks int) (launch.Fabric, error) {
			m, err := openFabric(req.job.NIC, ranks)
			if err != nil {
				return nil, err // a nil interface, not a nil *View
			}
			return m, nil
		},
	}
	req.flags = pflag.NewFlagSet("mpirun", pflag.ContinueOnError)
	req.flags.SortFlags = false
	req.flags.SetInterspersed(false)
	req.addFlags(req.flags)
	req.addForeign(req.flags)
	refuseTwice(req.flags, func() *launch.Part { return req.part })
	return req
}

// split splits a command line into the parts of a job with several programs.
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
	req.addHosts(fs)
	fs.Func("bind-to", "bind each rank to its share of the cores: `core|none` (default core if there are enough)", req.setBind)
	fs.Func("timeout", "end the job after `D`, such as 90s or 5m, and report what its ranks were waiting for", func(v string) error { return setDuration(&job.Timeout, v) })
	fs.Func("stall", "end the job when no rank has made progress for `D`, and report what its ranks were waiting for", func(v string) error { return setDuration(&job.Stall, v) })
	fs.Func("nic", "use the network interface `NAME`: "+strings.Join(nics.Selectable(), ", ")+", "+nics.Settings()+" (default $"+nics.Variable+", or else "+nics.Default+")", req.setNIC)
	fs.Func("ring-memory", "limit the packet rings that each rank grants to its peers to `BYTES`, first come, first served; other peers share a ring", req.setRingMemory)
	fs.Func("time", "run in virtual time on the modelled network `MODEL`: "+strings.Join(models.Names(), ", ")+", or NAME:PARAMETER=VALUE,...", req.virtual.setModel)
	fs.Func("topology", "in virtual time, on martini: the topology of the network, a `FILE` or a rule such as line:4x2 (default full:4x4)", req.virtual.setTopology)
	fs.Func("set", "in virtual time: `NAME=VALUE`, a parameter of the model; may be given several times", req.virtual.addSetting)
	fs.Func("compute", "in virtual time, computing costs `none|measured[:FACTOR]|counted[:HOST]` (default none)", req.virtual.setCompute)
	fs.Func("model-trace", "in virtual time: write what the parts of the model do to `FILE`.json, for ui.perfetto.dev, or FILE.vcd, for GTKWave", req.virtual.setModelTrace)
	fs.Func("time-report", "in virtual time: write a report of the job to `FILE`, as JSON", req.virtual.setReport)
	fs.Func("stats", "print at the end which calls the ranks made and how much they sent to each other, or write that to `FILE`, whose name ends in .txt, .json or .html", req.observe.setStats)
	fs.Func("metrics", "serve statistics of the running job at `HOST:PORT`, as /metrics for Prometheus and as /debug/vars", req.observe.setMetrics)
	fs.Func("profile", "write one profile of all ranks, `cpu|heap|mutex|block[:FILE]`, for go tool pprof", req.profile.set)
	fs.Func("debug", "run the ranks `RANK[,RANK...]` under the debugger dlv, which waits for dlv connect", req.setDebug)
	fs.Func("trace", "write all calls and messages to `FILE`, for ui.perfetto.dev", req.observe.setTrace)
	fs.Lookup("stats").NoOptDefVal = onStandardError
	fs.Func("tuning", "use the table `FILE` that mpirun tune wrote, or none (default: that of this machine or model, if there is one)", req.setTuning)
	fs.BoolVarP(&job.Tag, "tag-output", "l", false, "begin every line of output with its rank")
	fs.BoolVar(&job.Stamp, "timestamp-output", false, "begin every line of output with the time")
	fs.BoolVar(&job.Merge, "merge-stderr-to-stdout", false, "write the ranks' standard error to standard output")
	fs.BoolVarP(&job.Verbose, "verbose", "v", false, "print the placement of the ranks before the start")
	fs.BoolVarP(&req.quiet, "quiet", "q", false, "print no notes about options that are valid but have no effect, and no text about virtual time")
	fs.BoolVar(&req.check, "check", false, "check the use of requests and their buffers, and add checksums to all data sent between ranks")
	fs.BoolVar(&job.KeepGoing, "keep-going", false, "when a rank fails, let the others continue; their calls that need it return errors")
	fs.BoolVar(&req.dryRun, "dry-run", false, "print the placement of the ranks and stop")
	fs.BoolFuncP("version", "V", "print the version and stop", func(string) error { return errVersion })
	fs.BoolFuncP("help", "h", "print this help and stop", func(string) error { return errHelp })
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

// setDuration parses a duration, or a plain number of seconds as other launchers do.
func setDuration(to *time.Duration, v string) error {
	d, err := time.ParseDuration(v)
	seconds, notPlain := strconv.ParseFloat(v, 64)
	if notPlain == nil {
		d, err = time.ParseDuration(v + "s")
	}
	if notPlain == nil && seconds > time.Duration(math.MaxInt64).Seconds() || err != nil && tooLong(v) {
		return errors.New("no job takes so long; without the flag there is no limit")
	}
	if err != nil || d <= 0 {
		return errors.New("give a time above zero, such as 90s or 5m")
	}
	*to = d
	return nil
}

// tooLong reports whether a text that is no duration would be one if its numbers were smaller.
func tooLong(v string) bool {
	d, err := time.ParseDuration(regexp.MustCompile(`[0-9]+`).ReplaceAllString(v, "1"))
	return err == nil && d > 0
}

// setDebug parses the numbers of ranks; whether these ranks exist is checked later.
func (req *request) setDebug(v string) error {
	req.job.Debug = nil
	for word := range strings.SplitSeq(v, ",") {
		rank, err := strconv.Atoi(word)
		if err != nil || rank < 0 || slices.Contains(req.job.Debug, rank) {
			return errors.New("give numbers of ranks, each once, such as 2 or 0,3")
		}
		req.job.Debug = append(req.job.Debug, rank)
	}
	return nil
}

// setRingMemory parses a limit. A limit smaller than a ring is valid, too.
func (req *request) setRingMemory(v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return errors.New("give bytes, 1 or more; what is less than one ring leaves all ranks with the shared ones, without the flag there is no limit")
	}
	req.job.RingMemory = n
	return nil
}
