package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/compare"
	"rhinet/bench/peer"
	"rhinet/bench/rma"
)

// An rmaContest runs the same accesses here and on other runtimes, in turn.
type rmaContest struct {
	rmaRun
	out, errs      io.Writer
	ranks, rounds  int
	peers          []string
	mpirun, format string
}

const rmaContestFormats = "table, markdown, csv, json"

// A contender is a runtime and the command that runs a job on it.
type contender struct {
	name string
	args []string
	rest func(rma.Benchmark) []string // of args
	read func(string) ([]bench.Row, error)
}

func rmaCompare(out, errs io.Writer) *cobra.Command {
	r := rmaContest{out: out, errs: errs}
	c := &cobra.Command{
		Use:   "compare [name]...",
		Short: "Run them here and on other runtimes in turn, and print medians and paired ratios",
		RunE: func(c *cobra.Command, names []string) error {
			if err := r.parse(names); err != nil {
				return err
			}
			if r.ranks < 2 {
				return usage(fmt.Errorf("--ranks %d is less than 2; one rank has nobody to access", r.ranks))
			}
			if err := rma.Check(r.benchmarks, r.ranks, r.o.Sizes); err != nil {
				return usage(err)
			}
			if err := atLeastOne("rounds", r.rounds); err != nil {
				return usage(err)
			}
			if err := oneOf(rmaContestFormats, r.format); err != nil {
				return usage(err)
			}
			if err := compare.CheckPeers(r.peers); err != nil {
				return usage(err)
			}
			return r.run()
		},
	}
	r.flags(c, 20*time.Millisecond)
	f := c.Flags()
	f.IntVarP(&r.ranks, "ranks", "n", 2, "ranks of a job")
	f.IntVar(&r.rounds, "rounds", 5, "how often each job runs on each runtime")
	f.StringSliceVar(&r.peers, "peers", []string{"openmpi", "mpich"}, "runtimes to compare with")
	f.StringVar(&r.mpirun, "mpirun", "", "launcher to measure (default: that beside this program, or one built now)")
	f.StringVar(&r.format, "format", "table", "output format: "+rmaContestFormats)
	return c
}

func (r *rmaContest) run() error {
	p, closePlace, err := openPlace()
	if err != nil {
		return err
	}
	defer closePlace()
	all, err := r.contenders(p)
	if err != nil {
		return err
	}
	figures := make([]map[string][]float64, len(all))
	for i := range figures {
		figures[i] = map[string][]float64{}
	}
	for round := range r.rounds {
		for _, b := range r.benchmarks {
			if b.SizeList(r.o) == "" {
				continue
			}
			for k := range all {
				i := (k + round) % len(all)
				if err := r.job(p.ctx, all[i], b, figures[i]); err != nil && i == 0 {
					return err
				} else if err != nil {
					fmt.Fprintf(r.errs, "%s has no figures: %v\n", b.Name, err)
				}
			}
		}
	}
	return r.print(all, figures)
}

// job runs one benchmark and notes its figures. Another runtime may fail: it is not the one under test.
func (r *rmaContest) job(ctx context.Context, c contender, b rma.Benchmark, figures map[string][]float64) error {
	args := append(slices.Clone(c.args), c.rest(b)...)
	text, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	rows, err := c.read(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	for _, row := range rows {
		key := rmaKey(row.Test, row.Ranks, row.Bytes)
		figures[key] = append(figures[key], row.Microsecs)
	}
	return nil
}

func rmaKey(test string, ranks, bytes int) string { return fmt.Sprintf("%s %d %d", test, ranks, bytes) }

// contenders are this runtime first, and the others.
func (r *rmaContest) contenders(p place) ([]contender, error) {
	mpirun, err := p.program(r.mpirun, "mpirun")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ours := []string{mpirun, "-n", strconv.Itoa(r.ranks), self, "rma", "--format", "json", "--time", r.time.String()}
	if r.o.Aggregate {
		ours = append(ours, "--aggregate")
	}
	if r.o.Create {
		ours = append(ours, "--create")
	}
	all := []contender{{"rhinet", ours, func(b rma.Benchmark) []string { return []string{b.Name, "--sizes", b.SizeList(r.o)} }, ownRows}}
	for _, name := range r.peers {
		mpicc, launch, err := compare.Launch(name, r.ranks)
		if err != nil {
			return nil, err
		}
		bin, err := rma.CompilePeer(p.ctx, mpicc, p.dir)
		if err != nil {
			return nil, err
		}
		rest := func(b rma.Benchmark) []string { return rma.PeerArgs([]rma.Benchmark{b}, r.o) }
		all = append(all, contender{name, append(launch, bin), rest, peer.Parse})
	}
	return all, nil
}

// ownRows reads what this program prints.
func ownRows(text string) (rows []bench.Row, err error) {
	err = json.Unmarshal([]byte(text), &rows)
	return rows, err
}

// An rmaCell is one line of the result.
type rmaCell struct {
	Test  string    `json:"test"`
	Ranks int       `json:"ranks"`
	Bytes int       `json:"bytes"`
	Usec  []float64 `json:"usec"`  // median of each runtime, in the order of the header
	Ratio float64   `json:"ratio"` // median of the paired ratios to the faster of the others
}

// fill reads the figures of a key. A runtime without any has 0.
func (c *rmaCell) fill(figures []map[string][]float64, key string) error {
	if _, err := fmt.Sscanf(key, "%s %d %d", &c.Test, &c.Ranks, &c.Bytes); err != nil {
		return err
	}
	best := 0
	for i, f := range figures {
		c.Usec = append(c.Usec, rmaMedian(f[key]))
		if i > 0 && c.Usec[i] > 0 && (best == 0 || c.Usec[i] < c.Usec[best]) {
			best = i
		}
	}
	if best == 0 {
		return nil
	}
	var ratios []float64
	for i := range min(len(figures[0][key]), len(figures[best][key])) {
		ratios = append(ratios, figures[0][key][i]/figures[best][key][i])
	}
	c.Ratio = rmaMedian(ratios)
	return nil
}

func rmaMedian(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return s[len(s)/2]
}

func (r *rmaContest) print(all []contender, figures []map[string][]float64) error {
	header := []string{"test", "ranks", "bytes"}
	for _, c := range all {
		header = append(header, c.name+" usec")
	}
	header = append(header, "rhinet / faster peer")
	var cells []rmaCell
	var text [][]string
	for _, b := range r.benchmarks {
		for _, key := range rmaKeys(figures[0], b.Name) {
			var c rmaCell
			if err := c.fill(figures, key); err != nil {
				return err
			}
			line := []string{c.Test, strconv.Itoa(c.Ranks), strconv.Itoa(c.Bytes)}
			for _, v := range c.Usec {
				line = append(line, strconv.FormatFloat(v, 'f', 3, 64))
			}
			cells, text = append(cells, c), append(text, append(line, strconv.FormatFloat(c.Ratio, 'f', 2, 64)))
		}
	}
	return bench.WriteRows(r.out, r.format, header, text, cells)
}

// rmaKeys are those of a benchmark, by size.
func rmaKeys(figures map[string][]float64, name string) (keys []string) {
	for key := range figures {
		if strings.HasPrefix(key, name+" ") {
			keys = append(keys, key)
		}
	}
	size := func(key string) (n int) {
		_, _ = fmt.Sscanf(key[strings.LastIndex(key, " ")+1:], "%d", &n)
		return n
	}
	slices.SortFunc(keys, func(a, b string) int { return size(a) - size(b) })
	return keys
}
