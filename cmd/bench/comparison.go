package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"rhinet/bench/compare"
	"rhinet/bench/host"
)

// A comparison is what all commands that compare have in common.
type comparison struct {
	out, errs    io.Writer
	opts         compare.Options
	settings     []string // of ours
	ours         []compare.Setting
	notes        []string
	format, file string
	launch       string
	resume       bool
	quiet        bool
}

func (s *comparison) flags(f *pflag.FlagSet, rounds int, limit time.Duration) {
	f.IntVar(&s.opts.Rounds, "rounds", rounds, "rounds in rotated order; fewer than 6 cannot show a difference")
	f.DurationVar(&s.opts.Limit, "limit", limit, "longest time of one command; a runtime that hangs is noted")
	f.DurationVar(&s.opts.Within, "within", 0, "begin no round that is not expected to end within this time (default: all rounds)")
	f.StringSliceVar(&s.settings, "ours", nil, "settings of this runtime to compare, each NIC or NIC+NAME=VALUE (default: the default NIC)")
	f.StringVar(&s.format, "format", "table", "output format: "+compare.Formats)
	f.StringVar(&s.launch, "mpirun", "", "our mpirun (default: beside this program, or built)")
	f.StringVar(&s.file, "out", "", "also write everything measured to this file, as JSON")
	f.BoolVar(&s.resume, "resume", false, "continue the comparison that --out FILE was to hold when it was interrupted, or add rounds to a whole one")
	f.BoolVar(&s.quiet, "quiet", false, "no progress on the terminal")
}

// check finds the mistakes in what flags says.
func (s *comparison) check() error {
	if err := compare.CheckFormat(s.format); err != nil {
		return usage(err)
	}
	if err := atLeastOne("rounds", s.opts.Rounds); err != nil {
		return usage(err)
	}
	if s.opts.Within < 0 {
		return usage(fmt.Errorf("--within %v is negative", s.opts.Within))
	}
	if err := positive("limit", s.opts.Limit); err != nil {
		return usage(err)
	}
	if s.resume && s.file == "" {
		return usage(errors.New("--resume needs --out FILE, the result to continue"))
	}
	var err error
	if s.ours, err = compare.ParseSettings(s.settings); err != nil {
		return usage(fmt.Errorf("--ours: %w", err))
	}
	s.opts.Ours = len(s.ours)
	return nil
}

// run measures what runtimes returns, keeps it, and prints it.
func (s *comparison) run(runtimes func(place) ([]compare.Runtime, error)) error {
	if os.Getenv(rankVariable) != "" {
		return usage(errors.New("a comparison starts its own ranks; run it without mpirun"))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	save := compare.Saver{File: s.file}
	if err := save.Check(); err != nil {
		return usage(fmt.Errorf("--out: %w", err))
	}
	p, err := newPlace(ctx)
	if err != nil {
		return err
	}
	defer p.close()
	all, err := runtimes(p)
	if err != nil {
		return err
	}
	if err := distinct(all); err != nil {
		return usage(err)
	}
	if s.resume {
		if _, err := os.Stat(save.Newest()); errors.Is(err, fs.ErrNotExist) {
			return usage(fmt.Errorf("--resume: there is no %s to continue; leave --resume out to make it", s.file))
		}
		if s.opts.Previous, err = compare.Resume(save.Newest(), all, s.opts); err != nil {
			return usage(fmt.Errorf("--resume: %w", err))
		}
	}
	s.opts.Calibrate, s.opts.Save = host.Calibrate, save.Part
	res, err := s.measure(ctx, all)
	for _, n := range s.notes {
		if n = "left out: " + n; !slices.Contains(res.Notes, n) { // a continued result may have it
			res.Notes = append(res.Notes, n)
		}
	}
	if err == nil {
		if err := save.Whole(res); err != nil {
			return err
		}
		return res.Write(s.out, s.format)
	}
	return s.broken(res, save, err)
}

// distinct reports runtimes that results could not tell apart.
func distinct(all []compare.Runtime) error {
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.Name] {
			return fmt.Errorf("two runtimes are called %s; name each once, and give folders of originals different names", r.Name)
		}
		seen[r.Name] = true
	}
	return nil
}

// measure runs the comparison behind a progress bar.
func (s *comparison) measure(ctx context.Context, all []compare.Runtime) (*compare.Result, error) {
	show := newBar(s.errs, s.quiet)
	defer show.end()
	s.opts.Progress = show.step
	return compare.Run(ctx, all, s.opts)
}

// broken keeps and shows what there is of a comparison that did not end.
func (s *comparison) broken(res *compare.Result, save compare.Saver, cause error) error {
	if errors.Is(cause, context.Canceled) {
		cause = errors.New("interrupted")
	}
	if len(res.Samples) == 0 {
		return cause
	}
	if err := save.Part(res); err != nil {
		return errors.Join(cause, err)
	}
	if s.file != "" {
		cause = fmt.Errorf("%w; what was measured is in %s, --resume continues it", cause, save.Partial())
	}
	return errors.Join(cause, res.Write(s.out, s.format))
}

// ourselves returns the variants of this runtime, running this very program.
func (s *comparison) ourselves(p place) ([]compare.Runtime, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	launch, err := p.program(s.launch, "mpirun")
	if err != nil {
		return nil, err
	}
	hello, err := p.program("", "hello")
	if err != nil {
		return nil, err
	}
	return s.variants(p, launch, func(v compare.Setting) compare.Runtime { return compare.Ours(launch, self, hello, v) })
}

// variants makes a runtime of each setting that mpirun accepts.
func (s *comparison) variants(p place, launch string, runtime func(compare.Setting) compare.Runtime) ([]compare.Runtime, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	most := 1
	for _, c := range s.opts.Cells {
		most = max(most, c.Ranks)
	}
	var all []compare.Runtime
	for _, v := range s.ours {
		if err := v.Try(p.ctx, launch, most, self); err != nil {
			if len(s.settings) > 0 {
				err = fmt.Errorf("--ours %w", err)
			}
			return nil, usage(err)
		}
		all = append(all, runtime(v))
	}
	return all, nil
}
