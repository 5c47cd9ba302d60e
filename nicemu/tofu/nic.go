package tofu

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// Options of a NIC. The zero value is what ranks use.
type Options struct {
	Attach fabric.Attach
}

// A NIC is the NIC of one rank, as its process sees it. After Close every operation is refused.
// Ports, ways and notices belong to one goroutine at a time; any goroutine may call Register and
// Withdraw.
type NIC struct {
	f      *fabric.Fabric
	rank   int
	ranks  int // of the job
	own    node
	key    uint64
	engine *dma.Engine
	torus  *Torus
	ports  [InjectionPorts]Port
	exits  []int8 // by node: network port + 1, 0 if not looked up yet
	queues []*ring.SharedWriter
	sent   []ring.Tally // notices, by node
	closed atomic.Bool  // set under mu

	mu     sync.Mutex
	lent   *lents
	free   []int32      // unused numbers of tags
	drains fabric.Drain // waits for transfers in withdrawn memory
}

// Open gives this process the NIC of a rank, which the job's manager has started. Where ranks are
// goroutines of one process and there is no manager, the first NIC that is opened acts as the
// manager.
func Open(f *fabric.Fabric, rank int, o Options) (*NIC, error) {
	if err := enough(f); err != nil {
		return nil, err
	}
	if err := admit(f); err != nil {
		return nil, err
	}
	if err := f.Enter(rank); err != nil {
		return nil, err
	}
	n := &NIC{
		f: f, rank: rank, ranks: f.Ranks(), own: nodeOf(f, rank), key: makeKey(f.Job(), rank), torus: NewTorus(f.Ranks()),
		exits: make([]int8, f.Ranks()), queues: make([]*ring.SharedWriter, f.Ranks()), sent: make([]ring.Tally, f.Ranks()), lent: newLents(),
	}
	var err error
	if n.engine, err = dma.Open(f, rank, o.Attach); err != nil {
		f.Leave(rank)
		return nil, fmt.Errorf("tofu: %w", err)
	}
	for number := Tags - 1; number >= firstTag; number-- {
		n.free = append(n.free, int32(number))
	}
	for i := range n.ports {
		n.ports[i].open(n, i)
	}
	return n, nil
}

// Close withdraws all tags of this process. The static ones stay with the job: late puts arrive
// there.
func (n *NIC) Close() (err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed.Swap(true) {
		return errors.New("tofu: closed twice")
	}
	for number := range n.lent {
		if n.lent[number].used && !n.release(number) {
			err = n.refuse(Refusal{Command: withdraw, Node: n.rank, Bytes: len(n.lent[number].buf), Reason: InUse})
		}
	}
	n.f.Leave(n.rank)
	return err
}

// Rank returns the rank, which is the node's number.
func (n *NIC) Rank() int { return n.rank }

// Remote reports whether orders reach the private memory of other processes.
func (n *NIC) Remote() bool { return n.engine.Attached() }

// Port returns injection port i.
func (n *NIC) Port(i int) *Port { return &n.ports[i] }

// exit returns the network port by which packets to a node leave, or -1 if there is no such node or
// it is this one.
func (n *NIC) exit(to int) int {
	if uint(to) >= uint(n.ranks) || to == n.rank {
		return -1
	}
	if n.exits[to] == 0 {
		port, _ := n.torus.Next(n.rank, to)
		n.exits[to] = int8(port) + 1
	}
	return int(n.exits[to]) - 1
}

// Sent returns the number of packets of orders that have left this node by a network port.
func (n *NIC) Sent(port int) (packets uint64) {
	for i := range n.ports {
		packets += atomic.LoadUint64(&n.ports[i].sent[port])
	}
	return packets
}

// Bootstrap returns this node's bootstrap area (llc, section 4.1), which begins on a
// page, or nil after Close.
func (n *NIC) Bootstrap() []byte {
	if n.closed.Load() {
		return nil
	}
	return n.f.Bytes(n.rank, fabric.Public)[publicSize:]
}

// Rings returns the memory of this node's packet rings, or nil after Close.
func (n *NIC) Rings() []byte {
	if n.closed.Load() {
		return nil
	}
	return n.f.Bytes(n.rank, fabric.Rings)
}
