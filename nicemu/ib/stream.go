package ib

import (
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// What libraries over links need to send small messages: rings that the receiver polls. A program
// that polls memory relies on a property of RDMA WRITE of one line: its first word becomes visible
// last (our choice; adapters write in ascending order, and libraries poll the end).

func load(w *uint64) uint64 { return atomic.LoadUint64(w) }

// A RingWriter writes a packet ring of another process by RDMA WRITE: payloads that do not fit the
// slot into the ring's data area, then the slot with inline data. It belongs to one goroutine at a
// time.
type RingWriter struct {
	route
	ring ring.Ring
	out  ring.Outlet
	max  int

	placed   uint64 // counted by the outlet, and not used
	pos      uint64 // where the next payload goes
	attested uint64 // out.Sent at the last call of Attest
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
	w.ring, w.max = ring.Open(mem, layout), max(layout.Bytes, ring.Short)
	w.open()
	return w, nil
}

// Use makes later packets go over another link to the same process. A refusal leaves w unchanged.
func (w *RingWriter) Use(l *Link) error {
	err := w.find(l, regionRings, RemoteWrite)
	if err == nil {
		w.open()
	}
	return err
}

// RingReader returns a reader of this process's own packet ring i, of which nothing has been read
// yet, or nil if there is no such ring or the adapter is closed.
func (h *HCA) RingReader(i int) *ring.Reader {
	if h.closed.Load() {
		return nil
	}
	return h.rings.Reader(h.rank, i)
}

// Put writes packet number slot, whose payload lies at data position pos if it does not fit the
// slot; see [ring.Ring.Put]. The caller has checked that there is room.
func (w *RingWriter) Put(slot, pos uint64, head *[3]uint64, payload []byte) error {
	if err := w.prepare(slot, len(payload)); err != nil {
		return err
	}
	if len(payload) <= ring.Short {
		w.ring.PutLine(slot, head, payload)
		return nil
	}
	w.pos = w.ring.Put(slot, pos, head, payload)
	return nil
}

// Gather is Put of a noncontiguous payload of n bytes: see [ring.Ring.Gather].
func (w *RingWriter) Gather(slot, pos uint64, head *[3]uint64, from ring.Gatherer, off, n int) error {
	if err := w.prepare(slot, n); err != nil {
		return err
	}
	if next := w.ring.Gather(slot, pos, head, from, off, n); n > ring.Short {
		w.pos = next
	}
	return nil
}

// prepare checks that a payload of n bytes may go in packet number slot, and counts the packet. It looks the
// route up again if that is no longer valid.
func (w *RingWriter) prepare(slot uint64, n int) error {
	if n > w.max {
		return w.link.refuse(TooLong, 0)
	}
	if !w.good() {
		if err := w.renew(RemoteWrite); err != nil {
			return err
		}
		w.open()
	}
	w.out.Went(slot + 1)
	return nil
}

// Outlet returns the ring in a form that takes lines as long as the looked-up lines of w are valid:
// it does what Put does, but cannot renew them.
func (w *RingWriter) Outlet() *ring.Outlet { return &w.out }

// open has the outlet use the present look-ups.
func (w *RingWriter) open() {
	w.out.Open(&w.ring, &w.placed, [...]*uint64{w.own, w.peer, w.mem}, [...]uint64{w.ownWas, w.peerWas, w.memWas})
}

// Consumed is RDMA READ of the counters that the ring's reader exports. They may be old; the caller
// checks whether they are plausible.
func (w *RingWriter) Consumed() (slot, pos uint64, err error) {
	if err := w.renew(RemoteWrite); err != nil {
		return 0, 0, err
	}
	slot, pos = w.ring.Consumed()
	return slot, pos, nil
}

// The striding receive queue serves all links of a process. It is one buffer in strides of a line,
// so that a short message takes little memory. Its owner posts strides again by advancing a counter
// of what it has consumed. Its completions are in the buffer, before the messages, in the order of
// arrival (our choice, after the multi-packet receive queues of real adapters).
//
// A Sender sends to the striding receive queue of another process. It belongs to one goroutine at a
// time.
type Sender struct {
	route
	ring *ring.SharedWriter
	most int // maximum bytes of a message

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

// Send sends one message, to which the adapter adds the source, and reports whether the receiver
// was ready: if it has no free stride, it answers RNR, and nothing is sent.
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

// stride is a SEND from a queue pair whose other side has the striding receive queue.
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

// A flagWriter is embedded under this name, so that other packages cannot raise flags without the
// checks of Raise.
type flagWriter = fabric.FlagWriter

// Flags raises the flags of this process in the job's shared flag arrays, by RDMA WRITE of a line
// to memory that all processes have mapped. It belongs to one goroutine at a time.
type Flags struct {
	route
	*flagWriter
}

// Flags opens the flag arrays, over the link of this process to itself.
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

// Packets returns the account of what rank from has written into its packet ring at rank to (see
// [ring.Account]). After Close it returns an account that no other rank sees.
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

// Attest writes to the account what has been written into this ring, if that has changed. again
// makes it write in any case, because the account may have been overwritten.
func (w *RingWriter) Attest(again bool) {
	if sent := w.out.Sent(); sent != w.attested || again {
		w.attested = sent
		h := w.link.qp.hca
		h.Packets(w.link.rank, h.rank).Put(ring.Tally{Lines: sent, Pos: w.pos, Sum: w.ring.Sum()})
	}
}

// Attest writes to the account what has been sent; again is as for [RingWriter.Attest].
func (s *Sender) Attest(again bool) {
	if !s.link.qp.hca.closed.Load() {
		s.ledger.Attest(s.sent, again)
	}
}
