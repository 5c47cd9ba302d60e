package media

import (
	"fmt"

	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A Medium is a message layer on Martini, for a number of ranks, which are on the first hosts of
// its topology.
type Medium struct {
	vtime.Source
	s     set
	sys   *timed.System
	hosts []host
	free  func(src, dst int) // see Pace
	jobs  []*job             // unused
}

var (
	_ medium.Model   = (*Medium)(nil)
	_ medium.Mover   = (*Medium)(nil)
	_ medium.Keeper  = (*Medium)(nil)
	_ medium.Pacer   = (*Medium)(nil)
	_ medium.Counter = (*Medium)(nil)
)

// MostHosts is the maximum number of hosts of the model: each controller keeps a record for the
// requests of every other.
const MostHosts = 256

// Cluster returns the default topology: four switches, all connected to each other, with four hosts
// each (pm-messaging, section 2.1, M3); for more ranks a random topology with four hosts at each
// switch.
func Cluster(ranks int) string {
	if ranks <= 16 {
		return "full:4x4"
	}
	return fmt.Sprintf("random:%dx4x1", (ranks+3)/4)
}

// seed is for bit errors.
const seed = 1

// New returns the medium of a layer for the given number of ranks; t is nil or has at least one
// host for each rank.
func New(k *vtime.Kernel, name string, ranks int, t *network.Topology, p *param.Table) (*Medium, error) {
	l, err := find(name)
	if err != nil {
		return nil, err
	}
	if t == nil {
		if t, err = network.Generate(Cluster(ranks), seed); err != nil {
			return nil, err
		}
	}
	if n := len(t.Hosts); n < ranks || n > MostHosts {
		return nil, fmt.Errorf("%w: %d hosts; the job has %d ranks, each on a host of its own, and the model takes up to %d hosts", network.ErrTopology, n, ranks, MostHosts)
	}
	m := &Medium{Source: k.Source("ranks"), s: l.resolve(p), free: func(int, int) {}}
	o := timed.Options{Kernel: k, Seed: seed}
	if l.ring {
		o.Ring, o.Rings = m.s.ring, stepped.RingOptions{Hardware: l.hardware}
	}
	if m.sys, err = timed.New(t, p, o); err != nil {
		return nil, err
	}
	if err := m.sys.Network().Routes().CheckDeadlock(); err != nil {
		m.sys.Close()
		return nil, err
	}
	m.hosts = make([]host, ranks)
	for i := range m.hosts {
		m.hosts[i].start(m, i)
	}
	return m, nil
}

// Close closes the NICs.
func (m *Medium) Close() error {
	m.sys.Close()
	return nil
}

// System returns the nodes below the layer.
func (m *Medium) System() *timed.System { return m.sys }

// Lookahead is less than the time of any operation of the NIC.
func (m *Medium) Lookahead() vtime.Time { return m.sys.Least() }

// Costs returns the costs of the calls of the layer and of MPI, of copies into and out of the
// layer's buffers, of polling rings, and of stores to the Window (pm-messaging, sections 1.4 to
// 1.6).
func (m *Medium) Costs() medium.Costs {
	sys, s := m.sys, &m.s
	look := sys.CallTime() + sys.PassTime(s.words(len(m.hosts)))
	receive := medium.Cost{Message: sys.MessageTime(), Packet: look/2 + sys.CallTime(), PerByte: sys.CopyRate(false)}
	switch {
	case s.layer.ring:
		receive.Packet += sys.StoreTime(&timed.Transfer{Kind: timed.Release})
	case !s.own:
		receive.PerByte += sys.ZeroRate()
		receive.Packet += sys.ZeroRate().Time(frame + s.envelope)
	}
	if !s.layer.ring {
		receive.Short, receive.Long = line-frame-s.envelope, sys.DetectTime()
	}
	post := sys.StoreTime(&timed.Transfer{})
	c := medium.Costs{
		Send: medium.Cost{Message: sys.MessageTime(), Packet: sys.CallTime(), PerByte: sys.CopyRate(true)},
		Post: post, Receive: receive, Transfer: sys.CallTime() + post, Poll: look,
		Packet: s.most() - s.envelope, Eager: mostEager, Remote: s.rma,
	}
	if s.rma {
		c.Eager = s.eager
	}
	return c
}

// mostEager stands for all messages: without remote memory access no message is long enough for a
// rendezvous.
const mostEager = 1 << 30

// Links returns the use of the directions of links, and of the PCI buses.
func (m *Medium) Links(end vtime.Time) []medium.Link {
	now := m.Now()
	all := m.sys.Buses()
	for _, w := range m.sys.Network().Wires() {
		all = append(all, medium.Link{Name: w.Name, Used: w.Utilisation})
	}
	for i := range all {
		if end > now {
			all[i].Used *= float64(now) / float64(end)
		}
		all[i].Used = min(1, all[i].Used)
	}
	return all
}

// Carried returns what the network has delivered, including acks and requests.
func (m *Medium) Carried() (packets, bytes uint64) {
	c := m.sys.Network().Counts()
	return c.Delivered, c.Bytes
}

// Send starts a message of the layer.
func (m *Medium) Send(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	if src == dst {
		m.After(m.Lookahead(), to, op, arg) // through a ring of its own: copies are in the costs
		m.After(m.Lookahead(), m, opFree, uint64(src))
		return
	}
	j := m.job(jobMessage, dst, bytes+m.s.envelope+frame, to, op, arg)
	j.slots = (j.bytes + slot - 1) / slot
	m.hosts[src].add(j)
}

// opFree is the event that a rank's packet to itself has left.
const opFree = 0

// Act handles the event of the medium itself.
func (m *Medium) Act(_ int, arg uint64) { m.free(int(arg), int(arg)) }

// Pace lets a rank hand over one message for each Window: pmSend returns when the PUSH is posted,
// and pmGetSendBuffer for the next message waits for contflag, and with a throttle for the ack.
func (m *Medium) Pace(free func(src, dst int)) int {
	m.free = free
	return m.s.windows
}

// Pull uses PULLs.
func (m *Medium) Pull(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	m.remote(jobPull, src, dst, bytes, to, op, arg)
}

// Push uses PUSHes with acks.
func (m *Medium) Push(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	m.remote(jobPush, src, dst, bytes, to, op, arg)
}

func (m *Medium) remote(kind jobKind, src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	if src == dst {
		m.After(m.Lookahead()+m.sys.CopyRate(false).Time(bytes), to, op, arg)
		return
	}
	m.hosts[src].add(m.job(kind, dst, max(bytes, 1), to, op, arg))
}

// Taken is pmReleaseReceiveBuffer.
func (m *Medium) Taken(src, dst int) {
	if src != dst {
		m.hosts[dst].release(src)
	}
}

// Left makes the layer of a rank whose process has ended take all messages.
func (m *Medium) Left(rank int) {
	h := &m.hosts[rank]
	h.left = true
	for h.come.Len() > 0 {
		h.release(rank)
	}
	for src := range h.peers {
		for h.peers[src].come.Len() > 0 {
			h.release(src)
		}
	}
}

// job returns an unused job.
func (m *Medium) job(kind jobKind, dst, bytes int, to vtime.Actor, op int, arg uint64) *job {
	j := new(job)
	if n := len(m.jobs); n > 0 {
		j, m.jobs = m.jobs[n-1], m.jobs[:n-1]
	}
	*j = job{kind: kind, dst: dst, bytes: bytes, to: to, op: op, arg: arg}
	return j
}
