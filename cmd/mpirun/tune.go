package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"rhinet/internal/bar"
	"rhinet/internal/launch"
	"rhinet/internal/tuning"
	"rhinet/internal/tuning/measure"
)

// tuneWord is the first argument of a command line that requests a table.
const tuneWord = "tune"

// A tuner measures and writes a table.
type tuner struct {
	ranks   []int
	sizes   []int
	out     string // file; "": the default file
	bench   string // the measuring program
	nic     string
	model   string
	place   string        // --topology
	set     []string      // --set
	each    time.Duration // time for an algorithm and size
	passes  int           // over everything
	quiet   bool
	std     streams
	request *request // any job of this kind
	table   tuning.Table
	shown   *bar.Bar
}

// tune runs the command line after the word.
func tune(args []string, std streams) int {
	t := &tuner{std: std}
	fs := t.flags()
	help := tuneHelp + fs.FlagUsages()
	wordValues(fs)
	whole := new(launch.Part) // there are no parts
	refuseTwice(fs, func() *launch.Part { return whole })
	switch rest, err := parseFlags(fs, args); {
	case errors.Is(err, errHelp):
		return answer(std, "the help", []byte(help))
	case err != nil:
		return usage(std, fmt.Errorf("tune: %w; mpirun tune --help lists the flags", plain(err)))
	case len(rest) > 0:
		return usage(std, fmt.Errorf("tune: %s: the command takes flags only, and a program of its name is started as ./%s", rest[0], tuneWord))
	}
	if err := t.check(); err != nil {
		return usage(std, fmt.Errorf("tune: %w", err))
	}
	t.shown = bar.New(std.err, t.quiet)
	defer t.shown.End()
	status, err := t.measured()
	t.shown.End()
	if err == nil && status == 0 {
		err = t.write()
	}
	if err != nil {
		fmt.Fprintf(std.err, "mpirun: tune: %v\n", err)
		return launch.StatusFailed
	}
	return status
}

// plain leaves the hint of an unknown flag to the caller.
func plain(err error) error {
	var word unknown
	if errors.As(err, &word) {
		return fmt.Errorf("unknown flag %s", string(word))
	}
	return err
}

// A worded is a flag's value whose mistakes say which values there are, where the flag library says only why it
// could not parse one.
type worded struct{ pflag.Value }

func (w worded) Set(v string) error {
	err := w.Value.Set(v)
	if give := kinds[w.Type()]; err != nil && give != "" {
		return errors.New("give " + give)
	}
	return err
}

// kinds are the values of flags, by type.
var kinds = map[string]string{
	"intSlice": "whole numbers with commas between them, such as 8,4096", "int": "a whole number",
	"duration": "a time, such as 10ms",
}

func wordValues(fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) { f.Value = worded{f.Value} })
}

const tuneHelp = `Measure the best settings for this machine, or a modelled network, and write a table

Usage:
  mpirun tune [flags]

It times the algorithms of every collective operation, and finds the message sizes at
which another protocol is faster. Later jobs on this machine, or on this model, use
the table: mpirun -v says so, and mpirun --tuning none runs without it.

Flags:
`

func (t *tuner) flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet(tuneWord, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.IntSliceVarP(&t.ranks, "np", "n", nil, "numbers of ranks to measure (default: 2, 4 ... up to twice the processors, at least 8; for models 2, 4, 8, 16)")
	fs.IntSliceVar(&t.sizes, "sizes", nil, "sizes of messages in bytes (default: eight from 8 bytes to 1 MiB)")
	fs.DurationVar(&t.each, "each", 10*time.Millisecond, "maximum time for one algorithm at one size")
	fs.IntVar(&t.passes, "passes", 3, "number of times to measure; an algorithm must be faster each time (models are measured once)")
	fs.StringVar(&t.out, "out", "", "write the table to `FILE` (default: where jobs look for it)")
	fs.StringVar(&t.nic, "nic", "", "measure with the network interface `NAME`")
	fs.StringVar(&t.model, "time", "", "measure in virtual time on the modelled network `MODEL`; the result is the same every time")
	fs.StringVar(&t.place, "topology", "", "with --time martini: the topology of the network, a `FILE` or a rule such as line:4x2")
	fs.StringArrayVar(&t.set, "set", nil, "with --time: a parameter of the model, `NAME=VALUE`; may be given several times")
	fs.StringVar(&t.bench, "bench", "", "the measuring program, rhinet's bench (default: the one next to mpirun, or else built)")
	fs.BoolVarP(&t.quiet, "quiet", "q", false, "show no progress on the terminal")
	fs.BoolFuncP("help", "h", "print this help and stop", func(string) error { return errHelp })
	return fs
}

