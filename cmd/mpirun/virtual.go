package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"rhinet/internal/hosts"
	"rhinet/internal/launch"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/models"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
)

// virtual is the part of the command line about virtual time.
type virtual struct {
	on      bool // --time was given
	model   models.Choice
	spelled string // model as written on the command line
	compute timed.Compute
	said    string   // value of --compute
	report  string   // where to write a report as JSON; empty: nowhere
	place   string   // --topology
	set     []string // --set
	modules string   // --model-trace
	tracing *os.File // its open file, and what writes to it; nil: nothing
	tracer  vtime.FileTracer
	kept    *vtime.Recorder // events for the trace of calls; nil: none
	ranks   int
	clock   *timekeeper
}

func (v *virtual) setModel(text string) error {
	var err error
	v.model, err = models.Parse(text)
	v.on, v.spelled = true, text
	return err
}

// name returns the model with all its options on the command line.
func (v *virtual) name() string {
	name := v.spelled
	if v.place != "" {
		name += " --topology " + v.place
	}
	for _, s := range v.set {
		name += " --set " + s
	}
	return name
}

// errCompute is the error for an unknown way to count computing.
var errCompute = errors.New("computing costs none, measured or measured:FACTOR, counted or counted:HOST")

func (v *virtual) setCompute(text string) error {
	kind, detail, given := strings.Cut(text, ":")
	v.said = text
	v.compute = timed.Compute{Kind: kind}
	switch {
	case kind == timed.None && !given:
		return nil
	case kind == timed.Measured:
		factor, err := strconv.ParseFloat(detail, 64)
		if !given {
			factor, err = 1, nil
		}
		if err != nil || !(factor > 0 && factor <= 1e6) {
			return errors.New("the factor is a number above 0, at most a million")
		}
		v.compute.Factor = factor
		return nil
	case kind == timed.Counted:
		if !given {
			detail = hosts.Default
		}
		rates, err := hosts.Parse(detail)
		v.compute.Rates, v.said = rates, kind+":"+detail
		return err
	}
	return errCompute
}

func (v *virtual) setModelTrace(file string) error {
	if vtime.NewFileTracer(file, io.Discard) == nil {
		return errors.New("name a file that ends in .json, for Perfetto, or in .vcd, for GTKWave")
	}
	v.modules = file
	mark := perfettoMark
	if filepath.Ext(file) == ".vcd" {
		mark = vcdMark
	}
	return mayWrite(file, mark)
}

// watch makes the model record what its modules do, if requested.
func (v *virtual) watch() (err error) {
	var file, kept vtime.Tracer
	if v.modules != "" {
		if v.tracing, err = os.Create(v.modules); err != nil {
			return err
		}
		v.tracer = vtime.NewFileTracer(v.modules, v.tracing)
		file = v.tracer
	}
	if v.kept != nil {
		kept = v.kept
	}
	if t := vtime.Both(file, kept); t != nil {
		v.clock.service.Observe(t)
	}
	return nil
}

// keptOfModel is how many of the last events of a model are shown below the calls of ranks.
const keptOfModel = 1 << 20

// below makes the trace of calls show what the model did.
func (v *virtual) below(o *observation) {
	v.kept = vtime.NewRecorder(keptOfModel)
	o.modules = func() (*vtime.Recorder, int) { return v.kept, v.ranks }
}

// traced ends the trace that watch began.
func (v *virtual) traced() error {
	if v.tracer == nil {
		return nil
	}
	return errors.Join(v.tracer.Close(), v.tracing.Close())
}

func (v *virtual) setReport(file string) error {
	v.report = file
	return mayWrite(file, reportMark)
}

func (v *virtual) setTopology(text string) error {
	if text == "" {
		return errors.New("the topology is empty")
	}
	v.place = text
	return nil
}

func (v *virtual) addSetting(text string) error {
	v.set = append(v.set, text)
	return nil
}

// network applies the flags beside --time to the model.
func (v *virtual) network(req *request) error {
	if err := v.model.Set(v.set...); err != nil {
		return fmt.Errorf("--set: %w", err)
	}
	if v.place != "" {
		if err := v.topology(); err != nil {
			return fmt.Errorf("--topology: %w", err)
		}
	}
	v.ranks = req.job.Size()
	if err := v.model.Check(v.ranks); err != nil {
		return fmt.Errorf("--time %w", err)
	}
	return nil
}

// topology applies the topology of a file or a rule to the model.
func (v *virtual) topology() error {
	f, err := os.Open(v.place)
	if err != nil {
		return v.model.SetTopology(v.place, nil)
	}
	defer f.Close()
	return v.model.SetTopology(v.place, f)
}

