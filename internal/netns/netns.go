// Package netns turns this machine into several hosts: network namespaces (network_namespaces(7)), each
// with a link to one switch. It needs root and iproute2.
//
//	host 0          host 1          host 2
//	10.77.0.1       10.77.0.2       10.77.0.3
//	    |               |               |
//	    +---------------+---------------+---- the switch, in a namespace of its own
//
// Memory and files of the machine are shared by all hosts, except for commands that are run by
// [Network.Command] or by the program of [Network.Agent].
package netns

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"rhinet/internal/wait"
)

// Subnet is the subnet of all hosts, and Interface the name of the link in each.
const (
	Subnet    = "10.77.0.0/24"
	Interface = "veth0"
)

// most is how many hosts a network may have.
const most = 250

// patience is how long to wait for the end of processes that were killed.
const patience = 10 * time.Second

// A Network is a set of hosts that reach each other.
type Network struct {
	hosts []string // the names of their namespaces
	hub   string
	cpus  []string // processors that this process may use
}

// made counts the networks of this process, whose hosts have different names.
var made atomic.Int32

// New makes n hosts, at least 1. An error is one sentence.
func New(n int) (*Network, error) {
	if n < 1 || n > most {
		return nil, fmt.Errorf("%d hosts: there are 1 to %d in a network of namespaces", n, most)
	}
	prefix := fmt.Sprintf("rh%d.%d-", os.Getpid(), made.Add(1))
	w := &Network{hub: prefix + "hub", cpus: processors()}
	script := []string{"netns add " + w.hub, "-n " + w.hub + " link add br0 type bridge", "-n " + w.hub + " link set br0 up"}
	for i := range n {
		h, port := prefix+strconv.Itoa(i), "p"+strconv.Itoa(i)
		w.hosts = append(w.hosts, h)
		script = append(script, "netns add "+h, "-n "+h+" link set lo up",
			"link add "+Interface+" netns "+h+" type veth peer name "+port+" netns "+w.hub,
			"-n "+w.hub+" link set "+port+" master br0 up",
			"-n "+h+" addr add "+w.Address(i)+"/24 dev "+Interface, "-n "+h+" link set "+Interface+" up")
	}
	for _, line := range script {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			text := strings.Join(append(strings.Fields(string(out)), ""), " ")
			return nil, errors.Join(fmt.Errorf("hosts cannot be made of network namespaces here, which takes root and iproute2: ip %s: %s(%w)", line, text, err), w.remove())
		}
	}
	return w, nil
}

// Hosts returns the names of the namespaces, as ip netns takes them.
func (w *Network) Hosts() []string { return w.hosts }

// Address returns the address of a host in the network.
func (w *Network) Address(host int) string { return "10.77.0." + strconv.Itoa(host+1) }

// apart runs a command on its own /dev/shm, after setting the host name from its first argument.
const apart = `mount -t tmpfs tmpfs /dev/shm && hostname "$1" && shift && exec "$@"`

// Command returns a command that runs another command on a host as if that were a machine of its own: with
// its own host name, /dev/shm and System V memory, and on one processor; hosts take the usable processors
// in turn.
func (w *Network) Command(host int, words ...string) []string {
	enter := []string{"ip", "netns", "exec", w.hosts[host], "unshare", "--ipc", "--uts",
		"sh", "-c", apart, "sh", w.hosts[host], "taskset", "-c", w.cpus[host%len(w.cpus)]}
	return append(enter, words...)
}

// Agent writes a program that starts a command on a host as ssh does, in the way of Command:
//
//	FILE [-OPTION]... ADDRESS WORD...
func (w *Network) Agent(file string) error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\nwhile test \"${1#-}\" != \"$1\"; do shift; done\nhost=$1\nshift\ncase $host in\n")
	for i := range w.hosts {
		fmt.Fprintf(&b, "%s) exec '%s' \"$*\" ;;\n", w.Address(i), strings.Join(w.Command(i, "sh", "-c"), "' '"))
	}
	b.WriteString("esac\necho \"there is no host $host\" >&2\nexit 2\n")
	return os.WriteFile(file, []byte(b.String()), 0o755)
}

// Processes returns the numbers of the processes that run on a host.
func (w *Network) Processes(host int) (pids []int, err error) {
	out, err := exec.Command("ip", "netns", "pids", w.hosts[host]).Output()
	for _, word := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// Close kills all processes on the hosts, and removes the hosts.
func (w *Network) Close() error {
	for start := time.Now(); w.kill() && time.Since(start) < patience; {
		time.Sleep(10 * time.Millisecond)
	}
	return w.remove()
}

// kill kills all processes on the hosts, and reports whether there were any.
func (w *Network) kill() (found bool) {
	for i := range w.hosts {
		pids, _ := w.Processes(i)
		for _, pid := range pids {
			found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
		}
	}
	return found
}

// remove removes the existing namespaces.
func (w *Network) remove() (err error) {
	for _, h := range append(w.hosts[:len(w.hosts):len(w.hosts)], w.hub) {
		if _, gone := os.Stat(filepath.Join("/run/netns", h)); gone != nil {
			continue
		}
		if out, failed := exec.Command("ip", "netns", "del", h).CombinedOutput(); failed != nil {
			err = errors.Join(err, fmt.Errorf("ip netns del %s: %w: %s", h, failed, out))
		}
	}
	return err
}

// processors lists the processors that this process may use; 0 where the system does not tell.
func processors() (list []string) {
	for i, b := range wait.Affinity() {
		for ; b != 0; b &= b - 1 {
			list = append(list, strconv.Itoa(8*i+bits.TrailingZeros8(b)))
		}
	}
	if len(list) == 0 {
		return []string{"0"}
	}
	return list
}
