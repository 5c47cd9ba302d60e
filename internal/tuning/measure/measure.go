// Package measure measures the contents of a table of tuning: it runs jobs that time the algorithms of
// collective operations and the ways to send messages, and parses their output.
package measure

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"rhinet/internal/tuning"
)

// A Plan says what is measured, and how.
type Plan struct {
	Ranks, Sizes []int         // of the jobs, and of their messages in bytes
	Each         time.Duration // time for an algorithm and size
	Passes       int           // over everything
	Processors   int           // up to this number of ranks each has a processor; 0: any number
	Virtual      bool          // in virtual time, where repeated measurements are equal
	Eager        int           // in virtual time: the longest message that the model sends at once

	// Run runs the measuring program on the given number of ranks, with the settings of a table
	// ([tuning.Table.Word]).
	Run func(word string, ranks int, out io.Writer, args ...string) (status int, err error)
	// Step reports the progress.
	Step func(done, all int, what string)

	table     *tuning.Table
	done, all int // arguments of Step
}

// Defaults of what is measured: sizes in bytes.
var (
	UsualSizes = []int{8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}
	ModelRanks = []int{2, 4, 8, 16}

	limitSizes = []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10}
	modelSizes = []int{512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10}
	splitSizes = []int{64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20}
)

const (
	never        = 1 << 30 // a limit that no message of a measurement reaches
	limitsRounds = 3

	// Limits of the default network interface; a table has others only if they are clearly better.
	usualEager = 64 << 10
	usualSplit = 64 << 10
	operations = 19 // approximate number of operations that are timed
)

// A limit is a size from which on messages are sent in another way.
type limit struct {
	name   string
	sizes  []int
	usual  int
	found  *int
	words  [2]tuning.Table // settings with which all messages are sent in one way, and in the other
	rounds int
}

// limits returns the limits that are measured. On a modelled network there are no transfers that both sides
// move, and repeated measurements are equal.
func (p *Plan) limits() []limit {
	eager := limit{"eager limit", limitSizes, usualEager, &p.table.Eager, [2]tuning.Table{{Eager: never}, {Eager: limitSizes[0] / 2}}, limitsRounds}
	if p.Virtual {
		eager.sizes, eager.usual, eager.rounds = modelSizes, p.Eager, 1
		eager.words[1].Eager = modelSizes[0] / 2
		return []limit{eager}
	}
	split := limit{"split", splitSizes, usualSplit, &p.table.Split, [2]tuning.Table{{Eager: usualEager, Split: never}, {Eager: usualEager, Split: 1}}, limitsRounds}
	return []limit{eager, split}
}

// Measure fills the table. status is that of a job that failed.
func (p *Plan) Measure(table *tuning.Table) (status int, err error) {
	p.table = table
	if p.Virtual {
		p.Passes = 1 // repeated measurements are equal
	}
	limits := p.limits()
	p.all = p.Passes * len(p.Ranks) * operations
	for _, l := range limits {
		p.all += 2 * l.rounds
	}
	for _, l := range limits {
		var curves [2]tuning.Curve
		if status, err := p.curves(l, &curves); err != nil || status != 0 {
			return status, err
		}
		*l.found = tuning.Threshold(curves[0], curves[1], l.usual)
	}
	if table.Split > 0 {
		table.Split++ // from the next byte on
	}
	var cells []tuning.Cell
	for pass := range p.Passes {
		for _, n := range p.Ranks {
			text, status, err := p.run(table.Word(), n, p.contest()...)
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
	table.Rules = tuning.Rules(cells, p.Processors)
	return 0, nil
}

// contest returns the arguments for timing all algorithms.
func (p *Plan) contest() []string {
	args := []string{"pmb", "--algorithms", "--format", "csv", "--sizes", Join(p.Sizes), "--time", p.Each.String()}
	if p.Virtual {
		args = append(args, "--repetitions", "5") // one in each round: repeated measurements are equal
	}
	return args
}

// curves times a ping-pong with two settings in turn; the least time of each size counts.
func (p *Plan) curves(l limit, curves *[2]tuning.Curve) (int, error) {
	args := []string{"pmb", "PingPong", "--steady", "--time", p.Each.String(), "--sizes", Join(l.sizes), "--format", "csv"}
	if p.Virtual {
		args = append(args[:2], "--repetitions", "10", "--sizes", Join(l.sizes), "--format", "csv")
	}
	for range l.rounds {
		for i := range l.words {
			p.Step(p.done, p.all, l.name)
			text, status, err := p.run(l.words[i].Word(), 2, args...)
			if err != nil || status != 0 {
				return status, err
			}
			if curves[i], err = least(curves[i], text); err != nil {
				return 0, err
			}
			p.done++
		}
	}
	return 0, nil
}

// run runs the measuring program with the given settings.
func (p *Plan) run(word string, n int, args ...string) (text string, status int, err error) {
	out := &counted{plan: p, ranks: n, seen: map[string]bool{}}
	status, err = p.Run(word, n, out, args...)
	return out.String(), status, err
}

// counted keeps the output of a job, and counts the operations in it.
type counted struct {
	bytes.Buffer
	plan  *Plan
	ranks int
	from  int // start of the line that has not been counted
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
			p := c.plan
			p.done = min(p.done+1, p.all)
			p.Step(p.done, p.all, fmt.Sprintf("%s on %d ranks", op, c.ranks))
		}
	}
}

// columns returns the columns of a CSV that have the given names in its first line.
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

// parseCells parses the output of a contest.
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
		c.Usec = max(c.Usec, 1e-4) // shorter times are printed as 0
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

// Join writes numbers with commas between them.
func Join(numbers []int) string {
	text := make([]string, len(numbers))
	for i, n := range numbers {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}
