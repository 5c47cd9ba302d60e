package tcp

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"rhinet/internal/tcp"
	"rhinet/llc/endpoint"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Options are what a rank asks of the network.
type Options struct {
	Network *entry.Network // of a job on several hosts; nil: all ranks are on this one
	Beside  bool           // another translator enters the job as the rank, and leaves it
}

// A Translator drives the streams of one rank.
type Translator struct {
	endpoint.Distant
	fabric   *fabric.Fabric
	listener tcp.Socket
	poller   *tcp.Poller
	watch    endpoint.Watch
	word     uint64 // peers must say it to reach this rank
	caps     ir.Caps
	peers    []peer
	links    []*link // by their keys in the poller; the first is the listener's
	joined   []*link // streams of peers
	unknown  int     // links of ranks that are not known yet
	fresh    []*link // links with input that has not been looked at
	hint     int     // the peer that the caller waits for, or -1

	blocked  []int32 // peers with something to send that the system did not take
	tries    int     // Polls with something to retry
	moves    []move
	idle     []int32      // of moves
	waiting  []ir.Command // moves that could not be started
	segments map[ir.Segment][]byte
	key      uint64
	beside   bool // see Options

	scratch []byte // a short packet with its head
	pool    tcp.Pool
	waste   []byte // for bytes that are refused
	posted  bool   // a packet, since the latest Poll
	hasty   bool   // the poller does not report all that a sleep waits for
	armed   bool   // the next Poll that finds nothing must look everywhere
	unseen  int    // Polls in a row that did not look
	turn    int    // looks so far
	ready   [16]tcp.Ready
	own     [][]byte // packets of this rank to itself
	lent    []byte   // memory of the packet that Poll gave
}

var _ ir.Translator = (*Translator)(nil)

// errLeft reports a peer that is gone.
var errLeft = errors.New("llc/tcp: the rank has ended")

// errTold reports a peer whose stream is impossible.
var errTold = errors.New("llc/tcp: a stream says what its rank cannot have said")

// nameBytes is the length of a rank's address: IP address, port, and word.
const nameBytes = 16 + 2 + 8

// Open connects rank to the network. f is the memory of the ranks on this host, in which they publish their
// addresses. o.Network tells those of ranks on other hosts.
func Open(f *fabric.Fabric, rank int, o Options) (*Translator, error) {
	ranks := f.Ranks()
	t := &Translator{
		fabric: f, listener: tcp.None, peers: make([]peer, ranks), links: make([]*link, 1), hint: -1,
		moves: make([]move, copies), segments: map[ir.Segment][]byte{}, beside: o.Beside, scratch: make([]byte, tcp.HeadBytes+short), waste: make([]byte, part),
		pool: tcp.Pool{Bytes: longest},
		caps: ir.Caps{Name: Name, Slots: copies, Bytes: copies * eager, Remote: true, Fragment: eager, Eager: eager, Copies: copies, Late: true},
	}
	for i := range t.moves {
		t.idle = append(t.idle, int32(i))
	}
	if err := t.start(rank, o.Network); err != nil {
		t.closeSockets()
		return nil, fmt.Errorf("llc/tcp: %w", err)
	}
	return t, nil
}

// start enters the job once peers can connect, and publishes the address.
func (t *Translator) start(rank int, n *entry.Network) error {
	host := local
	if n != nil {
		host = n.Address
	}
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	t.word, t.key = binary.LittleEndian.Uint64(random[:]), uint64(binary.LittleEndian.Uint32(random[8:]))
	var at netip.AddrPort
	var err error
	if t.poller, err = tcp.NewPoller(); err != nil {
		return err
	}
	if t.listener, at, err = tcp.Listen(host); err != nil {
		return err
	}
	if err = t.poller.Add(t.listener, 0, false); err != nil {
		return err
	}
	if !t.beside {
		if err := t.fabric.Enter(rank); err != nil {
			return err
		}
	}
	t.Distant = endpoint.NewDistant(endpoint.New(t.fabric, rank, errLeft), t.forget)
	address := at.Addr().As16()
	name := binary.LittleEndian.AppendUint16(address[:], at.Port())
	if err := t.Meet(n, binary.LittleEndian.AppendUint64(name, t.word)); err != nil {
		return err
	}
	t.watch.Open(t.poller, t.Bell(rank))
	return nil
}

