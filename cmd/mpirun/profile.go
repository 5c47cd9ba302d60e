package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"rhinet/internal/launch"
	"rhinet/internal/pmi"
)

// A profiling is the profile that the command line asks for.
type profiling struct {
	kind string // empty: none
	file string // to write to
	dir  string // where ranks write
	size int    // ranks
	lost error  // why something of what ranks on other hosts have written is missing
}

// set takes KIND or KIND:FILE.
func (p *profiling) set(v string) error {
	kind, file, given := strings.Cut(v, ":")
	if known := pmi.ProfileKinds(); !slices.Contains(known, kind) {
		return fmt.Errorf("there are profiles of %s; give one of these, or KIND:FILE", strings.Join(known, ", "))
	}
	if !given {
		file = kind + ".pprof"
	}
	p.kind, p.file = kind, file
	return mayWrite(file, profileMark)
}

// attach has the ranks of a job write profiles.
func (p *profiling) attach(job *launch.Job) {
	if p.kind == "" {
		return
	}
	if len(job.Hosts) > 0 {
		job.Gather.Profile, p.size = p.kind, job.Size()
		return
	}
	open := job.Open
	job.Open = func(ranks int) (launch.Fabric, error) {
		dir, err := os.MkdirTemp("", "rhinet-profile-")
		if err != nil {
			return nil, err
		}
		p.dir, p.size = dir, ranks
		job.Env = append(job.Env, pmi.ProfileVariable+"="+pmi.Profile{Kind: p.kind, Dir: dir}.Encode())
		return open(ranks)
	}
}

// take keeps a part of what a rank on another host has written.
func (p *profiling) take(part *launch.Parcel) {
	err := p.keep(part)
	if p.lost == nil {
		p.lost = err
	}
}

func (p *profiling) keep(part *launch.Parcel) (err error) {
	if part.Lost != "" {
		return errors.New(part.Lost)
	}
	if p.dir == "" {
		if p.dir, err = os.MkdirTemp("", "rhinet-profile-"); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(filepath.Join(p.dir, pmi.ProfileName(part.Rank)), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(part.Data, part.At)
	return errors.Join(err, file.Close())
}

// finish writes one profile of all ranks, and returns the status of the job, or that of a profile that
// could not be written.
func (p *profiling) finish(std streams, status int) int {
	if p.dir == "" && p.lost == nil {
		return status
	}
	defer os.RemoveAll(p.dir)
	all, missing, err := p.read()
	if err == nil && len(all) > 0 {
		var merged *profile.Profile
		if merged, err = profile.Merge(all); err == nil {
			err = create(p.file, func(out io.Writer) error { return merged.Write(out) })
		}
	}
	if err != nil {
		fmt.Fprintf(std.err, "mpirun: cannot write the profile: %v\n", err)
		return max(status, launch.StatusFailed)
	}
	if p.lost != nil {
		fmt.Fprintf(std.err, "mpirun: the profile is not whole: %v\n", p.lost)
		return max(status, launch.StatusFailed)
	}
	if len(missing) > 0 {
		fmt.Fprintf(std.err, "mpirun: no profile of %s: a rank writes it when it ends with Finalize or an error\n", strings.Join(missing, ", "))
	}
	return status
}

// read reads what the ranks have written, with their number as a label.
func (p *profiling) read() (all []*profile.Profile, missing []string, err error) {
	for rank := range p.size {
		one, err := readProfile(filepath.Join(p.dir, pmi.ProfileName(rank)))
		switch {
		case errors.Is(err, os.ErrNotExist), errors.Is(err, errUnfinished):
			missing = append(missing, fmt.Sprintf("rank %d", rank))
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("rank %d: %w", rank, err)
		}
		for _, s := range one.Sample {
			if s.Label == nil {
				s.Label = map[string][]string{}
			}
			s.Label["rank"] = []string{strconv.Itoa(rank)}
		}
		all = append(all, one)
	}
	return all, missing, nil
}

// errUnfinished says that a rank has begun to write only.
var errUnfinished = errors.New("the profile is not complete")

func readProfile(name string) (*profile.Profile, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseData(b)
	if err != nil {
		return nil, errUnfinished
	}
	return p, nil
}
