package pmb

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"rhinet/bench"
)

// Formats names the output formats; imb is the text format of IMB.
const Formats = "imb, csv, json"

// A Printer is a Report that writes. Close ends the output and returns the
// first error of writing it.
type Printer interface {
	Report
	Close() error
}

// NewPrinter returns the printer of a format named in Formats. The lines of about describe machine and
// method; command is the command line.
func NewPrinter(format string, out io.Writer, about []string, command string, list []Benchmark, o Options) (Printer, error) {
	switch format {
	case "imb":
		return &imb{out: out, about: about, command: command, list: list, check: o.Check, multi: o.Multi}, nil
	case "csv":
		return &rows{out: out}, nil
	case "json":
		return &rows{out: out, asJSON: true}, nil
	}
	return nil, fmt.Errorf("unknown format %q; the formats are %s", format, Formats)
}

// imb prints as the Intel MPI Benchmarks do: comments begin with #, columns
// are 13 wide.
type imb struct {
	out          io.Writer
	about        []string
	list         []Benchmark
	command      string
	check, multi bool
	started      bool
	b            Benchmark
	err          error
}

func (p *imb) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

func (p *imb) start() {
	if p.started {
		return
	}
	p.started = true
	p.printf("#------------------------------------------------------------\n#    rhinet PMB, %s part\n#------------------------------------------------------------\n", p.part())
	p.printf("# Date                  : %s\n", time.Now().UTC().Format(time.ANSIC))
	for _, line := range p.about {
		p.printf("# %s\n", line)
	}
	p.printf("\n\n# Calling sequence was: \n\n# %s\n\n", p.command)
	p.printf("# MPI_Datatype                   :   MPI_BYTE \n# MPI_Datatype for reductions    :   MPI_FLOAT \n# MPI_Op                         :   MPI_SUM  \n#\n#\n\n# List of Benchmarks to run:\n\n")
	for _, b := range p.list {
		p.printf("# %s\n", p.title(b.Name))
	}
}

// part returns IMB's name for the part of the suite to which all benchmarks belong.
func (p *imb) part() string {
	if len(p.list) > 0 && !slices.ContainsFunc(p.list, func(b Benchmark) bool { return b.start == nil }) {
		return "MPI-NBC"
	}
	return "MPI-1"
}

func (p *imb) title(name string) string {
	if p.multi {
		return "Multi-" + name
	}
	return name
}

func (p *imb) Begin(b Benchmark, groups [][]int, world int) {
	p.start()
	p.b = b
	if b.Name == "bw" || b.Name == "bibw" {
		title := "Bandwidth"
		if b.Name == "bibw" {
			title = "Bi-Directional Bandwidth"
		}
		p.printf("\n# MPI %s Test\n# %-8s%20s%20s\n", title, "Size", "Bandwidth (MB/s)", "Messages/s")
		return
	}
	columns := p.columns()
	rule := "#" + strings.Repeat("-", max(len(columns), 4)*13-1) + "\n"
	p.printf("\n%s# Benchmarking %s \n", rule, p.title(b.Name))
	used := len(groups) * len(groups[0])
	if p.multi && len(groups) > 1 {
		p.printf("# ( %d groups of %d processes each running simultaneous ) \n", len(groups), len(groups[0]))
		for i, g := range groups {
			p.printf("# Group %2d: ", i)
			for _, r := range g {
				p.printf("%5d", r)
			}
			p.printf("\n#\n")
		}
	} else {
		p.printf("# #processes = %d \n", used)
	}
	if used < world {
		p.printf("# ( %d additional processes waiting in MPI_Barrier)\n", world-used)
	}
	p.printf("%s", rule)
	for _, c := range columns {
		p.printf("%13s", c)
	}
	p.printf("\n")
}

// columns returns the column heads for a benchmark's kind.
func (p *imb) columns() []string {
	c := []string{"#bytes", "#repetitions"}
	switch p.b.Kind {
	case Single:
		if p.multi {
			c = append(c, "t_min[usec]", "t_max[usec]", "t_avg[usec]", "Mbytes/sec")
		} else {
			c = append(c, "t[usec]", "Mbytes/sec")
		}
	case Parallel:
		c = append(c, "t_min[usec]", "t_max[usec]", "t_avg[usec]", "Mbytes/sec")
	case Collective:
		c = append(c, "t_min[usec]", "t_max[usec]", "t_avg[usec]")
	case Window:
		c = append(c, "Mbytes/sec", "Msg/sec")
	case Sync:
		c = append(c, "t_min[usec]", "t_max[usec]", "t_avg[usec]")
	case Overlap:
		c = append(c, "t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]", "overlap[%]")
	}
	if p.b.Sizeless() {
		c = c[1:]
	}
	if p.check {
		c = append(c, "defects")
	}
	return c
}

