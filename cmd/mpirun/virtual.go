package main

import (
	"errors"
	"fmt"
	"os"
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

// virtual is what the command line says of virtual time.
type virtual struct {
	on      bool // --time was given
	model   models.Choice
	compute timed.Compute
	said    string // of compute: what the command line says
	report  string // where to write a report as JSON; empty: nowhere
	clock   *timekeeper
}

func (v *virtual) setModel(text string) error {
	var err error
	if v.model, err = models.Parse(text); err == nil {
		err = v.model.Check()
	}
	v.on = true
	return err
}

// errCompute is the answer to everything that is not a kind of computing.
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
		rates, err := hosts.Rates(detail)
		v.compute.Rates, v.said = rates, kind+":"+detail
		return err
	}
	return errCompute
}

func (v *virtual) setReport(file string) error {
	if file == "" {
		return errors.New("the file's name is empty")
	}
	v.report = file
	return nil
}

// check reports flags that do not go together, and has the job use what it needs.
func (v *virtual) check(req *request) error {
	switch {
	case !v.on && v.said != "":
		return errors.New("--compute: only virtual time needs to know what computing costs; add --time MODEL, or leave it out")
	case !v.on && v.report != "":
		return errors.New("--time-report: there is a report of virtual time only; add --time MODEL, or leave it out")
	case v.on && req.nicSet:
		return errors.New("--nic and --time: in virtual time the model is the network; leave one of them out")
	case !v.on:
		return nil
	}
	if v.compute.Kind == "" {
		v.compute.Kind, v.said = timed.None, timed.None
	}
	req.job.NIC = nics.Timed
	req.job.Open = v.open
	return nil
}

// open makes the memory of a job in virtual time, and starts its service.
func (v *virtual) open(ranks int) (launch.Fabric, error) {
	m, err := openFabric(nics.Timed, ranks)
	if err != nil {
		return nil, err
	}
	f, err := m.view()
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	v.clock = &timekeeper{memory: m, stalls: make(chan launch.Stall, 16), over: make(chan struct{})}
	v.clock.service, err = v.start(f, ranks)
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

// A timekeeper is the memory of a job together with the service that keeps its
// time.
type timekeeper struct {
	*memory
	service *timed.Service
	stalls  chan launch.Stall
	over    chan struct{} // closed when the service is
}

var _ launch.Timekeeper = (*timekeeper)(nil)

func (t *timekeeper) run() {
	defer close(t.over)
	if err := t.service.Run(); err != nil {
		t.stalls <- launch.Stall{Err: err}
	}
}

// stuck passes on what the service says. Nobody who does not listen holds it up.
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
	return t.memory.Close()
}

// finish reports on the job, whose status it returns, or that of a report that
// could not be written.
func (v *virtual) finish(req *request, std streams, status int) int {
	if v.clock == nil || status != 0 {
		return status
	}
	r := v.clock.service.Report()
	if !req.quiet {
		fmt.Fprint(std.err, v.text(&r))
	}
	if v.report == "" {
		return status
	}
	text, err := v.json(&r)
	if err == nil {
		err = os.WriteFile(v.report, text, 0o644)
	}
	if err != nil {
		fmt.Fprintf(std.err, "mpirun: cannot write the report: %v\n", err)
		return launch.StatusFailed
	}
	return status
}
