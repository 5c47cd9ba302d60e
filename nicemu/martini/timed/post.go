package timed

import (
	"encoding/binary"
	"errors"
	"fmt"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/network"
	"rhinet/nicemu/vtime"
)

type ringOfPackets = vtime.Ring[*network.Packet]

// A Kind is the way in which a transfer is requested.
type Kind uint8

// The kinds of transfers.
const (
	Push     Kind = iota // martini, section 4.1
	Pull                 // 4.2
	Botf                 // a push packet written into the Window: 6.1
	BotfPull             // a pull request packet written into the Window
	Aotf                 // eight bytes by one store: 6.2
	VPush                // to the ring of the other node: 11
	Unpinned             // a PUSH of memory that is not pinned: it fails in IPA2
	Nowhere              // a PUSH to a segment that is not registered: it fails in RVA
	Release              // no transfer: the release pointer of the own ring advances by Bytes: 11.2
)

// A Stage is a stage of a transfer, as its host or that of the other node sees it.
type Stage uint8

// The stages. A transfer passes those that apply to it, not always in this order.
const (
	Stored    Stage = iota // the host's processor has stored all words, and is free
	Accepted               // the NIC has the request
	Free                   // contflag: the Window may be written again, the source has been read
	Delivered              // the process that polls the end of the data sees it
	Acked                  // the requester sees the completion flag
	Stages
)

// A Watcher is notified of the stages of a transfer.
type Watcher interface {
	Progress(t *Transfer, s Stage)
}

// A Transfer is one request. It may be posted again when it has passed all its stages.
type Transfer struct {
	Kind    Kind
	To      int // node
	Bytes   int // at most Options.Area and Options.Source; Botf, VPush: a packet
	Window  int
	Ack     bool // completion flag requested
	From    int  // offset in the source
	Offset  int  // offset in the other node's area
	Watcher Watcher
	Tag     uint64 // for the owner

	node   *Node
	serial uint64
	stages [Stages]vtime.Time
	passed [Stages]bool
	err    error
}

// At returns when the transfer passed a stage, and whether it has.
func (t *Transfer) At(s Stage) (vtime.Time, bool) { return t.stages[s], t.passed[s] }

// Err returns why the transfer was refused at its own node, or nil.
func (t *Transfer) Err() error { return t.err }

// Node returns the node that the transfer was posted at.
func (t *Transfer) Node() *Node { return t.node }

// ErrTransfer is wrapped by errors about impossible transfers.
var ErrTransfer = errors.New("timed: no such transfer")

// words returns the number of double words that the host stores for a transfer (martini, sections
// 3.1, 12.2): six parameters, or a header, the payload and the kick.
func (t *Transfer) words() int {
	switch t.Kind {
	case Botf:
		return martini.HeaderFlits + (t.Bytes+7)/8 + 1
	case Aotf, Release:
		return 1
	}
	return 6
}

func (n *Node) check(t *Transfer) error {
	most, target := len(n.source)-t.From, len(n.sys.nodes[min(max(t.To, 0), len(n.sys.nodes)-1)].area)-t.Offset
	switch t.Kind {
	case Botf:
		most = min(most, stepped.MTU)
	case VPush:
		most, target = min(most, stepped.MTU), stepped.MTU
	case Aotf:
		most = 8
	case Release:
		most, target = stepped.MTU, stepped.MTU
	}
	switch {
	case t.To < 0 || t.To >= len(n.sys.nodes):
		return fmt.Errorf("%w: to node %d; there are %d", ErrTransfer, t.To, len(n.sys.nodes))
	case t.From < 0 || t.Offset < 0 || t.Bytes < 0 || t.Bytes > min(most, target):
		return fmt.Errorf("%w: %d bytes from %d to %d; there it takes up to %d", ErrTransfer, t.Bytes, t.From, t.Offset, max(0, min(most, target)))
	case t.Window < 0 || t.Window >= martini.Windows:
		return fmt.Errorf("%w: window %d; there are %d", ErrTransfer, t.Window, martini.Windows)
	case (t.Kind == VPush || t.Kind == Release) && n.sys.nodes[t.To].ring == nil:
		return fmt.Errorf("%w: node %d has no ring", ErrTransfer, t.To)
	}
	return nil
}

// Post has the host store a request. The processor is free at Stored; later requests wait for that.
// A Window takes the next request after Free.
func (n *Node) Post(t *Transfer) error {
	if err := n.check(t); err != nil {
		return err
	}
	t.node, t.err, t.passed = n, nil, [Stages]bool{}
	if t.Kind == Aotf && n.registers&(1<<t.To) == 0 {
		n.registers |= 1 << t.To
		h := martini.Header{Node: t.To, Segment: n.sys.nodes[t.To].segment, Override: true}
		if err := n.sys.nics[n.id].RegisterHeader(uint16(t.To), h); err != nil {
			return err
		}
	}
	n.bridge.store(t)
	return nil
}

// pass records a stage.
func (t *Transfer) pass(s Stage) {
	t.stages[s], t.passed[s] = t.node.Now(), true
	if t.Watcher != nil {
		t.Watcher.Progress(t, s)
	}
	t.node.look()
	if to := t.node.sys.nodes[t.To]; to != t.node {
		to.look()
	}
}

