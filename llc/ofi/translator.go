package ofi

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"rhinet/internal/libfabric"
	"rhinet/llc/endpoint"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Options are what a rank asks of libfabric.
type Options struct {
	Provider string         // one of the values of the setting; empty: the first
	Network  *entry.Network // of a job on several hosts; nil: all ranks are on this one
	Beside   bool           // another translator enters the job as the rank, and leaves it
}

// A Translator drives the endpoint of one rank.
type Translator struct {
	endpoint.Distant
	fabric *fabric.Fabric
	lib    *libfabric.Endpoint
	caps   ir.Caps
	peers  []peer
	numbers

	inbox    []byte // of the posted receives
	held     int    // the receive whose packet Poll has given, or -1
	outbox   []byte
	lengths  []int32 // lengths and destinations of the packets in the places of outbox
	owner    []int32
	free     []int32 // places of outbox
	blocked  []int32 // peers with something to try again
	tries    int     // Polls with something blocked
	moves    []move
	idle     []int32      // of moves
	waiting  []ir.Command // moves that could not be started
	segments map[ir.Segment]segment
	key      uint64
	beside   bool // see Options

	posted bool // a packet, since the latest Poll
	armed  bool // the next Poll that finds nothing must look everywhere
	unseen int  // Polls in a row that did not look

	done     [batch]libfabric.Completion
	at, n    int // of done
	watch    endpoint.Watch
	skip     bool  // the queue had a completion when this rank wanted to sleep
	lostRecv error // why nothing arrives any more
}

// A peer is what is known of one peer.
type peer struct {
	addr  libfabric.Addr
	known bool    // addr is known
	used  int     // places of outbox
	queue []int32 // places that wait to be sent, in order
}

// A move is a Pull or Push under way.
type move struct {
	cmd  ir.Command
	over bool // answered, because its peer has ended; libfabric may still use its memory
}

// A segment is memory that peers can reach.
type segment struct {
	region libfabric.Region
	data   []byte
}

// numbers separates the contexts of operations: receives, then sends, then moves.
type numbers struct{ sends, moving, all int }

var _ ir.Translator = (*Translator)(nil)

// headerBytes is the length of the header of a message.
const headerBytes = endpoint.MessageBytes

// errLeft reports a peer that is gone.
var errLeft = errors.New("llc/ofi: the rank has ended")

// Open connects rank to the network. f is the memory of the ranks on this host, in which they publish their
// addresses. o.Network tells those of ranks on other hosts.
func Open(f *fabric.Fabric, rank int, o Options) (*Translator, error) {
	p, name := providers[0], Name
	for _, q := range providers {
		if q.name == o.Provider {
			p, name = q, Name+":provider="+q.name
		}
	}
	ranks := f.Ranks()
	n := numbers{sends: receives}
	n.moving = n.sends + quota*ranks
	n.all = n.moving + copies
	source := local
	if o.Network != nil {
		source = o.Network.Address
	}
	lib, err := libfabric.Open(libfabric.Config{Providers: p.full, Source: source, Contexts: n.all, Peers: ranks})
	if err != nil {
		return nil, fmt.Errorf("llc/ofi: %w", err)
	}
	t := &Translator{
		fabric: f, lib: lib, numbers: n, held: -1, peers: make([]peer, ranks), moves: make([]move, copies),
		segments: map[ir.Segment]segment{}, key: uint64(rand.Uint32()), beside: o.Beside,
		caps: ir.Caps{Name: name, Slots: receives, Bytes: receives * eager, Remote: true, Fragment: packetBytes - headerBytes, Eager: eager, Copies: copies, Late: true},
	}
	if err := t.start(rank, o.Network); err != nil {
		return nil, errors.Join(err, lib.Close())
	}
	return t, nil
}

