package timed

import (
	"errors"
	"fmt"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// Options of a system. The zero value is enough for requests up to 64 Kbyte.
type Options struct {
	Area    int // bytes of a node that other nodes can write and read; 0: 64 Kbyte
	Source  int // bytes that a node has pinned to send from and to pull into; 0: 64 Kbyte
	Ring    int // bytes of the VPUSH ring of each node, a multiple of a page; 0: none
	Rings   stepped.RingOptions
	TLB     stepped.Geometry
	Seed    uint64 // for bit errors
	Kernel  *vtime.Kernel
	Observe func(stepped.Event)
	Trouble func(node int, module stepped.Module, from stepped.State)
}

// A System is a number of nodes and a network, in virtual time.
type System struct {
	k       *vtime.Kernel
	s       settings
	net     *network.Network
	machine *stepped.Machine
	nics    []*martini.NIC
	nodes   []*Node
	pool    []*network.Packet
	number  uint64 // number of packets sent
}

// A Node is a host with its NIC.
type Node struct {
	vtime.Source
	sys       *System
	id        int
	bus       *vtime.Resource
	bridge    bridge
	arrivals  sink
	area      []byte
	segment   martini.Segment
	source    []byte
	ring      *stepped.Ring
	windows   [martini.Windows]vtime.Ring[request] // requests with stages to come
	atomic    vtime.Ring[*Transfer]                // sent by AOTF and not delivered
	programs  []*Process
	pollers   vtime.Ring[*Process] // programs that poll
	notices   vtime.Ring[notice]
	registers int // bit set of the AOTF headers that are registered
}

const usualArea = 64 << 10

// New builds the nodes of a topology's hosts.
func New(t *network.Topology, p *param.Table, o Options) (sys *System, err error) {
	s, err := resolve(p)
	if err != nil {
		return nil, err
	}
	if len(t.Hosts) < 2 {
		return nil, errors.New("timed: a system takes two hosts or more")
	}
	if o.Area == 0 {
		o.Area = usualArea
	}
	if o.Source == 0 {
		o.Source = usualArea
	}
	sys = &System{k: o.Kernel, s: s}
	if sys.k == nil {
		sys.k = new(vtime.Kernel)
	}
	defer func() {
		if err != nil {
			sys.Close()
		}
	}()
	if sys.net, err = network.New(sys.k, t, p, o.Seed); err != nil {
		return sys, err
	}
	return sys, sys.build(len(t.Hosts), o)
}

// build makes the nodes and their NICs.
func (sys *System) build(nodes int, o Options) error {
	f, err := fabric.Heap(nodes, fabric.Small())
	if err != nil {
		return err
	}
	manager, err := martini.Manage(f)
	if err != nil {
		return err
	}
	chip := &stepped.Chip{
		Kernel: sys.k, Core: sys.s.core, Switch: sys.s.swi, Timing: sys.s.costs, Poll: sys.s.poll, Firmware: sys.s.firmware,
		Link: link{sys}, Wrote: sys.wrote,
	}
	for i := range nodes {
		nic, err := martini.Open(f, i, martini.Options{})
		if err != nil {
			return err
		}
		sys.nics = append(sys.nics, nic)
		n, err := sys.node(i, nic, o)
		if err != nil {
			return err
		}
		sys.nodes = append(sys.nodes, n)
		chip.Bus = append(chip.Bus, n.bus)
		sys.net.Attach(i, &n.arrivals)
	}
	sys.machine, err = stepped.New(manager, sys.nics, stepped.Options{TLB: o.TLB, Chip: chip, Observe: o.Observe, Trouble: o.Trouble})
	if err != nil || o.Ring == 0 {
		return err
	}
	for _, n := range sys.nodes {
		b := Pages(o.Ring + fabric.PageBytes)
		if _, err := sys.nics[n.id].Pin(b); err != nil {
			return err
		}
		if n.ring, err = sys.machine.NewRing(n.id, 0, b, o.Rings); err != nil {
			return err
		}
	}
	return nil
}

func (sys *System) node(i int, nic *martini.NIC, o Options) (*Node, error) {
	n := &Node{Source: sys.k.Source(fmt.Sprintf("node %d host", i)), sys: sys, id: i, area: Pages(o.Area), source: Pages(o.Source)}
	n.bus = vtime.NewBus(sys.k, fmt.Sprintf("node %d PCI", i), stepped.BusLines, vtime.RoundRobin, sys.s.turnaround)
	n.bridge.n, n.arrivals.n = n, n
	var err error
	if n.segment, err = nic.Expose(n.area); err != nil {
		return n, err
	}
	_, err = nic.Pin(n.source)
	return n, err
}

// Pages returns page-aligned memory of at least n bytes, a multiple of a page.
func Pages(n int) []byte {
	n = (n + fabric.PageBytes - 1) &^ (fabric.PageBytes - 1)
	b := make([]byte, n+fabric.PageBytes)
	off := int(-fabric.Address(b) % fabric.PageBytes)
	return b[off : off+n : off+n]
}

// Close stops the programs and closes the NICs.
func (sys *System) Close() {
	for _, n := range sys.nodes {
		for _, p := range n.programs {
			p.stop()
		}
	}
	for _, nic := range sys.nics {
		_ = nic.Close()
	}
	if sys.machine != nil {
		sys.machine.Close()
	}
}

// Kernel returns the kernel that the system runs on.
func (sys *System) Kernel() *vtime.Kernel { return sys.k }

// Network returns the network between the nodes.
func (sys *System) Network() *network.Network { return sys.net }

// Machine returns the controllers, for experiments.
func (sys *System) Machine() *stepped.Machine { return sys.machine }

// Nodes returns the number of nodes.
func (sys *System) Nodes() int { return len(sys.nodes) }

// Node returns a node, by its number.
func (sys *System) Node(i int) *Node { return sys.nodes[i] }

// Bus returns the node's PCI bus.
func (n *Node) Bus() *vtime.Resource { return n.bus }

// ID returns the node's number.
func (n *Node) ID() int { return n.id }
