package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"rhinet/bench/compare"
	"rhinet/bench/workdir"
	"rhinet/internal/bar"
)

// A comparison is what all comparing commands have in common.
type comparison struct {
	compare.Session
	out, errs io.Writer
	settings  []string // of this runtime
	ours      []compare.Setting
	peers     []string // C runtimes to compare with, for commands with peerFlags
	launch    string
	quiet     bool
}

func (s *comparison) flags(f *pflag.FlagSet, rounds int, limit time.Duration) {
	s.roundFlags(f, rounds, limit)
	f.StringSliceVar(&s.settings, "ours", nil, "settings of this runtime to compare, each NIC or NIC+NAME=VALUE (default: the default NIC)")
}

// roundFlags are flags that do not concern what is compared.
func (s *comparison) roundFlags(f *pflag.FlagSet, rounds int, limit time.Duration) {
	f.IntVar(&s.Rounds, "rounds", rounds, "rounds in rotated order; fewer than 6 cannot show a difference")
	f.DurationVar(&s.Limit, "limit", limit, "longest time of one command; a runtime that hangs is noted")
	f.DurationVar(&s.Within, "within", 0, "begin no round that is not expected to end within this time (default: all rounds)")
	f.StringVar(&s.Format, "format", "table", "output format: "+compare.Formats)
	f.StringVar(&s.launch, "mpirun", "", "our mpirun (default: the one next to this program, or else built)")
	f.StringVar(&s.File, "out", "", "also write everything measured to this file, as JSON")
	f.BoolVar(&s.Continue, "resume", false, "continue the interrupted comparison of --out FILE, or add rounds to a complete one")
	f.BoolVar(&s.quiet, "quiet", false, "show no progress on the terminal")
}

// peerFlags are the flags of comparisons that repeat their measurements for a given time, and run on the C
// runtimes too.
func (s *comparison) peerFlags(f *pflag.FlagSet, budget time.Duration, about string) {
	f.DurationVar(&s.Budget, "time", budget, about)
	peersFlag(f, &s.peers, "runtimes to compare with")
}

// checkPeers returns mistakes in peerFlags.
func (s *comparison) checkPeers() error {
	if err := positive("time", s.Budget); err != nil {
		return usage(err)
	}
	if err := compare.CheckPeers(s.peers); err != nil {
		return usage(err)
	}
	return nil
}

// check returns mistakes in the flags.
func (s *comparison) check() error {
	if err := compare.CheckFormat(s.Format); err != nil {
		return usage(err)
	}
	if err := atLeastOne("rounds", s.Rounds); err != nil {
		return usage(err)
	}
	if s.Within < 0 {
		return usage(fmt.Errorf("--within %v is negative", s.Within))
	}
	if err := positive("limit", s.Limit); err != nil {
		return usage(err)
	}
	if s.Continue && s.File == "" {
		return usage(errors.New("--resume needs --out FILE, the result to continue"))
	}
	var err error
	if s.ours, err = compare.ParseSettings(s.settings); err != nil {
		return usage(fmt.Errorf("--ours: %w", err))
	}
	s.Session.Ours = len(s.ours)
	return nil
}

// run measures the result of runtimes, saves the measurements, and prints them.
func (s *comparison) run(runtimes func(workdir.Dir) ([]compare.Runtime, error)) error {
	if os.Getenv(rankVariable) != "" {
		return usage(errors.New("a comparison starts its own ranks; run it without mpirun"))
	}
	if err := s.Saver.Check(); err != nil {
		return usage(fmt.Errorf("--out: %w", err))
	}
	dir, done, err := workdir.Open()
	if err != nil {
		return err
	}
	defer done()
	all, err := runtimes(dir)
	if err != nil {
		return err
	}
	show := bar.New(s.errs, s.quiet)
	defer show.End()
	s.Progress, s.Measured = show.Step, show.End
	return s.Session.Run(dir.Context, all, s.out)
}

// ourselves returns the variants of this runtime, running this program.
func (s *comparison) ourselves(dir workdir.Dir) ([]compare.Runtime, error) {
	self, launch, err := s.programs(dir)
	if err != nil {
		return nil, err
	}
	hello, err := dir.Program("", "hello")
	if err != nil {
		return nil, err
	}
	return s.variants(dir, launch, func(v compare.Setting) compare.Runtime { return compare.Ours(launch, self, hello, v) })
}

// programs returns this program and our launcher.
func (s *comparison) programs(dir workdir.Dir) (self, launch string, err error) {
	if self, err = os.Executable(); err != nil {
		return "", "", err
	}
	launch, err = dir.Program(s.launch, "mpirun")
	return self, launch, err
}

// variants makes a runtime for each setting that mpirun accepts.
func (s *comparison) variants(dir workdir.Dir, launch string, runtime func(compare.Setting) compare.Runtime) ([]compare.Runtime, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	all, err := compare.Variants(dir.Context, s.ours, launch, self, s.Cells, runtime)
	if err != nil && len(s.settings) > 0 {
		err = fmt.Errorf("--ours %w", err)
	}
	if err != nil {
		err = usage(err)
	}
	return all, err
}
