package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/bench/virtual"
	"rhinet/internal/hosts"
	"rhinet/mpi"
	"rhinet/nicemu/models"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
	"rhinet/npb"
	"rhinet/npb/nas"
)

// counted is the prefix of mpirun's --compute for counted operations.
const counted = "counted:"

// Measure runs a kernel as a job of this process. model, compute and settings are as for mpirun's --time,
// --compute and --set; compute must count operations. The figures are the same as those of cmd/npb under
// mpirun.
func Measure(c Cell, model, compute string, settings []string) (res Result, err error) {
	kernel, ok := npb.Find(c.Kernel)
	if !ok {
		return res, fmt.Errorf("%w: no kernel %q", bench.ErrInput, c.Kernel)
	}
	class, err := nas.ParseClass(c.Class)
	if err == nil {
		err = kernel.Allowed(c.Nodes, class)
	}
	if err != nil {
		return res, fmt.Errorf("%w: %w", bench.ErrInput, err)
	}
	j, err := job(c.Nodes, model, compute, settings)
	if err != nil {
		return res, fmt.Errorf("%w: %w", bench.ErrInput, err)
	}
	outcomes := make([]nas.Result, c.Nodes)
	report, err := j.Run(func(world *mpi.Comm, now func() vtime.Time) error {
		return program(world, now, kernel, class, outcomes)
	})
	if err != nil {
		return res, err
	}
	res = Result{Cell: c}
	if err := res.read(&outcomes[0]); err != nil {
		return res, err
	}
	res.account(&report)
	return res, nil
}

func job(ranks int, model, compute string, settings []string) (j virtual.Job, err error) {
	j.Ranks = ranks
	if j.Model, err = models.Parse(model); err != nil {
		return j, err
	}
	if err := j.Model.Set(settings...); err != nil {
		return j, err
	}
	if err := j.Model.Check(ranks); err != nil {
		return j, err
	}
	host, ok := strings.CutPrefix(compute, counted)
	if !ok {
		return j, fmt.Errorf("compute %s; it begins with %s", compute, counted)
	}
	j.Compute.Kind = timed.Counted
	j.Compute.Rates, err = hosts.Parse(host)
	return j, err
}

// program does what a rank of cmd/npb does: all ranks agree on the available memory, run the kernel, and
// agree on whether it was verified.
func program(world *mpi.Comm, now func() vtime.Time, kernel nas.Kernel, class nas.Class, outcomes []nas.Result) (err error) {
	if err := mpi.Bcast(world, []int64{0}, 0); err != nil {
		return err
	}
	res, err := kernel.Run(world, nas.Config{Class: class, Clock: func() float64 { return now().Seconds() }})
	if err != nil {
		return err
	}
	outcomes[world.Rank()] = res
	return mpi.Bcast(world, []int32{0}, 0)
}

// read takes over the kernel's result, which must be verified.
func (res *Result) read(k *nas.Result) error {
	switch {
	case slices.ContainsFunc(k.Checks, func(c nas.Check) bool { return !c.OK }):
		return errors.New("the kernel was not verified")
	case len(k.Checks) == 0 || k.Processes != res.Nodes || !(k.Mops > 0):
		return fmt.Errorf("the kernel found %d checks, %d processes, %v Mop/s", len(k.Checks), k.Processes, k.Mops)
	}
	res.Mops, res.Seconds = k.Mops, k.Seconds
	return nil
}

// account takes over the model's report.
func (res *Result) account(t *timed.Report) {
	for i := range t.Ranks {
		a := &t.Ranks[i]
		n := a.Time.Seconds() * float64(len(t.Ranks))
		res.Compute += a.Compute.Seconds() / n
		res.Calls += a.Call.Seconds() / n
		res.Waits += a.Wait().Seconds() / n
	}
	for _, l := range t.Links {
		if strings.HasSuffix(l.Name, "PCI") {
			res.Bus = max(res.Bus, l.Used)
		} else {
			res.Link = max(res.Link, l.Used)
		}
	}
	res.Packets, res.Bytes = t.Wire.Packets, t.Wire.Bytes
}