// where reads the address and the word of a peer.
func where(name []byte) (at netip.AddrPort, word uint64, ok bool) {
	if len(name) != nameBytes {
		return at, 0, false
	}
	host := netip.AddrFrom16([16]byte(name)).Unmap()
	return netip.AddrPortFrom(host, binary.LittleEndian.Uint16(name[16:])), binary.LittleEndian.Uint64(name[18:]), true
}

// Caps returns what the engine must know of the network.
func (t *Translator) Caps() ir.Caps { return t.caps }

// Hint has Poll look at the stream of a peer more often than at others.
func (t *Translator) Hint(peer int) { t.hint = peer }

// Poll gives the next answer, or if there is none the next packet.
func (t *Translator) Poll(ev *ir.Event) bool {
	if t.lent != nil {
		t.pool.Put(t.lent)
		t.lent = nil
	}
	if t.answer(ev) || t.read(ev) || t.answer(ev) {
		return true
	}
	if len(t.blocked) > 0 || len(t.waiting) > 0 {
		t.retry()
	} else if t.brief() {
		return false
	}
	if t.look(); t.read(ev) || t.answer(ev) {
		return true
	}
	t.armed = false
	return false
}

// answer gives the next answer.
func (t *Translator) answer(ev *ir.Event) bool {
	if !t.Answered() {
		return false
	}
	t.Next(ev)
	return true
}

// brief reports whether Poll only has to say that the packet that was just posted went. A look calls the
// system, and a rank that sends many packets in a row would look after each.
func (t *Translator) brief() bool {
	if !t.posted || t.armed || t.unseen == looksLeftOut {
		t.posted, t.unseen = false, 0
		return false
	}
	t.posted = false
	t.unseen++
	return true
}

// look takes what has come from the system: on the stream of the peer that is waited for, or the only stream,
// and every turnsPerRound looks on all streams.
func (t *Translator) look() {
	var l *link
	if len(t.joined) == 1 {
		l = t.joined[0]
	} else if uint(t.hint) < uint(len(t.peers)) {
		l = t.peers[t.hint].link
	}
	if t.turn++; l != nil && l.state == joined {
		t.fill(l)
		if t.turn%turnsPerRound != 0 && !t.armed {
			return
		}
	}
	n := t.poller.Look(t.ready[:])
	for _, r := range t.ready[:n] {
		t.news(r)
	}
}

// news looks after a socket with an event.
func (t *Translator) news(r tcp.Ready) {
	if r.Key == 0 {
		t.accept()
		return
	}
	l := t.links[r.Key]
	if l == nil { // it was ended by an event before
		return
	}
	if l.state == dialing {
		t.dialed(l)
		return
	}
	if r.Out && l.tells && t.peers[l.peer].queue.Empty() {
		l.tells = false
		t.poller.Change(l.socket, l.key, false)
	}
	if r.In {
		t.fill(l)
	}
}

// read goes through what has come, until there is a packet, which is an event.
func (t *Translator) read(ev *ir.Event) bool {
	if len(t.own) > 0 && t.pop(ev) {
		return true
	}
	for len(t.fresh) > 0 {
		l := t.fresh[0]
		if t.parse(l, ev) {
			return true
		}
		if l.cut && t.fill(l) {
			continue
		}
		l.fresh = false
		t.fresh = append(t.fresh[:0], t.fresh[1:]...)
		if (l.cut || l.reader.Over()) && l.state != ended {
			t.finished(l)
		}
	}
	return false
}

// pop makes an event of the oldest packet of this rank to itself.
func (t *Translator) pop(ev *ir.Event) bool {
	t.lent = t.own[0]
	t.own = append(t.own[:0], t.own[1:]...)
	t.Arrived(ev, t.Self(), t.lent[8:])
	return true
}
