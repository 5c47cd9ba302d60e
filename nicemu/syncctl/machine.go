package syncctl

import (
	"errors"
	"fmt"

	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// ErrCommand is wrapped by errors about invalid commands.
var ErrCommand = errors.New("syncctl: bad command")

// A Command is what a process writes to its RP (sync-controller, section 1.4).
type Command struct {
	Home int  // ID: node of the object; for Master/Slave barriers the Master
	Kind Kind // sync
	ID   int  // sync_ID
}

// A Waiter is notified of the end of a command: it is the sleeping process or, for a command
// without a wait, any observer.
type Waiter interface {
	Resume(node int, c Command, s Status)
}

// A Machine is a cluster's controllers in virtual time.
type Machine struct {
	torus Torus
	k     *vtime.Kernel
	self  vtime.Source
	set   times
	nodes []node
	jobs  vtime.Slots[job]

	groups map[uint16][]int // participants of a sync_ID, if not all nodes
	bc     central
	data   dataNet
	sent   uint64 // event packets that left an RP
	chain  int    // number of hops in the longest chain that ended a barrier
}

// times are the parameters as virtual time.
type times struct {
	hop, serial, event, retry                    vtime.Time
	write, interrupt, wake                       vtime.Time
	bcDecode, bcCentral, bcInterrupt             vtime.Time
	dataHop, dataSerial                          vtime.Time
	dataPacket, dataHeader, dataSlots, mostQueue int
	sendOrder                                    bool
}

// A node is a Responsive Processor with its links.
type node struct {
	links    [directions]vtime.Time // when the event link becomes free
	data     [directions]vtime.Time // when the data link becomes free
	sends    vtime.Time             // when the RP can put its next packet on a link
	busy     vtime.Time             // when the RP can process its next event
	barriers map[name]*barrier
	shuffles map[name]*shuffle
	objects  map[name]*object
	sleepers map[name][]sleeper
}

// A name identifies a synchronization in an RP's memory.
type name struct {
	kind Kind
	id   uint16
}

// A sleeper is a process that waits for the end of a command.
type sleeper struct {
	c Command
	w Waiter
}

// A job is the data of an event of the kernel.
type job struct {
	at     int // node
	p      Packet
	c      Command
	w      Waiter
	status Status
	setD   int
	data   dataPacket
}

// The events.
const (
	opCommand = iota // a command has reached the RP
	opForward        // a packet has reached the next node
	opHandle         // the RP processes a packet
	opTimer          // the waiting time of an aligned barrier is over
	opRetry          // a refused mutex is requested again
	opResume         // the process resumes
	opWait           // PE Wait has reached the central BC
	opRules          // the central BC makes one pass
	opData           // a data packet has reached the next node
	opCredit         // the sender learns of room in a receive buffer
)

// NewMachine returns a machine on a kernel. The parameters are those of Parameters, and
// are read once.
func NewMachine(k *vtime.Kernel, t Torus, p *param.Table) (*Machine, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	ns := func(name string) vtime.Time { return vtime.Nanoseconds(p.Value(name)) }
	bits := func(bytes int, rate string) vtime.Time {
		return vtime.Nanoseconds(float64(bytes) * 8 * 1000 / p.Value(rate))
	}
	m := &Machine{torus: t, k: k, self: k.Source("controllers"), nodes: make([]node, t.Nodes()), groups: map[uint16][]int{}}
	m.set = times{
		hop: ns("event.hop"), serial: bits(PacketBytes, "event.rate"), event: ns("rp.event"), retry: ns("mutex.retry"),
		write: ns("pci.write"), interrupt: ns("pci.interrupt"), wake: ns("pe.wake"),
		bcDecode: ns("bc.decode"), bcCentral: ns("bc.central"), bcInterrupt: ns("bc.interrupt"),
		dataHop: ns("data.hop"), dataSerial: bits(1, "data.rate"),
		dataPacket: p.Int("data.packet"), dataHeader: p.Int("data.header"), dataSlots: p.Int("data.slots"), mostQueue: p.Int("rp.waiters"),
		sendOrder: p.Int("rp.send-order") == 1,
	}
	if m.set.hop < m.set.serial {
		return nil, fmt.Errorf("syncctl: event.hop is %v, less than a packet occupies a link: %v; set event.hop or event.rate", m.set.hop, m.set.serial)
	}
	for i := range m.nodes {
		m.nodes[i] = node{barriers: map[name]*barrier{}, shuffles: map[name]*shuffle{}, objects: map[name]*object{}, sleepers: map[name][]sleeper{}}
	}
	m.bc.logic = NewRBCQ(t.Nodes())
	m.bc.waiting = make([]Waiter, t.Nodes())
	m.data.pairs = map[[2]int]*pair{}
	return m, nil
}

// Torus returns the network.
func (m *Machine) Torus() Torus { return m.torus }

// Packets returns the number of event packets that have left an RP.
func (m *Machine) Packets() uint64 { return m.sent }

// Chain returns the number of hops in the longest chain of packets, each sent after the previous
// one had arrived, that ended a barrier.
func (m *Machine) Chain() int { return m.chain }

// Group restricts the barriers of a sync_ID, Master/Slave and aligned, to some nodes.
func (m *Machine) Group(id int, members []int) error {
	if id < 0 || id > MostID || len(members) == 0 {
		return fmt.Errorf("%w: a group needs a sync_ID of 0 to %d and members", ErrCommand, MostID)
	}
	for i, n := range members {
		if n < 0 || n >= len(m.nodes) || i > 0 && n <= members[i-1] {
			return fmt.Errorf("%w: members are nodes 0 to %d in order, not %v", ErrCommand, len(m.nodes)-1, members)
		}
	}
	m.groups[uint16(id)] = members
	return nil
}

// Command is a process's write at a node, now. w is notified of the end; it may be nil.
func (m *Machine) Command(node int, c Command, w Waiter) error {
	if err := m.Check(node, c); err != nil {
		return err
	}
	m.after(m.set.write, opCommand, job{at: node, c: c, w: w})
	return nil
}

// Check returns an error if a command of a process at a node is invalid, or if a barrier does not
// support this number of nodes.
func (m *Machine) Check(node int, c Command) error {
	nodes := len(m.nodes)
	switch {
	case node < 0 || node >= nodes || c.Home < 0 || c.Home >= nodes:
		return fmt.Errorf("%w: %v at node %d, home %d; there are nodes 0 to %d", ErrCommand, c.Kind, node, c.Home, nodes-1)
	case c.Kind == 0 || c.Kind >= endKinds:
		return fmt.Errorf("%w: %v", ErrCommand, c.Kind)
	case c.ID < 0 || c.ID > MostID:
		return fmt.Errorf("%w: sync_ID %d is not 0 to %d", ErrCommand, c.ID, MostID)
	case c.Kind == Shuffle || c.Kind == ModifiedShuffle:
		return m.checkShuffle(c.Kind)
	case c.Kind == MasterSlave || c.Kind == Aligned:
		return m.checkBarrier(node, c)
	}
	return nil
}

// Act handles an event of the kernel.
func (m *Machine) Act(op int, arg uint64) {
	j := m.jobs.Take(arg)
	switch op {
	case opCommand:
		m.begin(&j)
	case opForward:
		m.arrived(&j)
	case opHandle:
		m.handle(j.at, &j.p)
	case opTimer:
		m.wake(j.at, name{j.c.Kind, uint16(j.c.ID)}, OK)
	case opRetry:
		m.request(j.at, j.c)
	case opResume:
		if j.w != nil {
			j.w.Resume(j.at, j.c, j.status)
		}
	case opWait:
		m.bcWait(&j)
	case opRules:
		m.bcRules()
	case opData:
		m.dataArrived(&j)
	case opCredit:
		m.dataCredit(&j)
	}
}

// after schedules an event after time d.
func (m *Machine) after(d vtime.Time, op int, j job) { m.at(m.k.Now()+d, op, j) }

func (m *Machine) at(t vtime.Time, op int, j job) {
	m.self.At(t, m, op, m.jobs.Put(j))
}

// begin starts a command that has reached the RP.
func (m *Machine) begin(j *job) {
	n := &m.nodes[j.at]
	c := name{j.c.Kind, uint16(j.c.ID)}
	n.sleepers[c] = append(n.sleepers[c], sleeper{j.c, j.w})
	switch j.c.Kind {
	case MasterSlave, Aligned:
		m.arriveBarrier(j.at, j.c)
	case Shuffle, ModifiedShuffle:
		m.arriveShuffle(j.at, c)
	default:
		m.request(j.at, j.c)
	}
}

// wake interrupts the PE for the oldest process that sleeps for a command.
func (m *Machine) wake(at int, c name, s Status) {
	n := &m.nodes[at]
	list := n.sleepers[c]
	if len(list) == 0 {
		panic(fmt.Sprintf("syncctl: nobody at node %d waits for %v %d", at, c.kind, c.id))
	}
	first := list[0]
	n.sleepers[c] = append(list[:0], list[1:]...)
	m.after(m.set.interrupt+m.set.wake, opResume, job{at: at, c: first.c, w: first.w, status: s})
}

// handle is the RP's handler of an arrived packet.
func (m *Machine) handle(at int, p *Packet) {
	switch p.Kind {
	case MasterSlave, Aligned:
		m.handleBarrier(at, p)
	case Shuffle, ModifiedShuffle:
		m.handleShuffle(at, p)
	default:
		m.handleObject(at, p)
	}
}