func (p *imb) Row(r Row) {
	if p.b.Name == "bw" || p.b.Name == "bibw" {
		p.printf("%-10d%20.2f%20.2f\n", r.Bytes, r.MBPerSec, r.MsgPerSec)
		return
	}
	for _, c := range p.columns() {
		switch c {
		case "#bytes":
			p.printf("%13d", r.Bytes)
		case "#repetitions":
			p.printf("%13d", r.Repetitions)
		case "t[usec]", "t_max[usec]":
			p.printf("%13.2f", r.Max)
		case "t_min[usec]":
			p.printf("%13.2f", r.Min)
		case "t_avg[usec]":
			p.printf("%13.2f", r.Avg)
		case "Mbytes/sec":
			p.printf("%13.2f", r.MBPerSec)
		case "t_ovrl[usec]":
			p.printf("%13.2f", r.Overlapped)
		case "t_pure[usec]":
			p.printf("%13.2f", r.Pure)
		case "t_CPU[usec]":
			p.printf("%13.2f", r.CPU)
		case "overlap[%]":
			p.printf("%13.2f", r.Hidden)
		case "Msg/sec":
			p.printf("%13.0f", r.MsgPerSec)
		case "defects":
			p.printf("%13d", r.Defects)
		}
	}
	p.printf("\n")
}

func (p *imb) Skip(bytes int, why string) { p.printf("# %d bytes: %s\n", bytes, why) }
func (p *imb) End()                       {}

func (p *imb) Close() error {
	p.start()
	p.printf("\n\n# All processes entering MPI_Finalize\n\n")
	return p.err
}

// rows prints CSV or JSON for programs.
type rows struct {
	out    io.Writer
	asJSON bool
	rows   []Row
}

func (p *rows) Begin(Benchmark, [][]int, int) {}
func (p *rows) Row(r Row)                     { p.rows = append(p.rows, r) }
func (p *rows) Skip(int, string)              {}
func (p *rows) End()                          {}

// header is the first line of the CSV; ParseCSV requires it.
var header = []string{"test", "ranks", "groups", "bytes", "repetitions", "t_min_usec", "t_max_usec", "t_avg_usec", "MB_s", "msg_s", "t_ovrl_usec", "t_pure_usec", "t_CPU_usec", "overlap_percent", "defects"}

func (p *rows) Close() error {
	if p.asJSON {
		return bench.WriteJSON(p.out, p.rows)
	}
	w := csv.NewWriter(p.out)
	w.Write(header)
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	for _, r := range p.rows {
		w.Write([]string{r.Test, strconv.Itoa(r.Ranks), strconv.Itoa(r.Groups), strconv.Itoa(r.Bytes), strconv.Itoa(r.Repetitions),
			f(r.Min), f(r.Max), f(r.Avg), f(r.MBPerSec), f(r.MsgPerSec), f(r.Overlapped), f(r.Pure), f(r.CPU), f(r.Hidden), strconv.Itoa(r.Defects)})
	}
	w.Flush()
	return w.Error()
}

// ParseCSV parses the csv format.
func ParseCSV(text string) ([]Row, error) {
	lines, err := bench.ReadCSV(text, header)
	if err != nil {
		return nil, err
	}
	var list []Row
	for _, f := range lines {
		r := Row{Test: f[0]}
		if err := bench.Numbers(f[1:], &r.Ranks, &r.Groups, &r.Bytes, &r.Repetitions, &r.Min, &r.Max, &r.Avg, &r.MBPerSec, &r.MsgPerSec, &r.Overlapped, &r.Pure, &r.CPU, &r.Hidden, &r.Defects); err != nil {
			return nil, err
		}
		if b, err := Find(r.Test); err == nil {
			r.kind = b.Kind
		}
		list = append(list, r)
	}
	return list, nil
}

// Usec returns the figure by which runtimes are compared: the mean time of a repetition, for rates the time
// of one message, and for overlap the time in calls, which computation does not hide. The peers' program
// reports the same.
func (r Row) Usec() float64 {
	switch {
	case r.kind == Window && r.MsgPerSec > 0:
		return 1e6 / r.MsgPerSec
	case r.kind == Overlap:
		return max(r.Overlapped-r.CPU, 0)
	}
	return r.Avg
}

// Overlaps reports whether the row is one of overlap with computation.
func (r Row) Overlaps() bool { return r.kind == Overlap }

const overlapMark = "_overlap"

// OverlapTest is the name under which comparisons store the overlap of a test.
func OverlapTest(test string) string { return test + overlapMark }

// IsOverlap reports whether a name is from OverlapTest.
func IsOverlap(name string) bool { return strings.HasSuffix(name, overlapMark) }

// Usage prints the list of benchmarks.
func Usage(out io.Writer) error {
	for _, b := range All() {
		if _, err := fmt.Fprintf(out, "%-16s%s\n", b.Name, b.About); err != nil {
			return err
		}
	}
	return nil
}

// Defects is a printer that sums up the defects in the rows.
type Defects struct {
	Printer
	Found int
}

// Row implements Report.
func (d *Defects) Row(r Row) {
	d.Found += r.Defects
	d.Printer.Row(r)
}
