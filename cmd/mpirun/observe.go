package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"rhinet/internal/launch"
	"rhinet/internal/observe"
	"rhinet/internal/observe/metrics"
	"rhinet/internal/perfetto"
	"rhinet/nicemu/vtime"
)

// An observation is what the command line requests to see about the ranks' calls.
type observation struct {
	stats   string // file to write to, onStandardError, or empty: not wanted
	trace   string // file to write to; empty: not wanted
	metrics string // address to serve at; empty: not wanted
	server  *http.Server
	program string
	file    *os.File
	reader  *observe.Reader
	modules func() (r *vtime.Recorder, ranks int) // activity of the parts of a modelled network; nil: there is none
	ranks   int                                   // of a job on several hosts
	lost    error                                 // why some of the records are missing
}

// onStandardError stands for the file if statistics are printed.
const onStandardError = "-"

// formats are the formats of statistics, by the extension of the file's name.
var formats = map[string]func(*observe.Stats, io.Writer) error{
	".txt":  (*observe.Stats).WriteText,
	".json": (*observe.Stats).WriteJSON,
	".html": (*observe.Stats).WriteHTML,
}

func (o *observation) setStats(file string) error {
	if file != onStandardError {
		if formats[filepath.Ext(file)] == nil {
			return errors.New("name a file that ends in .txt, .json or .html, which says how it is written")
		}
		if err := mayWrite(file, statsMarks[filepath.Ext(file)]); err != nil {
			return err
		}
	}
	o.stats = file
	return nil
}

func (o *observation) setMetrics(v string) (err error) {
	o.metrics, err = metrics.Address(v)
	return err
}

func (o *observation) setTrace(file string) error {
	o.trace = file
	return mayWrite(file, perfettoMark)
}

// wanted reports whether anything is to be observed.
func (o *observation) wanted() bool { return o.stats != "" || o.trace != "" || o.metrics != "" }

// attach makes the ranks of a job record their calls, if the command line requests it.
func (o *observation) attach(job *launch.Job) {
	if !o.wanted() {
		return
	}
	var names []string
	for _, p := range job.Parts {
		names = append(names, strings.Join(append([]string{p.Program}, p.Args...), " "))
	}
	o.program = strings.Join(names, " : ")
	if len(job.Hosts) > 0 {
		job.Gather.Observe, job.Gather.Trace = true, o.trace != ""
		o.ranks = job.Size()
		return
	}
	open := job.Open
	job.Open = func(ranks int) (launch.Fabric, error) {
		if err := o.open(ranks, job.Stderr); err != nil {
			return nil, err
		}
		job.Observe = o.file
		return open(ranks)
	}
}

// open creates the memory for the records.
func (o *observation) open(ranks int, log io.Writer) (err error) {
	if o.file, err = observe.Create(ranks, o.trace != ""); err != nil {
		return err
	}
	o.reader, err = observe.NewReader(o.file)
	if err != nil || o.metrics == "" {
		return err
	}
	var at net.Addr
	if o.server, at, err = metrics.Serve(o.metrics, o.reader, o.program); err != nil {
		return &launch.Unready{Err: fmt.Errorf("--metrics: %w", err)}
	}
	fmt.Fprintf(log, "mpirun: metrics at http://%s/metrics and /debug/vars\n", at)
	return nil
}

// take stores a part of the records of a rank on another host.
func (o *observation) take(p *launch.Parcel) {
	err := o.place(p)
	if o.lost == nil {
		o.lost = err
	}
}

func (o *observation) place(p *launch.Parcel) (err error) {
	if p.Lost != "" {
		return errors.New(p.Lost)
	}
	if o.reader == nil {
		if o.reader, o.file, err = observe.Gather(o.ranks, o.trace != ""); err != nil {
			return err
		}
	}
	return o.reader.Place(p.Rank, p.At, p.Data, p.Clock)
}

// finish writes the requested results and returns the status of the job, or a failure if something could
// not be written. It also does so for failed jobs.
func (o *observation) finish(std streams, status int) int {
	err := o.lost
	if o.reader != nil {
		defer o.file.Close()
		if o.server != nil {
			o.server.Close()
		}
		err = errors.Join(err, o.writeStats(std), o.writeTrace(std))
	}
	if err != nil {
		fmt.Fprintf(std.err, "mpirun: cannot write what the ranks did: %v\n", err)
		return max(status, launch.StatusFailed)
	}
	return status
}

func (o *observation) writeStats(std streams) error {
	if o.stats == "" {
		return nil
	}
	stats, err := o.reader.Stats(o.program)
	switch {
	case err != nil:
		return err
	case o.stats == onStandardError:
		return stats.WriteText(std.err)
	}
	return create(o.stats, func(out io.Writer) error { return formats[filepath.Ext(o.stats)](stats, out) })
}

func (o *observation) writeTrace(std streams) error {
	if o.trace == "" {
		return nil
	}
	var cuts []observe.Cut
	err := create(o.trace, func(out io.Writer) (err error) {
		cuts, err = o.reader.Trace(out, o.below(std))
		return err
	})
	if err == nil && len(cuts) > 0 {
		c := cuts[0]
		fmt.Fprintf(std.err, "mpirun: the trace has the last %d events of a rank only; rank %d wrote %d%s\n", c.Kept, c.Rank, c.Written, others(len(cuts)-1))
	}
	return err
}

// below adds the activity of a modelled network's parts to the trace of a job in virtual time.
func (o *observation) below(std streams) func(w *perfetto.Writer) {
	if o.modules == nil {
		return nil
	}
	r, ranks := o.modules()
	if n := r.Lost(); n > 0 {
		fmt.Fprintf(std.err, "mpirun: the trace has the last %d events of the model only, and not the %d before\n", keptOfModel, n)
	}
	return func(w *perfetto.Writer) { vtime.AddChrome(w, r, ranks) }
}

// others says how many more ranks are like the one that was named.
func others(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more ranks too many", n)
}
