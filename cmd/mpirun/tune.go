package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"rhinet/internal/bar"
	"rhinet/internal/launch"
	"rhinet/internal/tuning"
)

// tuneWord is the first word of a command line that asks for a table.
const tuneWord = "tune"

// A tuner measures and writes a table.
type tuner struct {
	ranks   []int
	sizes   []int
	out     string // file; "": the usual one
	bench   string // the program that measures
	nic     string
	model   string
	place   string        // --topology
	set     []string      // --set
	each    time.Duration // of an algorithm and size
	passes  int           // over everything
	quiet   bool
	std     streams
	request *request // any job of this kind
	table   tuning.Table
	shown   *bar.Bar
	done    int // of what the bar counts
	all     int
}

// What is measured if the user names nothing else.
var (
	usualSizes   = []int{8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}
	modelRanks   = []int{2, 4, 8, 16}
	limitSizes   = []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10}
	modelSizes   = []int{512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10}
	splitSizes   = []int{64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20}
	limitsRounds = 3
)

// never is a limit that no message of a measurement reaches.
const never = 1 << 30

// tune is the command line behind the word.
func tune(args []string, std streams) int {
	t := &tuner{std: std}
	fs := t.flags()
	switch err := fs.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return answer(std, "the help", []byte(tuneHelp+fs.FlagUsages()))
	case err != nil:
		return usage(std, fmt.Errorf("tune: %w; mpirun tune --help lists the flags", err))
	case fs.NArg() > 0:
		return usage(std, fmt.Errorf("tune: %s: the command takes flags only, and a program of its name is started as ./%s", fs.Arg(0), tuneWord))
	}
	if err := t.check(); err != nil {
		return usage(std, fmt.Errorf("tune: %w", err))
	}
	t.shown = bar.New(std.err, t.quiet)
	defer t.shown.End()
	status, err := t.measure()
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

const tuneHelp = `Measure what suits this machine, or a modelled network, and write a table

Usage:
  mpirun tune [flags]

The algorithms of every collective operation are timed, and the sizes from which
messages travel in other ways. Later jobs on this machine, or on this model, use the
table: mpirun -v says so, and mpirun --tuning none runs without it.

Flags:
`

func (t *tuner) flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet(tuneWord, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.IntSliceVarP(&t.ranks, "np", "n", nil, "numbers of ranks to measure (default: 2, 4 ... up to twice the processors, at least 8)")
	fs.IntSliceVar(&t.sizes, "sizes", nil, "sizes of messages in bytes (default: eight from 8 bytes to 1 MiB)")
	fs.DurationVar(&t.each, "each", 10*time.Millisecond, "time that one algorithm takes at one size at most")
	fs.IntVar(&t.passes, "passes", 3, "measure so often; an algorithm must be faster each time")
	fs.StringVar(&t.out, "out", "", "write the table to `FILE` (default: where jobs look for it)")
	fs.StringVar(&t.nic, "nic", "", "measure with the network interface `NAME`")
	fs.StringVar(&t.model, "time", "", "measure in virtual time on the modelled network `MODEL`: the same table every time")
	fs.StringVar(&t.place, "topology", "", "with --time martini: the network, a `FILE` or a rule such as line:4x2")
	fs.StringArrayVar(&t.set, "set", nil, "with --time: a parameter of the model, `NAME=VALUE`; may be given several times")
	fs.StringVar(&t.bench, "bench", "", "the program that measures, bench of rhinet (default: beside mpirun, or built)")
	fs.BoolVarP(&t.quiet, "quiet", "q", false, "no progress on the terminal")
	return fs
}

// check reports mistakes, and fills in what the user has left out.
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
		t.sizes = usualSizes
	}
	if t.out == "" {
		if t.out, err = t.request.tablePlace(); err != nil {
			return fmt.Errorf("%w; name a file with --out", err)
		}
	}
	if _, err := launch.Prepare(&t.request.job); err != nil {
		return fmt.Errorf("the program that measures: %w; name it with --bench", err)
	}
	t.table = t.request.where()
	t.table.Ranks = t.ranks
	return nil
}

