package launch

import (
	"strconv"
	"strings"

	"rhinet/internal/pmi"
)

// Descriptors of a rank beyond the standard three.
const (
	fabricFD = 3
	lifeFD   = 4

	// From here on each descriptor exists only if it is needed.
	observeFD = 5
)

// keyFD is the descriptor of the key of a job on several hosts.
func (j *Job) keyFD() int {
	if j.Observe != nil {
		return observeFD + 1
	}
	return observeFD
}

// Names of the variables in the environment of every rank, besides [pmi.Variable].
const (
	envRank = "RHINET_RANK" // for scripts: the rank
	envSize = "RHINET_SIZE" // for scripts: the number of ranks

	// Columns of the terminal that is the launcher's standard error, for rank 0 only. There, an unfinished
	// line that ends in a carriage return is progress.
	envTerminal = "RHINET_TERMINAL"
)

// setEnv returns env with NAME=VALUE in place of any other value of NAME. No duplicates must remain:
// languages differ in which one they use.
func setEnv(env []string, assignment string) []string {
	name, _, _ := strings.Cut(assignment, "=")
	kept := env[:0:0]
	for _, e := range env {
		if n, _, _ := strings.Cut(e, "="); n != name {
			kept = append(kept, e)
		}
	}
	return append(kept, assignment)
}

// hasEnv reports whether env gives name a value.
func hasEnv(env []string, name string) bool {
	for _, e := range env {
		if n, _, _ := strings.Cut(e, "="); n == name {
			return true
		}
	}
	return false
}

// partEnv returns the environment common to all ranks of a part.
func (p *Plan) partEnv(part *Part) []string {
	env := dropEnv(p.environ, pmi.Variable, envRank, envSize, envTerminal)
	if part.Dir != "" {
		env = setEnv(env, "PWD="+part.Dir)
	}
	for _, e := range p.job.Env {
		env = setEnv(env, e)
	}
	for _, e := range part.Env {
		env = setEnv(env, e)
	}
	if !hasEnv(env, "GOMAXPROCS") {
		env = append(env, "GOMAXPROCS="+p.threads)
	}
	return env
}

// rankEnv adds the variables that differ between ranks.
func (p *Plan) rankEnv(common []string, rank int) []string {
	app := p.slots[rank].Part
	rank, size := p.number(rank), len(p.slots)
	job := pmi.Job{Rank: rank, Size: size, App: app, Fabric: fabricFD, Life: lifeFD, NIC: p.job.NIC, CPUs: p.limit, Loaded: p.loaded,
		Tuning: p.job.Tuning, Observe: pmi.None, KeepGoing: p.job.KeepGoing, RingMemory: p.job.RingMemory}
	if a := &p.away; a.key != nil {
		size = a.size
		job.Size, job.CPUs, job.Host, job.Address, job.Store, job.Key = size, a.cpus, a.host, a.address, a.store, p.job.keyFD()
	}
	if p.job.Observe != nil {
		job.Observe = observeFD
	}
	env := append(common[:len(common):len(common)],
		pmi.Variable+"="+job.Encode(),
		envRank+"="+strconv.Itoa(rank),
		envSize+"="+strconv.Itoa(size))
	if p.columns > 0 && rank == 0 {
		env = append(env, envTerminal+"="+strconv.Itoa(p.columns))
	}
	return env
}

// dropEnv returns a copy of env without the given names.
func dropEnv(env []string, names ...string) []string {
	kept := make([]string, 0, len(env)+8)
next:
	for _, e := range env {
		for _, name := range names {
			if strings.HasPrefix(e, name) && strings.HasPrefix(e[len(name):], "=") {
				continue next
			}
		}
		kept = append(kept, e)
	}
	return kept
}