// eager returns the largest message that is sent eagerly; v must have been checked.
func (v *virtual) eager() int {
	m, err := v.model.New(new(vtime.Kernel), v.ranks)
	if err != nil {
		return 0
	}
	n := m.Costs().Eager
	if c, ok := m.(io.Closer); ok {
		c.Close()
	}
	return n
}

// check reports flags that exclude each other, and gives the job what it needs.
func (v *virtual) check(req *request) error {
	switch {
	case !v.on && v.said != "":
		return errors.New("--compute: only virtual time needs to know what computing costs; add --time MODEL, or leave it out")
	case !v.on && v.report != "":
		return errors.New("--time-report: there is a report of virtual time only; add --time MODEL, or leave it out")
	case v.on && req.job.Stall > 0:
		return errors.New("--stall and --time: virtual time finds out by itself that no rank can go on; leave --stall out")
	case !v.on && v.modules != "":
		return errors.New("--model-trace: there is a model in virtual time only; add --time MODEL, or leave it out")
	case !v.on && v.place != "":
		return errors.New("--topology: only a modelled network has one; add --time martini, or leave it out")
	case !v.on && v.set != nil:
		return errors.New("--set: only models have parameters; add --time MODEL, or leave it out")
	case v.on && req.job.KeepGoing:
		return errors.New("--keep-going and --time: in virtual time nobody dies; leave one of them out")
	case v.on && req.nicBy == nicFlag:
		return errors.New("--nic and --time: in virtual time the model is the network; leave one of them out")
	case !v.on:
		return nil
	}
	if v.compute.Kind == "" {
		v.compute.Kind, v.said = timed.None, timed.None
	}
	req.job.NIC = nics.Timed
	req.job.Open = v.open
	if req.observe.trace != "" {
		v.below(&req.observe)
	}
	return v.network(req)
}

// open creates the memory of a job in virtual time, and starts its service.
func (v *virtual) open(ranks int) (launch.Fabric, error) {
	m, err := openFabric(nics.Timed, ranks)
	if err != nil {
		return nil, err
	}
	f, err := m.Fabric()
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	v.clock = &timekeeper{View: m, stalls: make(chan launch.Stall, 16), over: make(chan struct{})}
	v.clock.service, err = v.start(f, ranks)
	if err == nil {
		err = v.watch()
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	go v.clock.run()
	return v.clock, nil
}

func (v *virtual) start(f *fabric.Fabric, ranks int) (*timed.Service, error) {
	return timed.Start(f, timed.Config{Compute: v.compute}, func(k *vtime.Kernel) (medium.Model, error) {
		return v.model.New(k, ranks)
	}, v.clock.stuck)
}

// A timekeeper is the memory of a job together with the service that keeps its time.
type timekeeper struct {
	*fabric.View
	service *timed.Service
	stalls  chan launch.Stall
	over    chan struct{} // closed when the service has ended
}

var _ launch.Timekeeper = (*timekeeper)(nil)

func (t *timekeeper) run() {
	defer close(t.over)
	if err := t.service.Run(); err != nil {
		t.stalls <- launch.Stall{Err: err}
	}
}

// stuck passes on a stall. A receiver that does not listen does not delay it.
func (t *timekeeper) stuck(sure bool) {
	select {
	case t.stalls <- launch.Stall{Sure: sure}:
	default:
	}
}

func (t *timekeeper) Stalls() <-chan launch.Stall { return t.stalls }
func (t *timekeeper) Ended(rank int)              { t.service.Ended(rank) }

// Close ends the service as well.
func (t *timekeeper) Close() error {
	t.service.Stop()
	<-t.over
	return errors.Join(t.service.Close(), t.View.Close())
}

// finish writes the report of the job and returns the job's status, or a failure if the report could not be
// written.
func (v *virtual) finish(req *request, std streams, status int) int {
	if err := v.traced(); err != nil {
		fmt.Fprintf(std.err, "mpirun: cannot write the trace of the model: %v\n", err)
		return max(status, launch.StatusFailed)
	}
	if v.clock == nil || status != 0 {
		return status
	}
	r := v.clock.service.Report()
	about := timed.About{Model: v.model.String(), Topology: v.model.Topology(v.ranks), Compute: v.said}
	if !req.quiet {
		fmt.Fprint(std.err, r.Text("mpirun", about))
	}
	if v.report == "" {
		return status
	}
	text, err := r.JSON(about)
	if err == nil {
		err = createWith(v.report, text)
	}
	if err != nil {
		fmt.Fprintf(std.err, "mpirun: cannot write the report: %v\n", err)
		return launch.StatusFailed
	}
	return status
}