// accept hands a request to the NIC.
func (n *Node) accept(t *Transfer) {
	m, to := n.sys.machine, n.sys.nodes[t.To]
	q := martini.Request{Node: t.To, Segment: to.segment, Offset: uint64(t.Offset)}
	if t.Ack || t.Kind == VPush {
		q.Flag = 1
	}
	b := n.source[t.From:][:min(t.Bytes, len(n.source)-t.From)]
	var err error
	switch t.Kind {
	case Push:
		t.serial, err = m.Push(n.id, t.Window, q, b)
	case Pull:
		t.serial, err = m.Pull(n.id, t.Window, q, b)
	case Botf:
		t.serial, err = m.Botf(n.id, t.Window, &martini.Packet{Type: martini.PacketPush, PID: t.To, Node: t.To, Segment: to.segment, Offset: q.Offset, Flag: q.Flag, Payload: b})
	case BotfPull:
		t.serial, err = m.Botf(n.id, t.Window, &martini.Packet{Type: martini.PacketPullRequest, PID: t.To, Node: t.To, Segment: to.segment, Offset: q.Offset, Flag: q.Flag, Local: fabric.Address(b), Length: t.Bytes})
	case VPush:
		q.Segment = stepped.VPushSegment
		t.serial, err = m.Push(n.id, t.Window, q, b)
	case Aotf:
		var w [8]byte
		copy(w[:], b)
		err = m.WriteAOTF(n.id, uint32(t.To<<12|t.Offset&0xfff), binary.NativeEndian.Uint64(w[:]))
	case Release:
		n.ring.Release(t.Bytes)
		t.pass(Accepted)
		return
	case Unpinned:
		t.serial, err = m.Request(n.id, t.Window, martini.CommandPush, q, nowhere, uint64(t.Bytes))
	case Nowhere:
		q.Segment += 1 << 32 // a registration that does not exist yet
		t.serial, err = m.Push(n.id, t.Window, q, b)
	}
	if t.err = err; err == nil {
		if t.Kind == Aotf {
			n.atomic.Push(t)
		} else {
			n.keep(t)
		}
	}
	t.pass(Accepted)
}

// nowhere is an address at which nothing is pinned.
const nowhere = 1 << 40

// wrote is called for each write of the NICs.
func (sys *System) wrote(w stepped.Write) {
	switch {
	case w.What == stepped.WroteContflag:
		sys.nodes[w.Node].notify(sys.nodes[w.Node].find(w.Window, w.Serial), Free)
	case w.What == stepped.WroteRing:
		sys.nodes[w.Node].notify(sys.nodes[w.Issuer].find(w.Window, w.Serial), Delivered)
	case w.Window == martini.Windows:
		sys.nodes[w.Node].notify(sys.nodes[w.Issuer].takeAtomic(w.Node), Delivered)
	case w.Last:
		t, s := sys.nodes[w.Issuer].find(w.Window, w.Serial), Delivered
		if w.Type == martini.PacketAck {
			s = Acked
		}
		if t != nil && t.Kind != VPush {
			sys.nodes[w.Node].notify(t, s)
		}
	}
}

// A request is a transfer with the number that the NIC has given it in its Window.
type request struct {
	t      *Transfer
	serial uint64
}

// keep stores a transfer until no more stages are expected. The numbers of a Window's requests are
// consecutive.
func (n *Node) keep(t *Transfer) {
	q := &n.windows[t.Window]
	for q.Len() > 0 && (q.At(0).over() || q.Len() >= mostKept) {
		q.Pop()
	}
	q.Push(request{t, t.serial})
}

// mostKept bounds the stored transfers of a Window: those that a receiver discards never pass their
// last stage. The buffers of a network hold fewer packets.
const mostKept = 1 << 14

func (r *request) over() bool {
	t := r.t
	return t.serial != r.serial || t.passed[Free] && t.passed[Delivered] && t.passed[Acked] == (t.Ack && t.Kind != VPush)
}

// find returns the transfer of a request, or nil.
func (n *Node) find(window int, serial uint64) *Transfer {
	q := &n.windows[window]
	if q.Len() == 0 || serial < q.At(0).serial || serial-q.At(0).serial >= uint64(q.Len()) {
		return nil
	}
	if r := q.At(int(serial - q.At(0).serial)); r.t.serial == serial {
		return r.t
	}
	return nil
}

// takeAtomic returns the oldest transfer by AOTF to a node, and removes it.
func (n *Node) takeAtomic(to int) *Transfer {
	for i := range n.atomic.Len() {
		if (*n.atomic.At(i)).To == to {
			return n.atomic.Remove(i)
		}
	}
	return nil
}

// A notice is a stage that a host is about to see.
type notice struct {
	t *Transfer
	s Stage
}

// notify makes the host see what the NIC has just written, as soon as it is in memory and the
// process has polled it.
func (n *Node) notify(t *Transfer, s Stage) {
	if t == nil {
		return
	}
	n.notices.Push(notice{t, s})
	n.At(n.Now()+n.sys.s.memory+n.sys.s.detect, n, opNotice, 0)
}

// Operations of a node.
const (
	opNotice = iota
	opTurned
)

// Act handles the events of a host.
func (n *Node) Act(op int, _ uint64) {
	if op == opTurned {
		n.sys.machine.Departed(n.id)
		return
	}
	x := n.notices.Pop()
	x.t.pass(x.s)
}
