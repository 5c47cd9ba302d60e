package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"

	"rhinet/internal/iface"
	"rhinet/internal/kvs"
	"rhinet/internal/kvs/launcher"
	"rhinet/internal/kvs/pmix"
	"rhinet/internal/pmi"
	"rhinet/internal/wait"
	"rhinet/llc/nics"
)

// A processGroup is the ranks of a job without mpirun, as one of them sees them: what the
// launcher tells, and the store by which they meet.
type processGroup interface {
	kvs.Store
	Rank() int
	Size() int
	Hosts() ([]int, error) // the host of each rank
}

// A processManager is the launcher that has started a process group, as one rank can reach
// it.
type processManager interface {
	processGroup
	Gone(f func())                         // has f called when the launcher ends before Close
	Abort(status int)                      // has the launcher end the job; any goroutine may call it
	AppNum() (app int, ok bool, err error) // which program the rank runs, if the launcher tells
}

// processManager connects to the launcher that has started the process.
func (s *setup) processManager(getenv func(string) string) (processManager, error) {
	if s.managed == byPMIx {
		return pmix.Open()
	}
	return launcher.Open(getenv)
}

// join makes the process a rank of the launcher that has started it. Close tells the
// launcher that the rank has ended normally.
func (s *setup) join(getenv func(string) string) (processManager, error) {
	c, err := s.processManager(getenv)
	if err != nil {
		return nil, err
	}
	if s.job, err = bootstrap(c, getenv); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	app, known, err := c.AppNum()
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if known {
		s.job.App = app
	}
	s.store = c
	if getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(wait.Threads(s.job.CPUs, s.job.Size))
	}
	c.Gone(func() { s.job.Orphaned("the launcher") })
	return c, nil
}

// Keys of what ranks put: the number of the rank follows the first, the number of the
// host the others.
const (
	keyMask   = "affinity."
	keyMemory = "memory."
	keyCPUs   = "cpus."
)

// hostGroups are the ranks of a process group by host, as one of them sees them.
type hostGroups struct {
	processGroup
	hosts []int // the host of each rank, from 0
	mine  int   // the host of this rank
}

// bootstrap has the ranks of a process group find each other. On each host the lowest rank
// makes the memory, as mpirun does for its ranks, and the others open it in that rank's
// descriptors in /proc, which only processes of the same user can. The file never has a
// name, and is gone with the last rank.
//
//	lowest ranks  make the memory, put process, descriptor and NIC
//	all           put the processors that they may use      -- fence --
//	others        open the memory
//	lowest ranks  put how many processors those on the host share   -- fence --
//	all           get these numbers
func bootstrap(p processGroup, getenv func(string) string) (pmi.Job, error) {
	j := pmi.Single(p.Rank(), p.Size())
	hosts, err := p.Hosts()
	if err != nil {
		return j, err
	}
	h := groupByHost(p, hosts)
	if err := h.network(&j, getenv); err != nil {
		return j, err
	}
	file, err := h.shareMemory(j.NIC)
	if err != nil {
		return j, err
	}
	defer file.Close()
	if j.CPUs, err = h.processors(); err != nil {
		return j, err
	}
	j.Fabric, err = inherit(file)
	return j, err
}

// groupByHost numbers the hosts of a process group from 0 on, in the order of their lowest
// ranks.
func groupByHost(p processGroup, hosts []int) hostGroups {
	h := hostGroups{processGroup: p, hosts: make([]int, len(hosts))}
	numbers := map[int]int{}
	for rank, host := range hosts {
		if _, known := numbers[host]; !known {
			numbers[host] = len(numbers)
		}
		h.hosts[rank] = numbers[host]
	}
	h.mine = h.hosts[p.Rank()]
	return h
}

// network chooses the NIC of a job, and the address at which other hosts reach this
// one.
func (h hostGroups) network(j *pmi.Job, getenv func(string) string) (err error) {
	wanted := getenv(envNIC)
	if h.count() == 1 {
		j.NIC = cmp.Or(wanted, nics.Default)
		return oneHost(j.NIC)
	}
	if j.NIC, err = nics.Spread(wanted); err != nil {
		return fmt.Errorf("%s: %w; the launcher has placed the ranks on %d hosts", envNIC, err, h.count())
	}
	j.Host = h.mine
	j.Address, err = ownAddress(getenv)
	return err
}

