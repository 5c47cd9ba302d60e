package ib

import (
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// What libraries over links need to send small messages: rings that the receiver
// polls. Whoever polls memory relies on what RDMA WRITE of one line keeps: its first
// word becomes visible last (our choice; adapters write ascending, and libraries
// poll the end).

func load(w *uint64) uint64 { return atomic.LoadUint64(w) }

// A RingWriter writes a packet ring of another process by RDMA WRITE: payloads
// that do not fit the line into the ring's data area, then the line with inline
// data. It belongs to one goroutine at a time.
type RingWriter struct {
	route
	ring ring.Ring
	out  ring.Outlet
	max  int

	placed   uint64 // by the outlet, which nobody asks for
	pos      uint64 // where the next payload goes
	attested uint64 // out.Sent when Attest was called last
}

// RingWriter opens packet ring i at the other side of a link.
func (l *Link) RingWriter(i int) (*RingWriter, error) {
	w := new(RingWriter)
	if err := w.find(l, regionRings, RemoteWrite); err != nil {
		return nil, err
	}
	h := l.qp.hca
	mem := h.rings.Memory(l.rank, i)
	if mem == nil {
		return nil, l.refuse(BeyondRegion, 0)
	}
	layout := h.f.Geometry().Ring
	w.ring, w.max = ring.Open(mem, layout), layout.Bytes
	w.open()
	return w, nil
}

// Use has the packets to come go by another link with the same process. A refusal leaves w as it is.
func (w *RingWriter) Use(l *Link) error {
	err := w.find(l, regionRings, RemoteWrite)
	if err == nil {
		w.open()
	}
	return err
}

// RingReader returns a reader of this process's own packet ring i, which nobody has
// read yet, or nil if there is none, as after Close.
func (h *HCA) RingReader(i int) *ring.Reader {
	if h.closed.Load() {
		return nil
	}
	return h.rings.Reader(h.rank, i)
}

// Put writes packet number slot, whose payload lies at data position pos if it does
// not fit the line; see [ring.Ring.Put]. The caller knows that there is room.
func (w *RingWriter) Put(slot, pos uint64, head *[3]uint64, payload []byte) error {
	if len(payload) > w.max {
		return w.link.refuse(TooLong, 0)
	}
	if !w.good() {
		if err := w.renew(RemoteWrite); err != nil {
			return err
		}
		w.open()
	}
	w.out.Went(slot + 1)
	if len(payload) <= ring.Inline {
		w.ring.PutLine(slot, head, payload)
		return nil
	}
	w.pos = w.ring.Put(slot, pos, head, payload)
	return nil
}

// Outlet returns the ring as one into which lines go as long as the way holds: what Put does of one, but find another.
func (w *RingWriter) Outlet() *ring.Outlet { return &w.out }

// open has the outlet go by the way as it is now.
func (w *RingWriter) open() {
	w.out.Open(&w.ring, &w.placed, [...]*uint64{w.own, w.peer, w.mem}, [...]uint64{w.ownWas, w.peerWas, w.memWas})
}

// Consumed is RDMA READ of the counters that the ring's reader exports. They may be
// old; whether they can be true is for the caller to judge.
func (w *RingWriter) Consumed() (slot, pos uint64, err error) {
	if err := w.renew(RemoteWrite); err != nil {
		return 0, 0, err
	}
	slot, pos = w.ring.Consumed()
	return slot, pos, nil
}

// Striding is the receive queue of all links of a process: one buffer that is
// received into in strides of a line, so that a short message takes a short piece,
// and whose place for the next message is what its owner has consumed: receives
// that are posted again by moving a counter. Its completions lie in the buffer, before the
// messages, in the order of arrival (our choice, after the multi-packet receive queues
// of real adapters).
//
// A Sender sends to that of another process. It belongs to one goroutine at a time.
type Sender struct {
	route
	ring *ring.SharedWriter
	most int // bytes of a message

	sent   ring.Tally
	ledger ring.Ledger
}

// Sender opens the striding receive queue at the other side of a link.
func (l *Link) Sender() (*Sender, error) {
	s := new(Sender)
	if err := s.find(l, regionReceive, 0); err != nil {
		return nil, err
	}
	h := l.qp.hca
	f, g := h.f, h.f.Geometry()
	s.most, s.ledger = g.Shared.MaxPayload(), ring.NewLedger(h.Records(l.rank, h.rank))
	s.ring = ring.NewSharedWriter(f.Bytes(l.rank, fabric.Shared), g.Shared)
	return s, nil
}

// Send sends one message, whose source the adapter fills in, and reports whether
// the receiver was ready: without strides left it answers RNR, and nothing is sent.
func (s *Sender) Send(head *[3]uint64, data []byte) (bool, error) {
	if len(data) > s.most {
		return false, s.link.refuse(TooLong, 0)
	}
	if err := s.renew(0); err != nil {
		return false, err
	}
	s.ledger.Change()
	return s.ring.Put(s.link.qp.hca.rank, head, data, &s.sent)
}

// Messages returns the reader of this process's own striding receive queue, nil after
// Close.
func (h *HCA) Messages() *ring.SharedReader {
	if h.closed.Load() {
		return nil
	}
	return ring.NewSharedReader(h.f.Bytes(h.rank, fabric.Shared), h.f.Geometry().Shared, h.f.Ranks())
}

// stride is a SEND by a queue pair whose other side has the striding receive queue.
func (h *HCA) stride(rank int, data []byte) Reason {
	g := h.f.Geometry().Shared
	if len(data) > g.MaxPayload() {
		return TooLong
	}
	if !ring.NewSharedWriter(h.f.Bytes(rank, fabric.Shared), g).Append(h.rank, new([3]uint64), data) {
		return NoReceive
	}
	h.f.Bell(rank).Ring()
	return 0
}

// A flagWriter is embedded by this name, so that nobody raises flags past the checks of Raise.
type flagWriter = fabric.FlagWriter

// Flags raises the flags of this process in the job's shared flag arrays, by RDMA
// WRITE of a line to memory that all processes have mapped. It belongs to one goroutine
// at a time.
type Flags struct {
	route
	*flagWriter
}

// Flags opens the flag arrays, by the link of this process with itself.
func (h *HCA) Flags() (*Flags, error) {
	l, err := h.Link(h.rank)
	if err != nil {
		return nil, err
	}
	w := &Flags{flagWriter: h.f.FlagWriter(h.rank)}
	return w, w.find(l, regionFlags, RemoteWrite)
}

// Raise writes seq, which is not 0, a mark, and at most [fabric.FlagBytes] bytes of data.
func (w *Flags) Raise(array int, seq, mark uint32, data []byte) error {
	if err := w.renew(RemoteWrite); err != nil {
		return err
	}
	if !w.flagWriter.Raise(array, seq, mark, data) {
		return w.link.refuse(BeyondRegion, 0)
	}
	return nil
}

// Audit reports whether the flags that were raised are as they were written.
func (w *Flags) Audit() error {
	if w.link.qp.hca.closed.Load() {
		return nil
	}
	return w.flagWriter.Audit()
}

// Packets returns the account of what rank from has written into its packet ring at
// rank to (see [ring.Account]). After Close it is one that nobody else sees.
func (h *HCA) Packets(to, from int) ring.Account { return h.account(to, from, fabric.PacketAccount) }

// Records returns the account of what rank from has sent to the striding receive
// queue of rank to.
func (h *HCA) Records(to, from int) ring.Account { return h.account(to, from, fabric.RecordAccount) }

func (h *HCA) account(to, from, which int) ring.Account {
	if h.closed.Load() {
		return ring.NewAccount(new(ring.Line))
	}
	return h.f.Account(to, from, which)
}

// Attest puts down what has been written into this ring, if that has changed, or
// again, in case that the account was overwritten.
func (w *RingWriter) Attest(again bool) {
	if sent := w.out.Sent(); sent != w.attested || again {
		w.attested = sent
		h := w.link.qp.hca
		h.Packets(w.link.rank, h.rank).Put(ring.Tally{Lines: sent, Pos: w.pos, Sum: w.ring.Sum()})
	}
}

// Attest puts down what has been sent, if that has changed, or again.
func (s *Sender) Attest(again bool) {
	if !s.link.qp.hca.closed.Load() {
		s.ledger.Attest(s.sent, again)
	}
}