// start enters the job once packets can arrive, and publishes the address.
func (t *Translator) start(rank int, n *entry.Network) (err error) {
	if t.inbox, err = t.lib.Memory(receives * packetBytes); err != nil {
		return err
	}
	if t.outbox, err = t.lib.Memory((t.moving - t.sends) * packetBytes); err != nil {
		return err
	}
	places := t.moving - t.sends
	t.lengths, t.owner = make([]int32, places), make([]int32, places)
	for i := places; i > 0; i-- {
		t.free = append(t.free, int32(i-1))
	}
	for i := range t.moves {
		t.idle = append(t.idle, int32(i))
	}
	for i := range receives {
		if err := t.lib.Recv(t.packet(t.inbox, i), i); err != nil {
			return err
		}
	}
	if !t.beside {
		if err := t.fabric.Enter(rank); err != nil {
			return err
		}
	}
	t.Distant = endpoint.NewDistant(endpoint.New(t.fabric, rank, errLeft), t.forget)
	if err := t.Meet(n, t.lib.Name()); err != nil {
		return err
	}
	t.watch.Open(t.lib, t.Bell(rank))
	return nil
}

// packet returns place i of an area.
func (t *Translator) packet(area []byte, i int) []byte {
	return area[i*packetBytes : (i+1)*packetBytes : (i+1)*packetBytes]
}

// Caps returns what the engine must know of the network.
func (t *Translator) Caps() ir.Caps { return t.caps }

// Hint does nothing: all packets come to one queue.
func (t *Translator) Hint(int) {}

// Poll gives the next answer, or if there is none the next packet.
func (t *Translator) Poll(ev *ir.Event) bool {
	t.release()
	if t.Answered() {
		t.Next(ev)
		return true
	}
	if len(t.blocked) > 0 || len(t.waiting) > 0 {
		t.retry()
	} else if t.brief() {
		return false
	}
	for {
		if t.at == t.n && !t.look() {
			break
		}
		c := &t.done[t.at]
		t.at++
		if t.complete(c, ev) {
			return true
		}
	}
	if t.Answered() {
		t.Next(ev)
		return true
	}
	t.armed = false
	return false
}

// brief reports whether Poll only has to say that the packet that was just posted went. A look at the queue
// calls the system, and a rank that sends many packets in a row would look after each.
func (t *Translator) brief() bool {
	if !t.posted || t.armed || t.at != t.n || t.unseen == looksLeftOut {
		t.posted, t.unseen = false, 0
		return false
	}
	t.posted = false
	t.unseen++
	return true
}

// release posts the receive again whose packet Poll has given.
func (t *Translator) release() {
	if t.held >= 0 {
		t.post(t.held)
		t.held = -1
	}
}

// post posts a receive. If libfabric refuses, this receive is missing from then on.
func (t *Translator) post(i int) {
	if err := t.lib.Recv(t.packet(t.inbox, i), i); err != nil && t.lostRecv == nil {
		t.lostRecv = err
		t.LoseFrom(-1, err)
	}
}

// look takes what has completed from the queue.
func (t *Translator) look() bool {
	n, err := t.lib.Poll(t.done[:])
	if err != nil && t.lostRecv == nil {
		t.lostRecv = err
		t.LoseFrom(-1, err)
	}
	t.at, t.n = 0, n
	return n > 0
}

// complete ends an operation and reports whether that is an event.
func (t *Translator) complete(c *libfabric.Completion, ev *ir.Event) bool {
	switch i := c.Context; {
	case i < 0:
		return false
	case i < t.sends:
		if c.Err != nil {
			t.post(i)
			return false
		}
		return t.arrived(i, c, ev)
	case i < t.moving:
		t.sent(int32(i-t.sends), c.Err)
		return false
	}
	return t.moved(int32(c.Context-t.moving), c.Err, ev)
}

// arrived makes an event of a packet. Packets of no rank of the job, of a peer that has ended, and of Wake,
// which are empty, are dropped.
func (t *Translator) arrived(i int, c *libfabric.Completion, ev *ir.Event) bool {
	msg := t.packet(t.inbox, i)[:min(c.Len, packetBytes)]
	source := t.source(msg, c.From)
	if source < 0 || t.Gone(source) || msg[0] == 0 {
		t.post(i)
		return false
	}
	t.held = i
	t.Arrived(ev, source, msg)
	return true
}

// source returns the sender of a message; it is negative if the sender is no rank of the job.
func (t *Translator) source(msg []byte, from libfabric.Addr) int {
	source := t.Source(msg)
	if source >= 0 && from != libfabric.NoAddr && t.peers[source].known && t.peers[source].addr != from {
		return -1
	}
	return source
}
