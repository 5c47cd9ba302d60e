package watch

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"rhinet/internal/parallel"
	"rhinet/internal/wait"
)

// A Work is something whose instructions are counted: the difference between two commands with the same
// start and end.
type Work struct {
	Name       string
	Base, Full []string
	Per        int // repetitions in Full minus those in Base
}

// A WorkCost is the cost of one repetition of a work: the smallest of several tries, because the Go runtime
// only adds to it.
type WorkCost struct {
	Work         string  `json:"work"`
	Tool         string  `json:"tool"` // the tool that counted: perf, or valgrind
	Instructions float64 `json:"instructions"`
	Noise        float64 `json:"instructions_noise"` // (most - least) / least of the tries
	Lines        float64 `json:"cache_lines"`        // cache lines not found in the first-level cache; below 0: not counted
	LinesNoise   float64 `json:"cache_lines_noise"`
	Cycles       float64 `json:"cycles"` // for information; below 0: not counted
}

// counts are the results of a tool for one run of a command.
type counts struct{ instructions, lines, cycles float64 }

// absent stands for a count that a tool does not provide.
const absent = -1

// A Counter is a tool that counts the instructions of a command.
type Counter struct {
	name string
	// args are put before the command. The tool writes its results to file descriptor 3.
	args  []string
	parse func(text string) (counts, error)
	// The tool simulates the processor, so that a neighbor does not change what it counts.
	simulates bool
}

// FindCounter returns the first tool that works on this machine, or an error that says in one line what is
// wrong with each.
func FindCounter(ctx context.Context) (*Counter, error) {
	var why []string
	for _, c := range []Counter{perf, valgrind} {
		if _, err := exec.LookPath(c.args[0]); err != nil {
			why = append(why, c.name+" is not installed")
			continue
		}
		_, err := c.count(ctx, []string{"true"})
		if err == nil {
			return &c, nil
		}
		why = append(why, c.name+" "+err.Error())
	}
	return nil, fmt.Errorf("instructions are not counted: %s", strings.Join(why, ", "))
}

// calm are settings of the Go runtime under which a program does the same every time: no preemption by
// signals, no garbage collection, one thread. If the machine lacks RDTSCP, valgrind's processor announces
// the instruction but does not support it, so the runtime must not use it.
var calm = []string{"GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOGC=off", "GOMAXPROCS=1"}

// patience is how long the tool may take to write its results.
const patience = 2 * time.Second

// run runs a command for counting, with or without a tool, and returns what arrives on file descriptor 3.
func run(ctx context.Context, args []string) (string, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer read.Close()
	var errs strings.Builder
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), calm...)
	cmd.Stderr = &errs
	cmd.ExtraFiles = []*os.File{write}
	found := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(read)
		found <- text
	}()
	err = cmd.Run()
	write.Close()
	read.SetReadDeadline(time.Now().Add(patience)) // a tool that was killed may leave its command behind
	text := string(<-found)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", args[0], err, lastLine(errs.String()))
	}
	return text, nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// count runs a command under the tool.
func (c Counter) count(ctx context.Context, args []string) (counts, error) {
	text, err := run(ctx, append(append([]string{}, c.args...), args...))
	if err != nil {
		return counts{}, err
	}
	return c.parse(text)
}

// works counts all works, several at once if the tool is not disturbed by that. notes say what cannot be
// counted. The first work that fails ends all.
func (o Options) works(ctx context.Context) (list []WorkCost, notes []string, err error) {
	costs, whys := make([]WorkCost, len(o.Works)), make([]error, len(o.Works))
	var telling sync.Mutex
	err = parallel.Each(ctx, len(o.Works), o.Counter.jobs(), func(ctx context.Context, i int) (err error) {
		telling.Lock()
		o.tell(len(o.Tests)+i, o.Works[i].Name)
		telling.Unlock()
		if costs[i], whys[i], err = o.work(ctx, o.Works[i]); err != nil {
			err = fmt.Errorf("%s: %w", o.Works[i].Name, err)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i, why := range whys {
		if why != nil {
			notes = append(notes, fmt.Sprintf("instructions of %s are not counted: %v", o.Works[i].Name, why))
		} else {
			list = append(list, costs[i])
		}
	}
	return list, notes, nil
}

// jobs returns how many commands are counted at once.
func (c *Counter) jobs() int {
	if c != nil && c.simulates {
		return wait.UsableCPUs()
	}
	return 1
}

// alone runs a work without the tool under which it has failed: an error is then the work's own.
func (o Options) alone(ctx context.Context, w Work) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, err := run(ctx, w.Full)
	return err
}

// work counts one work. It returns an error if the command fails by itself; why says that it fails only
// under the tool.
func (o Options) work(ctx context.Context, w Work) (cost WorkCost, why, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	var base, full tries
	for range o.Tries {
		for _, run := range []struct {
			args []string
			to   *tries
		}{{w.Base, &base}, {w.Full, &full}} {
			n, err := o.Counter.count(ctx, run.args)
			if err != nil {
				return cost, err, o.alone(ctx, w)
			}
			run.to.add(n)
		}
		if cost = o.costOf(w, base, full); o.enough != nil && o.enough(cost) {
			break
		}
	}
	return cost, nil, nil
}

// costOf returns the cost of a work from the tries so far.
func (o Options) costOf(w Work, base, full tries) WorkCost {
	per := float64(w.Per)
	cost := WorkCost{Work: w.Name, Tool: o.Counter.name, Lines: absent, Cycles: absent}
	cost.Instructions, cost.Noise = difference(base.instructions, full.instructions, per)
	if full.lines.least >= 0 {
		cost.Lines, cost.LinesNoise = difference(base.lines, full.lines, per)
	}
	if full.cycles.least >= 0 {
		cost.Cycles, _ = difference(base.cycles, full.cycles, per)
	}
	return cost
}

// span is the range of a count over the tries.
type span struct{ least, most float64 }

// tries are the ranges of all counts.
type tries struct {
	instructions, lines, cycles span
	any                         bool
}

func (t *tries) add(n counts) {
	for _, v := range []struct {
		to *span
		n  float64
	}{{&t.instructions, n.instructions}, {&t.lines, n.lines}, {&t.cycles, n.cycles}} {
		if !t.any {
			*v.to = span{v.n, v.n}
		}
		v.to.least, v.to.most = math.Min(v.to.least, v.n), math.Max(v.to.most, v.n)
	}
	t.any = true
}

// difference returns the cost of a repetition, and its relative noise: the range of both counts over the
// cost.
func difference(base, full span, per float64) (cost, noise float64) {
	cost = math.Max((full.least-base.least)/per, 0)
	if cost > 0 {
		noise = (full.most - full.least + base.most - base.least) / per / cost
	}
	return cost, noise
}
