package mpi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"

	"rhinet/internal/pmi"
)

// Sampling rates.
const (
	mutexFraction = 5      // one of so many contentions is sampled
	blockRate     = 10_000 // nanoseconds of blocking per sample
)

// startProfile starts the profile that the launcher asks for. stop ends it and writes
// it where the launcher expects it; nil if none is asked for.
func startProfile(rank int, wanted string) (stop func() error, err error) {
	p, err := pmi.DecodeProfile(wanted)
	if err != nil || p == (pmi.Profile{}) {
		return nil, err
	}
	file, err := os.Create(filepath.Join(p.Dir, pmi.ProfileName(rank)))
	if err != nil {
		return nil, err
	}
	switch p.Kind {
	case pmi.ProfileCPU:
		if err := pprof.StartCPUProfile(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		return func() error {
			pprof.StopCPUProfile()
			return file.Close()
		}, nil
	case pmi.ProfileMutex:
		runtime.SetMutexProfileFraction(mutexFraction)
	case pmi.ProfileBlock:
		runtime.SetBlockProfileRate(blockRate)
	}
	return func() error {
		if p.Kind == pmi.ProfileHeap {
			runtime.GC() // the profile shows the state at the last collection
		}
		return errors.Join(pprof.Lookup(p.Kind).WriteTo(file, 0), file.Close())
	}, nil
}

// profile starts the profile of this process, if the launcher asks for one.
func (s setup) profile() (stop func() error, err error) {
	stop, err = startProfile(s.job.Rank, s.wanted)
	if err != nil {
		return nil, initError(ErrInit, "%v", fmt.Errorf("no profile: %w", err))
	}
	if stop == nil {
		stop = func() error { return nil }
	}
	return stop, nil
}
