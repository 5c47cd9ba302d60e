package timed

import (
	"errors"
	"fmt"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A Machine is a number of nodes with their network.
type Machine struct {
	k       *vtime.Kernel
	n       numbers
	nodes   []*node
	network *network
	syncs   []*job // by sid
	calls   vtime.Slots[func()]
	self    vtime.Source
	packets uint64 // packets that have left their Senders
	bytes   uint64 // of data in them

	// Arrived is called when a whole parcel has arrived at a node.
	Arrived func(node int, p *Parcel)
}

// A Parcel is what a node sends.
type Parcel struct {
	From     int
	To       []int // physical nodes; several are a multicast within a group of 64, or the members of a synchronization
	Protocol cenju4.Protocol
	Flags    cenju4.Flags
	Bytes    int
	Src, Dst uint64 // offsets; only their places in lines and pages matter
	Flushed  bool   // no line of the source is dirty
	Sync     bool   // a synchronization packet
	Sid      int
	Tag      int // for the caller
}

// data reports whether the parcel carries data.
func (p *Parcel) data() bool { return p.Protocol >= cenju4.RemoteDMA && p.Protocol <= cenju4.Message1 }

// New returns a machine of nodes, 1 to 1024, with a kernel of its own.
func New(nodes int, t *param.Table) (*Machine, error) { return On(new(vtime.Kernel), nodes, t) }

// On returns a machine on a kernel that others use too.
func On(k *vtime.Kernel, nodes int, t *param.Table) (*Machine, error) {
	if nodes < 1 || nodes > cenju4.MaxNodes {
		return nil, fmt.Errorf("timed: %d nodes; give 1 to %d", nodes, cenju4.MaxNodes)
	}
	n, err := newNumbers(t)
	if err != nil {
		return nil, err
	}
	m := &Machine{k: k, n: n, syncs: make([]*job, cenju4.Sids)}
	m.self = m.k.Source("software")
	m.network = newNetwork(m, nodes, t.Int("switch.level"), t.Int("switch.ports"))
	for i := range nodes {
		x := &node{m: m, number: i, src: m.k.Source("node")}
		x.receiver.node = x
		x.seen, x.receiver.seen = k.Source(fmt.Sprintf("node %d Sender", i)), k.Source(fmt.Sprintf("node %d Receiver", i))
		m.nodes = append(m.nodes, x)
	}
	return m, nil
}

// Errors of invalid parcels.
var (
	errNode = errors.New("timed: no such node")
	errSet  = errors.New("timed: a set that is not in one group of 64")
)

// Post queues a parcel at its node, now. It is refused under the same conditions as by RHM.
func (m *Machine) Post(p Parcel) error {
	j := &job{Parcel: p, to: p.To}
	j.header = cenju4.Parcel{Protocol: p.Protocol, Flags: p.Flags, Length: uint32(p.Bytes), Words: [3]uint64{p.Src, p.Dst}}
	if len(p.To) > 1 {
		j.header.Type = cenju4.Multicast
	}
	if p.Sync {
		j.header.Type = cenju4.Synchronization
	}
	if why := j.header.Check(false); why != 0 {
		return why
	}
	if uint(p.From) >= uint(len(m.nodes)) || len(p.To) == 0 {
		return errNode
	}
	for _, to := range p.To {
		switch {
		case uint(to) >= uint(len(m.nodes)):
			return errNode
		case to/cenju4.GroupNodes != p.To[0]/cenju4.GroupNodes:
			return errSet
		}
	}
	if p.Sync {
		if len(m.nodes) > cenju4.GroupNodes {
			return cenju4.TooLarge
		}
		m.syncs[p.Sid%cenju4.Sids] = j
	}
	if j.data() {
		j.cuts = j.header.Cutter()
	} else {
		j.header.Length = 0 // only a header is sent, which contains the operand
		j.cuts = j.header.Cutter()
		j.header.Length = uint32(p.Bytes)
	}
	m.nodes[p.From].post(j)
	return nil
}

func (m *Machine) arrived(node int, j *job) {
	if m.Arrived != nil {
		m.Arrived(node, &j.Parcel)
	}
}

// Now returns virtual time.
func (m *Machine) Now() vtime.Time { return m.k.Now() }

// After has f called after a time: it models software.
func (m *Machine) After(d vtime.Time, f func()) {
	m.self.After(d, m, 0, m.calls.Put(f))
}

// Act calls a function passed to After.
func (m *Machine) Act(_ int, call uint64) {
	m.calls.Take(call)()
}

// Stages returns the number of switches that a packet passes.
func (m *Machine) Stages() int { return m.network.form.Stages() }

// Least returns a lower bound of the time of a parcel to one node, from Post to its arrival.
func (m *Machine) Least() vtime.Time {
	return m.n.rhm + m.n.spm + m.n.onLink(0) + vtime.Time(m.Stages())*m.n.single + m.n.packet
}

// Carried returns the number of packets that have left their Senders, and the bytes of data in
// them.
func (m *Machine) Carried() (packets, bytes uint64) { return m.packets, m.bytes }

// Links calls visit for each link that has been used, with the time of its use: the links from
// nodes to the first stage, and those after each stage.
func (m *Machine) Links(visit func(name string, used vtime.Time)) {
	for _, n := range m.nodes {
		if n.used > 0 {
			visit(fmt.Sprintf("out of node %d", n.number), n.used)
		}
	}
	for _, links := range m.network.links {
		for line := range links {
			if l := &links[line]; l.used > 0 {
				visit(l.seen.Name(), l.used)
			}
		}
	}
}

// Run runs until no event is pending.
func (m *Machine) Run() error { return m.k.Run(1 << 40) }
