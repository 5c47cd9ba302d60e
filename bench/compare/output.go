package compare

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"rhinet/bench"
	"rhinet/bench/pmb"
	"rhinet/bench/progress"
)

// Formats names the output formats of a comparison. The last one is Go's benchmark format for benchstat:
// benchstat -col /runtime FILE.
const Formats = "table, markdown, csv, json, go"

// CheckFormat reports whether format is one of Formats.
func CheckFormat(format string) error {
	if slices.Contains(strings.Split(Formats, ", "), format) {
		return nil
	}
	return fmt.Errorf("unknown format %q; the formats are %s", format, Formats)
}

// Write prints the comparison in a format that CheckFormat accepts.
func (res *Result) Write(out io.Writer, format string) error {
	switch format {
	case "json":
		return res.Encode(out)
	case "csv":
		return res.csv(out)
	case "markdown":
		return res.markdown(out)
	case "go":
		return res.gobench(out)
	}
	fmt.Fprintln(out, res.Host)
	fmt.Fprintln(out, res.Legend())
	if err := bench.Table(out, res.Header(), res.table()); err != nil {
		return err
	}
	for _, n := range res.Remarks() {
		fmt.Fprintln(out, "note:", n)
	}
	return nil
}

// Legend explains the columns.
func (res *Result) Legend() string {
	what := "microseconds (memory: KiB a rank)"
	kernel := func(s Sample) bool { return s.Unit == mops }
	switch first := slices.IndexFunc(res.Samples, kernel); {
	case first == 0:
		what = "Mop/s, more is better"
	case first > 0:
		what = "microseconds (memory: KiB a rank; kernels: Mop/s, more is better)"
	}
	if res.Waits {
		what = "seconds of run time, and _wait: seconds of it in MPI calls, mean of the ranks; less is better"
	}
	if res.Cost {
		what = "seconds of the timed section"
	}
	if res.Efficiency {
		what += "; _efficiency: the speed on so many single ranks that is reached, in %, more is better"
	}
	if slices.ContainsFunc(res.Samples, func(s Sample) bool { return progress.IsPercent(s.Test) }) {
		what += aboutProgress
	}
	if slices.ContainsFunc(res.Samples, func(s Sample) bool { return pmb.IsOverlap(s.Test) }) {
		what += "; of nonblocking operations the time in calls that computation does not hide, and the overlap in %"
	}
	if res.OwnBarrier {
		what += "; between collective calls a barrier of messages, the same on all runtimes"
	}
	if res.Fresh {
		what += "; before collective calls ranks write what they send, and after them read what they have received"
	}
	text := bench.Number(res.Rounds, "round") + " in rotated order, "
	if res.Budget != "0s" {
		text += res.Budget + " a size; "
	}
	text += what
	if len(res.Runtimes) > 1 {
		ratio := res.Runtimes[0] + " / other"
		if res.Cost {
			ratio = "with the flag / " + res.Runtimes[0]
		}
		text += fmt.Sprintf("; ratio = %s, median [95 %% interval] of the rounds", ratio)
	}
	if c := res.Calibrated; c != nil {
		text += fmt.Sprintf("; calibration %s", c)
		if c := res.CalibratedAfter; c != nil {
			text += fmt.Sprintf(", after %s", c)
		}
	}
	return text
}

// Header names the columns of the table.
func (res *Result) Header() []string {
	h := append([]string{"test", "ranks", "bytes"}, res.Runtimes...)
	for _, name := range res.Runtimes[1:] {
		if res.Cost {
			h = append(h, name+" / "+res.Runtimes[0])
		} else {
			h = append(h, "/ "+name)
		}
	}
	return append(h, res.betterHeader()...)
}

// betterHeader names the columns of the ratios to the faster of the peers.
func (res *Result) betterHeader() []string {
	if len(res.Peers()) == 0 {
		return nil
	}
	h := []string{"/ faster peer"}
	for _, name := range res.Runtimes[1:res.ours()] {
		h = append(h, name+" / faster peer")
	}
	return h
}

// Shown returns the ratios of a line in the order of the header.
func (res *Result) Shown(l Line) []Ratio {
	ratios := slices.Clone(l.Ratios)
	if len(res.Peers()) > 0 {
		ratios = append(ratios, l.Better...)
	}
	return ratios
}

func (res *Result) table() [][]string {
	var rows [][]string
	for _, l := range res.Lines() {
		row := []string{l.Test, strconv.Itoa(l.Ranks), strconv.Itoa(l.Bytes)}
		for i, m := range l.Medians {
			text := number(m)
			if l.Unit == seconds && m < 100 {
				text = fmt.Sprintf("%.5f", m)
			}
			if res.Slow(i, l) {
				text = "too slow"
			}
			row = append(row, text)
		}
		for _, r := range res.Shown(l) {
			text := "-"
			if r.Pairs > 0 {
				text = r.String() + " " + r.Verdict(l.Rate())
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return rows
}

func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case v < 100:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func (res *Result) markdown(out io.Writer) error {
	fmt.Fprintf(out, "%s\n\n%s.\n\n", res.Host, res.Legend())
	if err := bench.Markdown(out, res.Header(), res.table()); err != nil {
		return err
	}
	for _, n := range res.Remarks() {
		fmt.Fprintf(out, "\nnote: %s\n", n)
	}
	return nil
}

// csv writes the medians and ratios, followed by the remaining data of each ratio.
func (res *Result) csv(out io.Writer) error {
	w := csv.NewWriter(out)
	h := res.Header()
	for _, name := range h[3+len(res.Runtimes):] {
		for _, what := range []string{"first quartile", "third quartile", "from", "to", "pairs", "outliers", "verdict"} {
			h = append(h, name+" "+what)
		}
	}
	w.Write(append(h, "unit"))
	plain := func(v float64) string {
		if math.IsNaN(v) {
			return "-"
		}
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	for _, l := range res.Lines() {
		row := []string{l.Test, strconv.Itoa(l.Ranks), strconv.Itoa(l.Bytes)}
		for _, m := range l.Medians {
			row = append(row, plain(m))
		}
		for _, r := range res.Shown(l) {
			row = append(row, plain(r.Median))
		}
		for _, r := range res.Shown(l) {
			row = append(row, plain(r.Low), plain(r.High), plain(r.From), plain(r.To), strconv.Itoa(r.Pairs), strconv.Itoa(r.Outliers), r.Verdict(l.Rate()))
		}
		w.Write(append(row, l.Unit))
	}
	w.Flush()
	return w.Error()
}

// gobench writes every sample as one result line of Go's benchmark format
// (golang.org/design/14313).
func (res *Result) gobench(out io.Writer) error {
	if err := bench.GoHeader(out, res.Host); err != nil {
		return err
	}
	for _, s := range res.Samples {
		value, unit := s.Value, s.unit()
		if unit == "usec" {
			value, unit = value*1e3, "ns/op"
		}
		if _, err := fmt.Fprintf(out, "%s/ranks=%d/bytes=%d/runtime=%s 1 %g %s\n",
			bench.GoName(s.Test), s.Ranks, s.Bytes, bench.GoWord(s.Runtime), value, unit); err != nil {
			return err
		}
	}
	return nil
}