// besides is a program in the folder of this one, or else its package.
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
		return modelRanks
	}
	for n := 2; n <= max(8, 2*launch.Processors()); n *= 2 {
		list = append(list, n)
	}
	return list
}

// job is the request for a job of n ranks of the program that measures.
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

// A limit is a size from which on messages go another way.
type limit struct {
	name   string
	sizes  []int
	usual  int
	found  *int
	words  [2]tuning.Table // with which all of them go one way, and the other
	rounds int
}

// limits are those that are measured. A modelled network has no transfers that both sides move,
// and each measurement is like the other.
func (t *tuner) limits() []limit {
	eager := limit{"eager limit", limitSizes, usualEager, &t.table.Eager, [2]tuning.Table{{Eager: never}, {Eager: limitSizes[0] / 2}}, limitsRounds}
	if v := &t.request.virtual; v.on {
		eager.sizes, eager.usual, eager.rounds = modelSizes, v.eager(), 1
		eager.words[1].Eager = modelSizes[0] / 2
		return []limit{eager}
	}
	split := limit{"split", splitSizes, usualSplit, &t.table.Split, [2]tuning.Table{{Eager: usualEager, Split: never}, {Eager: usualEager, Split: 1}}, limitsRounds}
	return []limit{eager, split}
}

// measure fills the table. The status is that of a job that failed.
func (t *tuner) measure() (status int, err error) {
	if t.request.virtual.on {
		t.passes = 1 // each is like the other
	}
	limits := t.limits()
	t.all = t.passes * len(t.ranks) * operations
	for _, l := range limits {
		t.all += 2 * l.rounds
	}
	for _, l := range limits {
		var curves [2]tuning.Curve
		if status, err := t.curves(l, &curves); err != nil || status != 0 {
			return status, err
		}
		*l.found = tuning.Threshold(curves[0], curves[1], l.usual)
	}
	if t.table.Split > 0 {
		t.table.Split++ // from the next byte on
	}
	var cells []tuning.Cell
	for pass := range t.passes {
		for _, n := range t.ranks {
			text, status, err := t.run(n, t.contest()...)
			if err != nil || status != 0 {
				return status, err
			}
			more, err := parseCells(text, pass)
			if err != nil {
				return 0, err
			}
			cells = append(cells, more...)
		}
	}
	t.table.Rules = tuning.Rules(cells, t.processors())
	return 0, nil
}

// Limits of the default network interface; a table names others only if they are clearly better.
const (
	usualEager = 64 << 10
	usualSplit = 64 << 10
	operations = 19 // about as many are timed in turn
)

// processors is how many ranks do not share any; 0: any number.
func (t *tuner) processors() int {
	if t.request.virtual.on {
		return 0
	}
	return launch.Processors()
}

// contest are the arguments that have all algorithms timed.
func (t *tuner) contest() []string {
	args := []string{"pmb", "--algorithms", "--format", "csv", "--sizes", join(t.sizes), "--time", t.each.String()}
	if t.request.virtual.on {
		args = append(args, "--repetitions", "5") // one a round: each is like the other
	}
	return args
}

// curves times a ping-pong with two tables, in turn; of each size the least counts.
func (t *tuner) curves(l limit, curves *[2]tuning.Curve) (int, error) {
	args := []string{"pmb", "PingPong", "--steady", "--time", t.each.String(), "--sizes", join(l.sizes), "--format", "csv"}
	if t.request.virtual.on {
		args = append(args[:2], "--repetitions", "10", "--sizes", join(l.sizes), "--format", "csv")
	}
	for range l.rounds {
		for i := range l.words {
			t.shown.Step(t.done, t.all, l.name)
			text, status, err := t.runTuned(l.words[i].Word(), 2, args...)
			if err != nil || status != 0 {
				return status, err
			}
			if curves[i], err = least(curves[i], text); err != nil {
				return 0, err
			}
			t.done++
		}
	}
	return 0, nil
}

// run runs the program that measures with what the table says until now.
func (t *tuner) run(n int, args ...string) (text string, status int, err error) {
	return t.runTuned(t.table.Word(), n, args...)
}

