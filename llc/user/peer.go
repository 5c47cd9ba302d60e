package user

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"rhinet/internal/pmi"
	"rhinet/internal/wait"
	"rhinet/llc/ir"
	"rhinet/llc/nics"
	"rhinet/llc/port"
)

// The contexts of messages.
const (
	ctxMessages    = 0
	ctxUnsolicited = 1
)

// A Peer is one communicating subject (llc, section 1). Any goroutine may call its methods at any time, but
// nothing may be called after Close.
type Peer struct {
	port    *port.Port
	self    int
	peers   int
	release func() error

	handlers sync.Map // of func(int, []byte), by id
	open     transfers

	reader  sync.Mutex // guards the fields below: the queue has one reader at a time
	arrival arrival
	taken   bool // arrival was returned as an event, or passed to a handler
}

// Join makes the process the peer that mpirun started it as, or the only peer of a job of one. A process
// calls it once.
func Join() (*Peer, error) {
	wait.ReturnSlack()
	job := pmi.Single(0, 1)
	if text := os.Getenv(pmi.Variable); text != "" {
		var err error
		if job, err = pmi.Decode(text); err != nil {
			return nil, fmt.Errorf("user: %w", err)
		}
		os.Unsetenv(pmi.Variable) // not for programs that this one starts
	}
	if err := job.Follow(); err != nil {
		return nil, fmt.Errorf("user: %w", err)
	}
	nic, release, err := nics.Process(job, nics.Debug{})
	if err != nil {
		return nil, fmt.Errorf("user: %w", err)
	}
	cpus := job.CPUs
	if cpus == 0 {
		cpus = wait.UsableCPUs()
	}
	return newPeer(nic, wait.For(job.Size, cpus, false), job.RingMemory, release), nil
}

// Local makes n peers that are goroutines of this process, on the network interface of the given name ("" is
// the default). Their memory is freed when the last one has closed.
func Local(n int, nic string) ([]*Peer, error) {
	all, release, err := nics.Local(nic, n, nics.Debug{Contract: n > 1})
	if err != nil {
		return nil, fmt.Errorf("user: %w", err)
	}
	var mu sync.Mutex
	left := n
	last := func() error {
		mu.Lock()
		defer mu.Unlock()
		if left--; left > 0 {
			return nil
		}
		return release()
	}
	peers := make([]*Peer, n)
	for i, t := range all {
		peers[i] = newPeer(t, wait.For(n, wait.UsableCPUs(), true), 0, last)
	}
	return peers, nil
}

func newPeer(nic ir.Translator, policy wait.Policy, ringMemory int, release func() error) *Peer {
	return &Peer{
		port: port.New(port.Config{NIC: nic, Policy: policy, Limits: port.Limits{RingMemory: ringMemory}}),
		self: nic.Self(), peers: nic.Peers(), release: release,
		taken: true, // no receive is posted yet
	}
}

// Self returns the number of this peer.
func (p *Peer) Self() int { return p.self }

// Peers returns how many peers the job has. They are numbered from 0.
func (p *Peer) Peers() int { return p.peers }

// Close ends all use, after everything sent has left. Peers that still send to this one learn that it is
// gone.
func (p *Peer) Close() error { return errors.Join(p.port.Close(), p.release()) }

// known reports a number that is not a peer's.
func (p *Peer) known(call string, peer int) error {
	if peer < 0 || peer >= p.peers {
		return fmt.Errorf("user: %s: there is no peer %d, only 0 to %d", call, peer, p.peers-1)
	}
	return nil
}