// check returns mistakes, and fills in defaults.
func (t *tuner) check() (err error) {
	for _, n := range t.sizes {
		if n < 4 || n%4 != 0 {
			return fmt.Errorf("--sizes %d: sizes are multiples of 4 above zero, for values of reductions", n)
		}
	}
	if t.each <= 0 {
		return fmt.Errorf("--each %v is not above zero", t.each)
	}
	if t.passes < 1 {
		return fmt.Errorf("--passes %d is not above zero", t.passes)
	}
	if t.bench == "" {
		t.bench = besides("bench")
	}
	if t.request, err = t.job(2); err != nil {
		return err
	}
	if t.ranks == nil {
		t.ranks = t.usualRanks()
	}
	for _, n := range t.ranks {
		if n < 2 || n > t.request.job.MaxRanks {
			return fmt.Errorf("-n %d: tables are of 2 to %d ranks", n, t.request.job.MaxRanks)
		}
		if _, err := t.job(n); err != nil { // more ranks than the topology has hosts
			return err
		}
	}
	slices.Sort(t.ranks)
	t.ranks = slices.Compact(t.ranks)
	if t.sizes == nil {
		t.sizes = measure.UsualSizes
	}
	if _, err := launch.Prepare(&t.request.job); err != nil {
		return fmt.Errorf("the program that measures: %w; name it with --bench", err)
	}
	if err := t.checkOut(); err != nil {
		return err
	}
	t.table = t.request.where()
	t.table.Ranks = t.ranks
	return nil
}

// checkOut reports a place to which no table can be written. Only in the default place, which has its folder made,
// may a file be replaced that is no table: jobs cannot read it, and ask for a new one.
func (t *tuner) checkOut() (err error) {
	if t.out != "" {
		if err := mayWrite(t.out, tableMark); err != nil {
			return fmt.Errorf("--out %s: %w", t.out, err)
		}
		return nil
	}
	if t.out, err = t.request.tablePlace(); err == nil {
		err = os.MkdirAll(filepath.Dir(t.out), 0o755)
	}
	if err != nil {
		return fmt.Errorf("%w; name a file with --out", err)
	}
	if err := mayWrite(t.out, anyMark); err != nil {
		return fmt.Errorf("%s: %w, with --out", t.out, err)
	}
	return nil
}

// besides returns a program in the folder of this one, or else its package.
func besides(name string) string {
	if self, err := os.Executable(); err == nil {
		file := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return "rhinet/cmd/" + name
}

func (t *tuner) usualRanks() (list []int) {
	if t.request.virtual.on {
		return measure.ModelRanks
	}
	for n := 2; n <= max(8, 2*launch.Processors()); n *= 2 {
		list = append(list, n)
	}
	return list
}

// job returns the request for a job of n ranks of the measuring program.
func (t *tuner) job(n int, args ...string) (*request, error) {
	words := []string{"-n", strconv.Itoa(n), "-q"}
	if t.nic != "" {
		words = append(words, "--nic", t.nic)
	}
	if t.model != "" {
		words = append(words, "--time", t.model)
	}
	if t.place != "" {
		words = append(words, "--topology", t.place)
	}
	for _, s := range t.set {
		words = append(words, "--set", s)
	}
	return parse(append(append(words, t.bench), args...))
}

// measured fills the table. status is that of a job that failed.
func (t *tuner) measured() (status int, err error) {
	plan := measure.Plan{
		Ranks: t.ranks, Sizes: t.sizes, Each: t.each, Passes: t.passes, Processors: launch.Processors(),
		Run: t.run, Step: t.shown.Step,
	}
	if v := &t.request.virtual; v.on {
		plan.Virtual, plan.Eager, plan.Processors = true, v.eager(), 0
	}
	return plan.Measure(&t.table)
}

// run runs the measuring program on n ranks, with the settings of a table.
func (t *tuner) run(word string, n int, out io.Writer, args ...string) (status int, err error) {
	req, err := t.job(n, args...)
	if err != nil {
		return 0, err
	}
	job := &req.job
	job.Stdout, job.Stderr, job.Tuning = out, t.std.err, word
	plan, err := launch.Prepare(job)
	if err != nil {
		return 0, err
	}
	return plan.Run(), nil
}

// write writes the table and prints its contents.
func (t *tuner) write() error {
	text, err := t.table.Encode()
	if err != nil {
		return err
	}
	if err := createWith(t.out, text); err != nil {
		return err
	}
	_, err = io.WriteString(t.std.out, t.summary())
	return err
}

func (t *tuner) summary() string {
	limit := func(n int) string {
		if n == 0 {
			return "as it was"
		}
		return strconv.Itoa(n) + " bytes"
	}
	uses := "jobs that name it with --tuning use it"
	if usual, err := t.request.tablePlace(); err == nil && usual == t.out {
		uses = "jobs use it from now on; mpirun --tuning " + noTuning + " runs without"
	}
	return fmt.Sprintf("%s: %d rules from %s ranks; eager limit %s, split %s\n%s\n",
		t.out, len(t.table.Rules), measure.Join(t.ranks), limit(t.table.Eager), limit(t.table.Split), uses)
}
