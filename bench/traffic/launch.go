package traffic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rhinet/bench/compare"
)

// A Launch describes how jobs are started and where results are reported.
type Launch struct {
	MPIRun, Bench string // paths
	Settings      []compare.Setting
	Timeout       time.Duration // of one job
	Out, Errs     io.Writer     // results, and progress
}

// NICs returns the settings that seeds use in turn.
func NICs() []string {
	return []string{
		"martini", "martini:pm", "martini:vp", "martini+RHINET_CMA=off", "martini:pm+RHINET_CMA=off", "martini:pm:throttle=global",
		"ib", "tofu", "tofu+RHINET_CMA=off", "dimmnet2", "cenju4", "cenju4+RHINET_CMA=off", "sync",
	}
}

// Seeds are the random plans to run, one job each.
type Seeds struct {
	First   uint64
	Count   int
	Minutes float64 // above 0: as many as possible in this time
	Ranks   []int   // from which seeds choose
	Options Options
	GoOn    bool // continue after a seed that fails
}

// Random runs seeds, each on one of the settings in turn. The error says how many failed; Out has the
// output of each of them.
func (l Launch) Random(ctx context.Context, s Seeds) error {
	began, ran, failed := time.Now(), 0, 0
	more := func() bool {
		if s.Minutes > 0 {
			return time.Since(began) < time.Duration(s.Minutes*float64(time.Minute))
		}
		return ran < s.Count
	}
	for seed := s.First; more(); seed++ {
		setting := l.Settings[seed%uint64(len(l.Settings))]
		job := s.job(seed, setting, l.Timeout)
		fmt.Fprintf(l.Errs, "seed %d: %d ranks, %s\n", seed, job.Ranks, setting.Name)
		err := job.Run(ctx, l.MPIRun, l.Bench)
		if ctx.Err() != nil {
			fmt.Fprintf(l.Out, "interrupted in seed %d: %d run, %d failed\n", seed, ran, failed)
			return errors.New("interrupted")
		}
		ran++
		if err == nil {
			continue
		}
		failed++
		fmt.Fprintf(l.Out, "seed %d: %v\n", seed, err)
		if !s.GoOn {
			break
		}
	}
	if _, err := fmt.Fprintf(l.Out, "seeds from %d: %d run, %d failed, %v\n", s.First, ran, failed, time.Since(began).Round(time.Second)); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("failed: %d of %d", failed, ran)
	}
	return nil
}

func (s Seeds) job(seed uint64, on compare.Setting, timeout time.Duration) *Job {
	return &Job{
		Ranks: RanksOf(seed, s.Ranks), NIC: on.NIC, Env: on.Env, Timeout: timeout,
		Args: []string{"--seed", strconv.FormatUint(seed, 10), "--steps", strconv.Itoa(s.Options.Steps),
			"--budget", strconv.Itoa(s.Options.Budget), "--most", strconv.Itoa(s.Options.Most)},
	}
}

// fixedPrograms lists the programs of bench traffic fixed: ranks and arguments.
var fixedPrograms = []struct {
	ranks int
	args  string
}{
	{3, "flood"}, {5, "flood --rounds 300"}, {9, "flood --rounds 200"}, {17, "flood --rounds 100"}, {33, "flood --rounds 30"},
	{80, "alltoall"}, {128, "alltoall"},
}

// Fixed runs the programs that once lost messages, on every setting.
func (l Launch) Fixed(ctx context.Context) error {
	failed, ran := 0, 0
	for _, s := range l.Settings {
		for _, p := range fixedPrograms {
			job := Job{Ranks: p.ranks, NIC: s.NIC, Env: s.Env, Timeout: l.Timeout, Args: strings.Fields(p.args)}
			began := time.Now()
			err := job.Run(ctx, l.MPIRun, l.Bench)
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			if ran++; err != nil {
				failed++
				fmt.Fprintf(l.Out, "%s: %d ranks: %s: %v\n", s.Name, p.ranks, p.args, err)
				continue
			}
			fmt.Fprintf(l.Out, "%s: %d ranks: %s: good, %v\n", s.Name, p.ranks, p.args, time.Since(began).Round(time.Millisecond))
		}
	}
	if failed > 0 {
		return fmt.Errorf("failed: %d of %d", failed, ran)
	}
	return nil
}
