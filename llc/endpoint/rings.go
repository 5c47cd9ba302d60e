package endpoint

import (
	"errors"
	"fmt"
	"os"
	"time"

	"rhinet/internal/hugepage"
	"rhinet/internal/pace"
	"rhinet/internal/ring"
	"rhinet/internal/strided"
	"rhinet/internal/wait"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Rings is a complete translator for packets in rings that their readers poll, except for what its NIC does:
// it has the ways to peers, each opened on first use, and the inbox. The NIC runs each operation to
// completion, so every answer is ready when Post returns; Poll gives Busy first, then the other answers in
// order, then arrivals.
type Rings struct {
	*Endpoint
	Inbox
	ir.Remote // the NIC's
	nic       Hardware
	blocks    ir.BlockMover                    // nil: it moves contiguous memory only
	lend      func([]byte) (ir.Segment, error) // exposes memory until Conceal
	caps      ir.Caps
	ways      []way
	lines     []ring.Line // of the flag arrays
	flags     Flags       // opened on first use
	pace      pace.Pace
	pages     *hugepage.Pages // of the memory that is transferred
	stage     []byte          // for noncontiguous payloads, where the writer cannot gather them
	turn      int             // peer whose account is next written again
	head      [3]uint64       // of the packet that Post sends: an argument of an interface would be allocated
}

// A way is what is open towards one peer.
type way struct {
	ring   ir.Ring // of writer
	writer Writer
	bell   *fabric.Doorbell
	sender Sender
	heeds  bool // the ring knows the ring in which the peer answers
}

var (
	_ ir.Translator = (*Rings)(nil)
	_ ir.Memory     = (*Rings)(nil)
	_ ir.Remote     = (*Rings)(nil)
	_ ir.Lender     = (*Rings)(nil)
	_ ir.BlockMover = (*Rings)(nil)
	_ ir.Express    = (*Rings)(nil)
	_ ir.Lanes      = (*Rings)(nil)
	_ ir.FlagArray  = (*Rings)(nil)
	_ ir.Aimer      = (*Rings)(nil)
	_ ir.Auditor    = (*Rings)(nil)
)

// Connect makes a translator of an endpoint and its NIC, of the given name.
func (r *Rings) Connect(e *Endpoint, name string, nic Hardware) {
	g := e.fabric.Geometry()
	*r = Rings{
		Endpoint: e, Remote: nic, nic: nic, ways: make([]way, e.Peers()), lines: e.fabric.Flags(), pace: pace.Pace{Calls: true},
		caps: ir.Caps{
			Name: name, Rings: g.Rings, Slots: g.Ring.Slots, Bytes: g.Ring.Bytes, Spread: g.Ring.Spread, Words: g.Words, Remote: nic.Remote(),
			Fragment: min(fragment, g.Ring.Bytes/fragmentShare), Eager: eager, Offered: usuallyOffered(), Split: split, SplitUnit: splitUnit, Copies: 1, Gathers: true,
		},
	}
	if !r.caps.Remote {
		r.caps.Offered = 0
	}
	if r.caps.Remote && e.fabric.Shared() {
		r.pages = hugepage.New(os.Getenv(hugepage.Variable), crowd(g.Ring.Spread, e.Peers(), wait.UsableCPUs))
	}
	r.lend = nic.ExposeMemory
	if l, ok := nic.(Lender); ok {
		r.lend = l.LendMemory
	}
	if r.blocks, _ = nic.(ir.BlockMover); r.blocks != nil && r.caps.Remote {
		r.caps.Blocks = blockBytes
	}
	r.Receive(e, nic.Messages(), nic.Reader)
}

// crowd returns how many peers there are to a processor, if there are more peers than processors; a peer that is
// bound to one sees only that. To count processors takes files of the system, so it is done only then.
func crowd(apart bool, peers int, cpus func() int) int {
	if apart {
		return 1
	}
	n := cpus()
	return max(2, (peers+n-1)/n)
}

// Caps returns what the engine must know of the NIC.
func (r *Rings) Caps() ir.Caps { return r.caps }

// Arm announces that this peer is about to sleep.
func (r *Rings) Arm() { r.Inbox.Arm() }

// Close withdraws all registrations. A rank that aborts keeps that status.
func (r *Rings) Close() error {
	r.Attest()
	r.Finish()
	return r.nic.Close()
}

// Post carries out cmd.
func (r *Rings) Post(cmd *ir.Command) {
	if r.NoPeer(cmd) {
		return
	}
	var err error
	switch cmd.Op {
	case ir.Packet:
		err = r.packet(&r.ways[cmd.Peer], cmd)
	case ir.Shared:
		err = r.shared(&r.ways[cmd.Peer], cmd)
	case ir.Open:
		_, err = r.writer(&r.ways[cmd.Peer], cmd)
	case ir.Watch:
		err = r.Watch(cmd)
	case ir.ReadTail:
		err = r.readTail(&r.ways[cmd.Peer], cmd)
	case ir.Expose:
		err = r.expose(cmd)
	case ir.Conceal:
		err = r.nic.ConcealMemory(cmd.Segment)
	case ir.Pull, ir.Push:
		err = r.move(cmd)
	case ir.Swap:
		err = r.swap(cmd)
	default:
		panic(fmt.Sprintf("llc: no operation %d", cmd.Op))
	}
	if err != nil {
		r.Fail(cmd, err)
	}
}

// writer returns the way into the packet ring that cmd names.
func (r *Rings) writer(p *way, cmd *ir.Command) (Writer, error) {
	if p.writer != nil && p.ring == cmd.Ring {
		return p.writer, nil
	}
	w, err := r.nic.Writer(int(cmd.Peer), int(cmd.Ring))
	if err == nil {
		p.writer, p.ring, p.bell, p.heeds = w, cmd.Ring, r.Bell(int(cmd.Peer)), false
	}
	return w, err
}

func (r *Rings) packet(p *way, cmd *ir.Command) error {
	w, err := r.writer(p, cmd)
	if err != nil {
		return err
	}
	r.head = cmd.Header.Words()
	if cmd.InPieces() {
		err = r.gather(w, cmd)
	} else {
		err = w.Put(cmd.Slot, cmd.Pos, &r.head, cmd.Data)
	}
	if err != nil {
		return err
	}
	r.Wake(int(cmd.Peer))
	return nil
}

// gather is packet for a payload in pieces. It is gathered where it belongs, if w can.
func (r *Rings) gather(w Writer, cmd *ir.Command) error {
	n := int(cmd.Header.Length)
	if c, ok := w.(Collector); ok {
		return c.Gather(cmd.Slot, cmd.Pos, &r.head, cmd.Body, int(cmd.Offset), n)
	}
	if n > len(r.stage) {
		r.stage = make([]byte, max(n, r.caps.Fragment))
	}
	return w.Put(cmd.Slot, cmd.Pos, &r.head, cmd.Payload(r.stage))
}

func (r *Rings) shared(p *way, cmd *ir.Command) (err error) {
	if p.sender == nil {
		if p.sender, err = r.nic.Sender(int(cmd.Peer)); err != nil {
			p.sender = nil
			return err
		}
	}
	r.head = cmd.Header.Words()
	ok, err := p.sender.Send(&r.head, cmd.Data)
	if err != nil {
		return err
	}
	if !ok {
		r.Busy(cmd)
	}
	r.Wake(int(cmd.Peer))
	return nil
}

func (r *Rings) readTail(p *way, cmd *ir.Command) error {
	w, err := r.writer(p, cmd)
	if err != nil {
		return err
	}
	slot, pos, err := w.Consumed()
	if err != nil {
		return err
	}
	ev := r.Answer(ir.Tail, cmd)
	ev.Slot, ev.Pos = slot, pos
	return nil
}

func (r *Rings) expose(cmd *ir.Command) error {
	s, err := r.Lend(cmd.Data)
	if err == nil {
		r.Answer(ir.Exposed, cmd).Segment = s
	}
	return err
}

// Lend is Expose with an immediate result.
func (r *Rings) Lend(b []byte) (ir.Segment, error) {
	r.pages.Moved(b) // peers will move it
	return r.lend(b)
}

// ReadMemory is that of the NIC.
func (r *Rings) ReadMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	r.pages.Moved(buf)
	return r.nic.ReadMemory(peer, s, offset, buf)
}

