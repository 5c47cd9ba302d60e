package virtual

import (
	"errors"
	"sync"
	"sync/atomic"

	"rhinet/collectives"
	"rhinet/internal/wait"
	"rhinet/llc/ir"
	"rhinet/llc/port"
	translator "rhinet/llc/timed"
	"rhinet/mpi"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/models"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
)

// A Job is a program whose ranks are goroutines of this process, in virtual time.
type Job struct {
	Model       models.Choice
	Ranks       int
	Compute     timed.Compute // the zero value: computing costs nothing
	Collectives collectives.Options
}

// A Program is the program of each rank. It must use now as its clock: [mpi.Wtime] is not virtual here.
type Program func(world *mpi.Comm, now func() vtime.Time) error

// Run runs a program on all ranks and returns the report. A program that hangs is ended with ErrHang,
// unless ranks have failed before.
func (j Job) Run(program Program) (timed.Report, error) {
	r, err := j.start()
	if err != nil {
		return timed.Report{}, err
	}
	errs := make([]error, j.Ranks)
	var ranks sync.WaitGroup
	for i := range j.Ranks {
		ranks.Go(func() { errs[i] = r.rank(i, program) })
	}
	ranks.Wait()
	r.service.Stop()
	failed := errors.Join(errs...)
	if failed == nil {
		failed = r.hang
	}
	if err := errors.Join(failed, <-r.over, r.service.Close()); err != nil {
		return timed.Report{}, err
	}
	return r.service.Report(), nil
}

// A running job is its service, with the state that the ranks share.
type running struct {
	Job
	fabric  *fabric.Fabric
	service *timed.Service
	nodes   []*timed.Node
	waits   []waiting
	over    chan error
	ended   atomic.Bool // errors that ranks report from now on are consequences
	hang    error       // the reason
}

func (j Job) start() (*running, error) {
	f, err := fabric.Heap(j.Ranks, timed.Geometry(fabric.Small()))
	if err != nil {
		return nil, err
	}
	r := &running{Job: j, fabric: f, waits: make([]waiting, j.Ranks), over: make(chan error, 1)}
	cfg := timed.Config{Compute: j.Compute}
	if cfg.Compute.Kind == "" {
		cfg.Compute.Kind = timed.None
	}
	model := func(k *vtime.Kernel) (medium.Model, error) { return j.Model.New(k, j.Ranks) }
	if r.service, err = timed.Start(f, cfg, model, func(bool) { r.end() }); err != nil {
		return nil, err
	}
	for i := range j.Ranks {
		n, err := r.service.Local(i)
		if err != nil {
			return nil, err
		}
		r.nodes = append(r.nodes, n)
	}
	go func() { r.over <- r.service.Run() }()
	return r, nil
}

// rank runs one rank from beginning to end.
func (r *running) rank(i int, program Program) error {
	nic, err := translator.Local(r.fabric, r.nodes[i], i)
	if err != nil {
		r.nodes[i].Close() // no other rank waits for it
		return err
	}
	able := ir.AbilitiesOf(nic)
	able.Reporter = &r.waits[i]
	t := port.New(port.Config{NIC: able.Give(nic), Policy: wait.For(r.Ranks, r.Ranks, true)})
	r.waits[i].port = t
	world, err := mpi.Join(mpi.InVirtualTime(mpi.Job{Rank: i, Size: r.Ranks, Transport: t, Clock: able.Clock, Processors: r.Ranks, Collectives: r.Collectives}))
	if err != nil {
		return errors.Join(err, t.Close())
	}
	if err := program(world, r.nodes[i].Now); err != nil {
		return errors.Join(r.own(err), r.own(t.Close())) // other ranks that wait for this one notice the Close
	}
	return r.own(mpi.Finalize(world))
}

// own returns err, unless it is a consequence of the end of a job that hangs.
func (r *running) own(err error) error {
	if r.ended.Load() {
		return nil
	}
	return err
}
