package main

import (
	"fmt"
	"io"
	"os"

	"rhinet/npb/nas"
)

// An output writes the reports of rank 0 in one of the formats. It keeps the first error of the writer for
// close.
type output struct {
	format   string
	w        io.Writer
	notes    io.Writer // for anything other than results
	progress *progress // nil if progress would not be visible
	results  []nas.Result
	many     bool
	err      error
}

func newOutput(o *options, stdout, stderr io.Writer) *output {
	out := &output{format: o.format, w: stdout, notes: stderr, many: o.all || len(o.kernels) > 1}
	out.progress = newProgress(stderr, os.Getenv(terminalVariable))
	switch out.format {
	case "csv":
		out.keep(nas.WriteCSVHeader(out.w))
	case "text":
		out.notes = stdout
	}
	return out
}

func (out *output) keep(err error) {
	if out.err == nil {
		out.err = err
	}
}

// note prints a remark: next to the reports in text format, otherwise to stderr.
func (out *output) note(text string) {
	_, err := fmt.Fprintf(out.notes, " %s\n", text)
	out.keep(err)
}

// begin announces a problem and returns the function that shows its progress, or nil.
func (out *output) begin(p nas.Problem, procs int) func(k, n int) {
	if out.format == "text" {
		out.keep(nas.WriteBanner(out.w, p, procs))
	}
	if out.progress == nil {
		return nil
	}
	return out.progress.of(p.Kernel)
}

// result reports one run.
func (out *output) result(r nas.Result) {
	if out.progress != nil {
		out.progress.clear()
	}
	out.results = append(out.results, r)
	switch out.format {
	case "text":
		out.keep(nas.WriteReport(out.w, &r))
	case "json":
		out.keep(nas.WriteJSON(out.w, &r))
	case "csv":
		out.keep(nas.WriteCSV(out.w, &r))
	}
}

// close ends the report and returns the first error of writing it.
func (out *output) close() error {
	if out.format == "text" && out.many && len(out.results) > 0 {
		out.keep(nas.WriteSummary(out.w, out.results))
	}
	return out.err
}