func (t *tuner) runTuned(word string, n int, args ...string) (text string, status int, err error) {
	req, err := t.job(n, args...)
	if err != nil {
		return "", 0, err
	}
	out := &counted{t: t, ranks: n, seen: map[string]bool{}}
	job := &req.job
	job.Stdout, job.Stderr, job.Tuning = out, t.std.err, word
	plan, err := launch.Prepare(job)
	if err != nil {
		return "", 0, err
	}
	status = plan.Run()
	return out.String(), status, nil
}

// counted keeps what a job prints, and counts the operations in it.
type counted struct {
	bytes.Buffer
	t     *tuner
	ranks int
	from  int // of a line that is not counted
	seen  map[string]bool
}

// Write keeps text.
func (c *counted) Write(text []byte) (int, error) {
	n, err := c.Buffer.Write(text)
	for {
		line, _, whole := bytes.Cut(c.Bytes()[c.from:], []byte("\n"))
		if !whole {
			return n, err
		}
		c.from += len(line) + 1
		if op, _, _ := strings.Cut(string(line), ","); !c.seen[op] {
			c.seen[op] = true
			c.t.done = min(c.t.done+1, c.t.all)
			c.t.shown.Step(c.t.done, c.t.all, fmt.Sprintf("%s on %d ranks", op, c.ranks))
		}
	}
}

// columns reads the columns that a CSV has under the names of its first line.
func columns(text string, names ...string) (rows [][]string, err error) {
	r := csv.NewReader(strings.NewReader(text))
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the program that measures printed no table: %w", err)
	}
	var at []int
	for _, name := range names {
		i := slices.Index(head, name)
		if i < 0 {
			return nil, fmt.Errorf("the program that measures printed no column %s; it must be bench of the same rhinet", name)
		}
		at = append(at, i)
	}
	for {
		line, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the program that measures printed no table: %w", err)
		}
		row := make([]string, len(at))
		for i, k := range at {
			row[i] = line[k]
		}
		rows = append(rows, row)
	}
}

// parseCells reads what a contest printed.
func parseCells(text string, pass int) (cells []tuning.Cell, err error) {
	rows, err := columns(text, "operation", "algorithm", "ranks", "bytes", "block", "t_avg_usec", "chosen")
	if err != nil {
		return nil, err
	}
	for _, f := range rows {
		c := tuning.Cell{Operation: f[0], Algorithm: f[1], Chosen: f[6] == "true", Pass: pass}
		var errs [4]error
		c.Ranks, errs[0] = strconv.Atoi(f[2])
		c.Bytes, errs[1] = strconv.Atoi(f[3])
		c.Block, errs[2] = strconv.Atoi(f[4])
		c.Usec, errs[3] = strconv.ParseFloat(f[5], 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("the program that measures printed %q: %w", strings.Join(f, ","), err)
		}
		c.Usec = max(c.Usec, 1e-4) // what is shorter prints as nothing
		cells = append(cells, c)
	}
	return cells, nil
}

// least keeps the least time of each size.
func least(c tuning.Curve, text string) (tuning.Curve, error) {
	rows, err := columns(text, "bytes", "t_avg_usec")
	if err != nil {
		return nil, err
	}
	if c == nil {
		c = tuning.Curve{}
	}
	for _, f := range rows {
		n, bad := strconv.Atoi(f[0])
		v, wrong := strconv.ParseFloat(f[1], 64)
		if err := errors.Join(bad, wrong); err != nil {
			return nil, fmt.Errorf("the program that measures printed %q: %w", strings.Join(f, ","), err)
		}
		if have, known := c[n]; !known || v < have {
			c[n] = v
		}
	}
	return c, nil
}

// write writes the table and says what it holds.
func (t *tuner) write() error {
	text, err := t.table.Encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.out), 0o755); err != nil {
		return err
	}
	part := t.out + ".part"
	if err := os.WriteFile(part, text, 0o644); err != nil {
		return err
	}
	if err := os.Rename(part, t.out); err != nil {
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
		t.out, len(t.table.Rules), join(t.ranks), limit(t.table.Eager), limit(t.table.Split), uses)
}

func join(numbers []int) string {
	text := make([]string, len(numbers))
	for i, n := range numbers {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}