// ownAddress returns the address at which other hosts reach this one: that of the
// interface named by the user, or the one by which this host reaches its launcher, or
// the first one.
func ownAddress(getenv func(string) string) (string, error) {
	wanted := getenv(envIface)
	// In these variables launchers tell processes the name of a host: the launcher's or
	// the process's own.
	for _, name := range []string{"MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "SLURM_LAUNCH_NODE_IPADDR"} {
		if host := getenv(name); host != "" && wanted == "" {
			if a := iface.Towards(host); a != nil {
				return a.String(), nil
			}
		}
	}
	all, err := iface.Addresses(wanted)
	if err != nil {
		return "", fmt.Errorf("%s: %w", envIface, err)
	}
	if len(all) == 0 {
		return "", errors.New("this host has no address by which ranks on others could reach it")
	}
	return all[0].String(), nil
}

// count returns the number of hosts.
func (h hostGroups) count() int { return slices.Max(h.hosts) + 1 }

// members returns the ranks on a host.
func (h hostGroups) members(host int) []int {
	var all []int
	for rank, at := range h.hosts {
		if at == host {
			all = append(all, rank)
		}
	}
	return all
}

// leads reports whether this rank is the lowest on its host.
func (h hostGroups) leads() bool { return slices.Index(h.hosts, h.mine) == h.Rank() }

// shareMemory returns the memory of the host, after all lowest ranks have made theirs.
func (h hostGroups) shareMemory(nic string) (file *os.File, err error) {
	if h.leads() {
		if file, err = nics.Create(nic, h.Size()); err != nil {
			return nil, err
		}
		err = h.Put(fmt.Sprint(keyMemory, h.mine), fmt.Appendf(nil, "%d %d %s", os.Getpid(), file.Fd(), nic))
	}
	if err == nil {
		err = h.Put(fmt.Sprint(keyMask, h.Rank()), wait.Affinity())
	}
	if err == nil {
		err = h.Fence()
	}
	if err == nil && file == nil {
		file, err = h.openMemory(nic)
	}
	if err != nil && file != nil {
		err = errors.Join(err, file.Close())
	}
	return file, err
}

// openMemory opens the memory that the lowest rank on this host has made.
func (h hostGroups) openMemory(nic string) (*os.File, error) {
	where, err := h.Get(fmt.Sprint(keyMemory, h.mine))
	if err != nil {
		return nil, err
	}
	lowest := slices.Index(h.hosts, h.mine)
	var pid, fd int
	var name string
	if _, err := fmt.Sscan(string(where), &pid, &fd, &name); err != nil {
		return nil, fmt.Errorf("rank %d says that the memory of the job is %q; use programs of one build", lowest, where)
	}
	if name != nic {
		return nil, fmt.Errorf("%s: this rank would use %s, and rank %d %s; set it equally for all", envNIC, nic, lowest, name)
	}
	file, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open the memory that rank %d has made: %w; all ranks on a host must run as one user, in one container", lowest, err)
	}
	return file, nil
}

// processors returns how many processors all ranks share, as if all hosts were like the
// one with the fewest per rank. It ends with a fence, after which no rank needs the
// descriptors of the lowest ranks.
func (h hostGroups) processors() (int, error) {
	if h.leads() {
		var masks [][]byte
		for _, r := range h.members(h.mine) {
			m, err := h.Get(fmt.Sprint(keyMask, r))
			if err != nil {
				return 0, err
			}
			masks = append(masks, m)
		}
		if err := h.Put(fmt.Sprint(keyCPUs, h.mine), fmt.Append(nil, wait.UsableTogether(masks))); err != nil {
			return 0, err
		}
	}
	if err := h.Fence(); err != nil {
		return 0, err
	}
	least := 0
	for host := range h.count() {
		text, err := h.Get(fmt.Sprint(keyCPUs, host))
		if err != nil {
			return 0, err
		}
		var n int
		if _, err := fmt.Sscan(string(text), &n); err != nil || n < 1 {
			return 0, fmt.Errorf("host %d says that its ranks share %q processors; use programs of one build", host, text)
		}
		if n = max(1, n*h.Size()/len(h.members(host))); host == 0 || n < least {
			least = n
		}
	}
	return least, nil
}

// inherit returns a copy of the descriptor of file, which the receiver of the job
// closes.
func inherit(file *os.File) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return pmi.None, err
	}
	syscall.CloseOnExec(fd)
	return fd, nil
}
