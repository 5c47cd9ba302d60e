package compare

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"rhinet/bench/peer"
	"rhinet/internal/netns"
)

// Hosts are the hosts between which the jobs of a comparison run: network namespaces of this machine that
// share nothing but the network ([netns.Network.Command]). nil stands for jobs on this host alone.
type Hosts struct {
	net   *netns.Network
	agent string // program that starts a command on a host
}

// Jobs of up to fewRanks run on fewHosts, larger ones on allHosts, in equal shares.
const (
	fewRanks = 4
	fewHosts = 2
	allHosts = 4
)

// OpenHosts creates the hosts; the program that starts commands there is written to dir.
func OpenHosts(dir string) (*Hosts, error) {
	net, err := netns.New(allHosts)
	if err != nil {
		return nil, err
	}
	h := &Hosts{net, filepath.Join(dir, "agent")}
	if err := net.Agent(h.agent); err != nil {
		net.Close()
		return nil, err
	}
	return h, nil
}

// Close kills all processes on the hosts, and removes the hosts.
func (h *Hosts) Close() error { return h.net.Close() }

// list returns the number of ranks of each host, as ADDRESS:RANKS,...
func (h *Hosts) list(ranks int) string {
	n := allHosts
	if ranks <= fewRanks {
		n = fewHosts
	}
	var all []string
	for i := range min(n, ranks) {
		share := ranks / n
		if i < ranks%n {
			share++
		}
		all = append(all, h.net.Address(i)+":"+strconv.Itoa(share))
	}
	return strings.Join(all, ",")
}

// start returns the command that runs a launcher on the host where jobs are started.
func (h *Hosts) start(words ...string) []string {
	if h == nil {
		return words
	}
	return h.net.Command(0, words...)
}

// flags returns the flags with which our launcher runs a job of the given number of ranks on the hosts.
func (h *Hosts) flags(ranks int) []string {
	if h == nil {
		return nil
	}
	return []string{"--launcher", h.agent, "--iface", netns.Interface, "--hosts", h.list(ranks)}
}

// launch returns the arguments of another launcher up to the number of ranks.
func (h *Hosts) launch(k kind, ranks int) []string {
	if h == nil {
		return k.launch(ranks)
	}
	words := []string{k.launcher}
	fill := strings.NewReplacer("AGENT", h.agent, "SUBNET", netns.Subnet, "INTERFACE", netns.Interface, "HOSTS", h.list(ranks))
	for _, w := range k.between {
		words = append(words, fill.Replace(w))
	}
	if ranks > runtime.NumCPU() {
		words = append(words, k.yield...)
	}
	return h.start(append(words, k.ranks, strconv.Itoa(ranks))...)
}

// About returns notes on figures between such hosts.
func (h *Hosts) About() []string {
	notes := []string{fmt.Sprintf("hosts are network namespaces of one machine, each with a /dev/shm, System V memory and a name of its own and on one processor: %d for up to %d ranks, else %d, in equal shares", fewHosts, fewRanks, allHosts)}
	for _, k := range kinds {
		notes = append(notes, k.title+" talks TCP between hosts: "+k.network)
	}
	return notes
}

// BetweenHosts is the plan of comparisons between hosts; kernels are its cells of the NAS Parallel
// Benchmarks.
func BetweenHosts(kernels []Cell) []Cell {
	return append([]Cell{
		{"PingPong", 2, []int{8, 1 << 10, 8 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20}},
		{"Uniband", 2, []int{8}},
		{"Barrier", 4, []int{0}},
		{"Allreduce", 4, []int{8, 64 << 10}},
		{"Barrier", 16, []int{0}},
		{"Allreduce", 16, []int{8, 64 << 10}},
		{Hello, 64, []int{0}},
	}, kernels...)
}

// ShortBetweenHosts is a plan of the same kinds that takes seconds.
func ShortBetweenHosts() []Cell {
	return []Cell{
		{"PingPong", 2, []int{8, 1 << 20}},
		{"Allreduce", 4, []int{8}},
		{Hello, 4, []int{0}},
	}
}

// IsKernel reports whether a cell is one of the NAS Parallel Benchmarks.
func (c Cell) IsKernel() bool { return isKernel(c.Test) }

// isKernel reports whether a test is one of the NAS Parallel Benchmarks, such as CG.W.
func isKernel(test string) bool { return strings.Contains(test, ".") }

// WithKernels returns a runtime that measures kernels as the given runtime does, and everything else as r.
func (r Runtime) WithKernels(kernels Runtime) Runtime {
	both := r
	both.command = func(job []Cell, budget time.Duration) []string {
		if isKernel(job[0].Test) {
			return kernels.command(job, budget)
		}
		return r.command(job, budget)
	}
	both.read = func(job []Cell, text string, elapsed time.Duration) ([]Sample, error) {
		if isKernel(job[0].Test) {
			return kernels.read(job, text, elapsed)
		}
		return r.read(job, text, elapsed)
	}
	return both
}

// Peers is [Peers] between hosts; with folders of compiled kernels, as for [References], each runtime also
// runs those that belong to it.
func (h *Hosts) Peers(ctx context.Context, names []string, dir string, folders []string, mpi string) ([]Runtime, error) {
	all, err := peers(ctx, names, h, func(mpicc string) (string, error) { return peer.Compile(ctx, mpicc, dir) }, peerBudget, slow)
	if err != nil {
		return nil, err
	}
	var found []compiled
	for _, f := range folders {
		kernels, err := originals(f, mpi)
		if err != nil {
			return nil, err
		}
		found = append(found, kernels)
	}
	for i := range all {
		all[i] = all[i].WithKernels(h.originals(all[i].Name, found))
	}
	return all, nil
}

// originals runs the compiled kernels that belong to a runtime.
func (h *Hosts) originals(name string, folders []compiled) Runtime {
	return Runtime{
		Name: name,
		read: readNAS,
		command: func(job []Cell, _ time.Duration) []string {
			for _, kernels := range folders {
				if o, ok := kernels.find(job[0]); ok && o.kind.name == name {
					return append(h.launch(o.kind, job[0].Ranks), o.path)
				}
			}
			return nil
		},
	}
}