// WriteMemory is that of the NIC.
func (r *Rings) WriteMemory(peer int, s ir.Segment, offset uint64, buf []byte) error {
	r.pages.Moved(buf)
	return r.nic.WriteMemory(peer, s, offset, buf)
}

// move carries out a Pull or a Push. The caller lends the local side until the answer, which is ready on
// return.
func (r *Rings) move(cmd *ir.Command) error {
	access, kind := r.ReadMemory, ir.Pulled
	if cmd.Op == ir.Push {
		access, kind = r.WriteMemory, ir.Pushed
	}
	var err error
	var start time.Time
	if cmd.Timed {
		start = time.Now()
	}
	begun := r.pace.Begin(len(cmd.Data), cmd.Op == ir.Pull && cmd.Move == nil)
	if cmd.Move == nil {
		err = access(int(cmd.Peer), cmd.Segment, cmd.Offset, cmd.Data)
	} else {
		err = r.blocks.MoveBlocks(int(cmd.Peer), cmd.Segment, 0, cmd.Data, *cmd.Move, cmd.Op == ir.Push)
	}
	if err == nil {
		ev := r.Answer(kind, cmd)
		if ev.Slow = r.pace.Slow(begun, len(cmd.Data)); cmd.Timed {
			ev.Took = time.Since(start)
		}
	}
	return err
}

