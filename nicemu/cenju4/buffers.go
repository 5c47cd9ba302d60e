package cenju4

import (
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// Fields of a buffer-table entry (cenju4, section 6.1). Fields 0, 1 and 7, which only the Receiver
// changes, are in the part of memory that all NICs write; BufferTable returns all fields as one
// entry.
const (
	MessagePointer0 = 0
	MessagePointer1 = 1
	AddressRegister = 2 // 0, 1, 2
	NoticeBase      = 5
	LogPointer      = 7
)

// BufferTable returns a copy of the present entry of this node's task. Message pointers and log
// pointer are in bytes since the job began; the base of the notification buffer is an offset in the
// job's memory.
func (n *NIC) BufferTable() (entry [bufferWords]uint64) {
	for i := range n.queues {
		entry[MessagePointer0+i] = atomic.LoadUint64(n.received(n.rank, i)) * ring.LineBytes
		entry[AddressRegister+i] = atomic.LoadUint64(n.own.addressRegister(i))
	}
	entry[AddressRegister+2] = atomic.LoadUint64(n.own.addressRegister(2))
	at, _ := n.f.Span(n.rank, fabric.Device)
	entry[NoticeBase] = at + regNotices*8
	entry[LogPointer] = atomic.LoadUint64(&n.own.public[pubLog]) * recordWords * 8
	return entry
}

func (t node) addressRegister(i int) *uint64 {
	return &t.tables[regBuffers+taskCid*bufferWords+AddressRegister+i]
}

// SetAddressRegister sets an address register of this node's entry, which is the target of remote
// DMA with address register. It returns false if there is no such register.
func (n *NIC) SetAddressRegister(i int, a Address) bool {
	if uint(i) > 2 {
		return false
	}
	atomic.StoreUint64(n.own.addressRegister(i), uint64(a))
	return true
}

// Message buffers. Our choice: a buffer is a ring of lines, in which each message follows a line
// with its source and length, so that a reader can tell packets of several senders apart; a message
// has at most one packet; and a message without room is refused, so that nothing is lost.

func messageLayout(f *fabric.Fabric, which int) ring.SharedLayout {
	if which == 0 {
		return f.Geometry().Shared
	}
	return ring.SharedLayout{Lines: message1Lines}
}

func messageMemory(f *fabric.Fabric, rank, which int) []byte {
	if which == 0 {
		return f.Bytes(rank, fabric.Shared)
	}
	return f.Bytes(rank, fabric.Public)[pubMessage1*8:][:message1Words*8]
}

// received returns the word that counts the lines that a message buffer has received.
func (n *NIC) received(rank, which int) *uint64 {
	return &fabric.WordsOf(messageMemory(n.f, rank, which))[0]
}

// Messages returns the reader of one of this node's message buffers, or nil if there is no such
// buffer or the NIC is closed.
func (n *NIC) Messages(which int) *ring.SharedReader {
	if n.closed.Load() || uint(which) > 1 {
		return nil
	}
	return ring.NewSharedReader(messageMemory(n.f, n.rank, which), messageLayout(n.f, which), n.ranks)
}

// Messaged returns the account of the messages 0 that this node has sent to another node.
func (n *NIC) Messaged(rank int) ring.Tally { return n.sent[rank] }

// Account returns one of the two accounts that a node keeps of what another one has sent to it;
// from it a reader finds that something was overwritten before it was read. After Close it returns
// an account that no other node sees. Our choice, not part of the hardware.
func (n *NIC) Account(at, of, which int) ring.Account {
	if n.closed.Load() {
		return ring.NewAccount(new(ring.Line))
	}
	return n.f.Account(at, of, which)
}

// queue returns the writer of a node's message buffer.
func (n *NIC) queue(rank, which int) *ring.SharedWriter {
	q := &n.queues[which][rank]
	if *q == nil {
		*q = ring.NewSharedWriter(messageMemory(n.f, rank, which), messageLayout(n.f, which))
	}
	return *q
}

// crossed reports whether a pointer has entered another quarter of a buffer.
func crossed(before, after, size uint64) bool { return before/(size/4) != after/(size/4) }

func (t node) interrupt(c Cause) { atomic.AddUint64(&t.public[pubInterrupts+int(c)], 1) }

// A LogRecord describes a parcel that has arrived; it is written at the parcel's last packet
// (cenju4, section 6.1).
type LogRecord struct {
	Protocol Protocol
	Source   int // logical processor number
	Length   uint32
	Address  Address // target of the data; 0 for messages
}

// Bits of the first word of a log record.
const (
	logSource = 8
	logLength = 20
	logLap    = 40 // counts the laps of the buffer, so that a reader recognizes new records
	lapMask   = 1<<24 - 1
)

func lap(position uint64) uint64 { return (position/LogRecords)&lapMask + 1 }

// log appends a record.
func (t node) log(r LogRecord) {
	at := atomic.AddUint64(&t.public[pubLog], 1) - 1
	w := t.public[pubRecords+at%LogRecords*recordWords:]
	atomic.StoreUint64(&w[1], uint64(r.Address))
	atomic.StoreUint64(&w[0], uint64(r.Protocol)|uint64(r.Source)<<logSource|uint64(r.Length)<<logLength|lap(at)<<logLap)
	if crossed(at, at+1, LogRecords) {
		t.interrupt(LogFilling)
	}
}

// ReadLog returns record i since the job began. It returns false if the record has not arrived, or
// has been overwritten: the buffer is a ring of LogRecords records, and an interrupt reports each
// quarter that is full.
func (n *NIC) ReadLog(i uint64) (r LogRecord, ok bool) {
	w := n.own.public[pubRecords+i%LogRecords*recordWords:]
	first, address := atomic.LoadUint64(&w[0]), atomic.LoadUint64(&w[1])
	if first>>logLap != lap(i)&lapMask || atomic.LoadUint64(&w[0]) != first {
		return r, false
	}
	return LogRecord{Protocol(first), int(first >> logSource & destMask), uint32(first >> logLength & lengthMask), Address(address)}, true
}

// A Notice is a slot of the remote-read notification buffer: it reports the answer of a remote read
// or a compare and swap. Our choice: 16 byte, which the task clears before it uses the slot again.
type Notice struct {
	Value uint64 // Sent after a remote read; the old value after a compare and swap
	Kind  NoticeKind
}

// Sent is the pattern that reports a parcel that was sent, or data that has arrived.
const Sent = ^uint64(0)

// A NoticeKind says which answer a Notice reports.
type NoticeKind uint64

// The kinds of notices.
const (
	NoNotice NoticeKind = iota
	ReadDone
	Compared // and found equal
	Differed
)

// Notice returns slot rrid of the notification buffer.
func (n *NIC) Notice(rrid int) Notice {
	w := n.own.notice(rrid)
	kind := NoticeKind(atomic.LoadUint64(&w[1]))
	return Notice{atomic.LoadUint64(&w[0]), kind}
}

// ClearNotice empties slot rrid.
func (n *NIC) ClearNotice(rrid int) { n.own.setNotice(rrid, Notice{}) }

func (t node) notice(rrid int) []uint64 { return t.tables[regNotices+rrid&rridMask*2:][:2:2] }

func (t node) setNotice(rrid int, to Notice) {
	w := t.notice(rrid)
	atomic.StoreUint64(&w[0], to.Value)
	atomic.StoreUint64(&w[1], uint64(to.Kind))
}
