package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rhinet/internal/launch"
	"rhinet/internal/pmi"
	"rhinet/internal/profiles"
)

// A profiling is the profile that the command line requests.
type profiling struct {
	kind string          // empty: none
	file string          // to write to
	dir  profiles.Folder // where ranks write
	size int             // ranks
	away bool            // they are on several hosts
	lost error           // why a part of the data of ranks on other hosts is missing
}

// set parses KIND or KIND:FILE.
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

// attach makes the ranks of a job write profiles.
func (p *profiling) attach(job *launch.Job) {
	if p.kind == "" {
		return
	}
	if len(job.Hosts) > 0 {
		job.Gather.Profile, p.size, p.away = p.kind, job.Size(), true
		return
	}
	open := job.Open
	job.Open = func(ranks int) (launch.Fabric, error) {
		dir, err := p.dir.Dir()
		if err != nil {
			return nil, err
		}
		p.size = ranks
		job.Env = append(job.Env, pmi.ProfileVariable+"="+pmi.Profile{Kind: p.kind, Dir: dir}.Encode())
		return open(ranks)
	}
}

// take stores a part of the profile of a rank on another host.
func (p *profiling) take(part *launch.Parcel) {
	err := p.keep(part)
	if p.lost == nil {
		p.lost = err
	}
}

func (p *profiling) keep(part *launch.Parcel) error {
	if part.Lost != "" {
		return errors.New(part.Lost)
	}
	return p.dir.Keep(part.Rank, part.At, part.Data)
}

// finish writes one profile of all ranks, and returns the status of the job, or a failure if the profile
// could not be written. Of a job that has not started here there is none, nor anything to say about it.
func (p *profiling) finish(std streams, status int, started bool) int {
	if !p.dir.Made() && p.lost == nil {
		return status
	}
	defer p.dir.Remove()
	if !p.away && !started {
		return status
	}
	merged, missing, err := p.dir.Merge(p.size)
	if err == nil && merged != nil {
		err = create(p.file, func(out io.Writer) error { return merged.Write(out) })
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
		text := make([]string, len(missing))
		for i, rank := range missing {
			text[i] = fmt.Sprintf("rank %d", rank)
		}
		fmt.Fprintf(std.err, "mpirun: no profile of %s: a rank writes it when it ends with Finalize or an error\n", strings.Join(text, ", "))
	}
	return status
}