// MoveBlocks is that of a NIC that moves blocks (Caps.Blocks).
func (r *Rings) MoveBlocks(peer int, s ir.Segment, offset uint64, buf []byte, m strided.Move, write bool) error {
	return r.blocks.MoveBlocks(peer, s, offset, buf, m, write)
}

func (r *Rings) swap(cmd *ir.Command) error {
	was, err := r.nic.Swap(int(cmd.Peer), cmd.Offset, cmd.Old, cmd.New)
	if err == nil {
		r.Answer(ir.Swapped, cmd).Old = was
	}
	return err
}

// errUnopened reports a packet for a ring that no Open has named.
var errUnopened = errors.New("llc: no packet ring of this peer is open")

// Place puts a packet into line slot of the packet ring that is open to peer.
func (r *Rings) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	p := &r.ways[peer]
	w, bell := p.writer, p.bell
	if w == nil {
		r.unplaced(peer, errUnopened)
		return
	}
	if !p.heeds && len(data) > ring.Short {
		r.heed(peer)
	}
	if err := w.Put(slot, pos, head, data); err != nil {
		r.unplaced(peer, err)
		return
	}
	bell.Ring()
}

// heed tells the ring that is open to peer in which ring the peer answers, if there is one. A ring without an
// outlet is not told.
//
//go:noinline
func (r *Rings) heed(peer int) {
	p := &r.ways[peer]
	if answers := r.Inlet(peer); answers != nil {
		p.heeds = true
		if o, ok := p.writer.(Opener); ok {
			o.Outlet().Heed(answers)
		}
	}
}

// unplaced reports that a packet to peer could not be placed.
//
//go:noinline
func (r *Rings) unplaced(peer int, err error) {
	r.Fail(&ir.Command{Op: ir.Packet, Peer: int32(peer)}, err)
}

// Outlet returns the packet ring that is open to peer, if lines may go into it: not before its doorbell can
// be read.
func (r *Rings) Outlet(peer int) *ring.Outlet {
	p := &r.ways[peer]
	o, ok := p.writer.(Opener)
	if !ok {
		return nil
	}
	word := p.bell.Word()
	if word == nil {
		return nil
	}
	o.Outlet().Watch(word)
	return o.Outlet()
}

// Consumed returns what peer has consumed of the ring that is open to it.
func (r *Rings) Consumed(peer int) (slot, pos uint64, ok bool) {
	w := r.ways[peer].writer
	if w == nil {
		return 0, 0, false
	}
	slot, pos, err := w.Consumed()
	return slot, pos, err == nil
}

// FlagArrays returns how many flag arrays there are.
func (r *Rings) FlagArrays() int { return r.fabric.Geometry().FlagArrays }

// Raise raises a flag and wakes those of peers that sleep. If the NIC refuses, its tables are damaged: no
// peer can be reached any more.
func (r *Rings) Raise(peers []int, flagArray int, seq, mark uint32, data []byte) {
	if r.flags == nil {
		flags, err := r.nic.Flags()
		if err != nil {
			r.LoseFrom(-1, err)
			return
		}
		r.flags = flags
	}
	if err := r.flags.Raise(flagArray, seq, mark, data); err != nil {
		r.LoseFrom(-1, err)
		return
	}
	r.WakePeers(peers)
}

// WakePeers wakes those of peers that sleep.
func (r *Rings) WakePeers(peers []int) {
	for _, peer := range peers {
		r.Wake(peer)
	}
}

// Prefetch fetches the lines of this peer's flag seq, for n bytes, if Raise has been called before.
func (r *Rings) Prefetch(flagArray int, seq uint32, n int) {
	if r.flags != nil {
		r.flags.Prefetch(flagArray, seq, n)
	}
}

// Raised reports whether the flag of peer carries seq. If so it returns the mark
// and copies the payload to data.
func (r *Rings) Raised(peer, flagArray int, seq uint32, data []byte) (mark uint32, raised bool) {
	return r.fabric.Raised(r.lines, flagArray, peer, seq, data)
}

// Audit records what this rank has sent, and looks for what was overwritten: packets for it, and flags that
// only it writes.
func (r *Rings) Audit() {
	r.Attest()
	if r.flags != nil {
		if err := r.flags.Audit(); err != nil {
			r.LoseFrom(-1, fmt.Errorf("llc: rank %d: %w", r.self, err))
		}
	}
	r.audit(r.account(fabric.PacketAccount), r.account(fabric.RecordAccount))
}

// account returns the accounts in which peers record what they have sent here.
func (r *Rings) account(which int) func(from int) ring.Account {
	return func(from int) ring.Account { return r.fabric.Account(r.Self(), from, which) }
}

// Attest records what this rank has sent: what has changed, and in turn what has not.
func (r *Rings) Attest() {
	r.turn++
	for i := range r.ways {
		p, again := &r.ways[i], r.turn%len(r.ways) == i
		if p.writer != nil {
			p.writer.Attest(again)
		}
		if p.sender != nil {
			p.sender.Attest(again)
		}
	}
}
