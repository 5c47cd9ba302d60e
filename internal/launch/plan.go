package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"

	"rhinet/internal/fserror"
	"rhinet/internal/output"
	"rhinet/internal/program"
	"rhinet/internal/wait"
)

// A Plan is a job that is ready to start: every program has been found, every rank placed.
type Plan struct {
	job      *Job
	programs []program.Program // one per part
	slots    []Slot            // one per rank
	limit    int               // cores that the job may keep busy at once
	loaded   bool              // other processes keep some of them busy, too
	threads  string            // GOMAXPROCS of the ranks unless a part's environment sets it
	debugger string            // of the ranks in Job.Debug
	environ  []string          // inherited by ranks
	columns  int               // of the terminal that shows the output of rank 0; 0: there is none
	away     away
	started  atomic.Bool // a rank on this host has been started
}

// away describes ranks that are part of a job on several hosts.
type away struct {
	hosts   []int  // of mpirun: the host of each rank
	numbers []int  // of a daemon: the number in the job of each rank here
	size    int    // of the job
	cpus    int    // processors that the ranks are told to share
	host    int    // number of this host
	address string // of this host in the network between the hosts
	store   string // through which ranks find each other
	key     []byte // of the store
}

// Started reports whether Run has started a rank on this host.
func (p *Plan) Started() bool { return p.started.Load() }

// number returns the number in the job of rank r of this host.
func (p *Plan) number(r int) int {
	if p.away.numbers != nil {
		return p.away.numbers[r]
	}
	return r
}

// Prepare checks a job and places its ranks. It starts, builds and creates nothing. An error is one line
// that names what is wrong and what to do.
func Prepare(job *Job) (*Plan, error) {
	if err := job.check(); err != nil {
		return nil, err
	}
	p := &Plan{job: job, environ: os.Environ(), columns: output.Columns(job.Stderr)}
	for i := range job.Parts {
		part := &job.Parts[i]
		prog, err := program.Find(part.Program)
		if err != nil {
			return nil, err
		}
		if part.Dir != "" {
			if err := checkDir(part); err != nil {
				return nil, err
			}
			if prog.Path != "" {
				// The path that the user gave is relative to this directory, not to part.Dir.
				if prog.Path, err = filepath.Abs(prog.Path); err != nil {
					return nil, fmt.Errorf("%s: the current directory is gone; give a path that begins with /", part.Program)
				}
			}
		}
		p.programs = append(p.programs, prog)
	}
	if job.spread() {
		return p, p.prepareHosts()
	}
	if err := checkDescriptors(job.Size()); err != nil {
		return nil, err
	}
	if err := p.findDebugger(); err != nil {
		return nil, err
	}
	cores := []int(nil)
	if job.Bind != BindNone {
		cores = usableCores()
	}
	p.limit = usableLimit()
	p.slots = place(job.Parts, cores, p.limit, job.Bind)
	if err := p.needs().check(os.DirFS("/"), processLimit()); err != nil {
		return nil, err
	}
	p.threads = strconv.Itoa(wait.Threads(p.limit, len(p.slots)))
	if set := os.Getenv("GOMAXPROCS"); set != "" {
		p.threads = set
	}
	return p, nil
}

// prepareHosts assigns ranks to hosts, whose daemons do the rest.
func (p *Plan) prepareHosts() error {
	p.slots = place(p.job.Parts, nil, 0, BindNone)
	p.away.hosts = share(p.job.Hosts, len(p.slots))
	here, err := os.Getwd()
	for i := range p.job.Parts {
		part, prog := &p.job.Parts[i], &p.programs[i]
		if part.Dir == "" && err != nil {
			return fmt.Errorf("the current directory is gone; --wdir names one for the ranks")
		}
		if part.Dir == "" {
			part.Dir = here
		}
		if prog.Path != "" && !filepath.IsAbs(prog.Path) {
			prog.Path = filepath.Join(here, prog.Path)
		}
	}
	return nil
}

// checkDir makes a part's working directory absolute.
func checkDir(part *Part) error {
	info, err := os.Stat(part.Dir)
	if err != nil {
		return fmt.Errorf("working directory %s: %w", part.Dir, fserror.Reason(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("working directory %s is not a directory", part.Dir)
	}
	dir, err := filepath.Abs(part.Dir)
	if err != nil {
		return fmt.Errorf("working directory %s: the current directory is gone; give a path that begins with /", part.Dir)
	}
	part.Dir = dir
	return nil
}

// Processors returns how many cores a job can keep busy at once. More ranks share them.
func Processors() int { return usableLimit() }

// usableLimit returns how many cores the job can keep busy: the processors of the affinity mask, or fewer
// if a control group has a lower quota, which the Go runtime has already read.
func usableLimit() int {
	if os.Getenv("GOMAXPROCS") != "" {
		return runtime.NumCPU()
	}
	return min(runtime.NumCPU(), runtime.GOMAXPROCS(0))
}

// Descriptors that a launcher needs: two pipes per rank, and some for everything else.
const (
	descriptorsPerRank = 2
	descriptorsBesides = 24
)

// checkDescriptors returns an error if the limit on open files is too low for a job of n ranks.
func checkDescriptors(n int) error {
	var lim syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim) != nil {
		return nil
	}
	if need := uint64(n*descriptorsPerRank + descriptorsBesides); uint64(lim.Cur) < need {
		return fmt.Errorf("%s %s %d open files, but the limit is %d; raise it with ulimit -n", plural(n, "rank"), verb(n), need, lim.Cur)
	}
	return nil
}
