package timed

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/vtime"
)

// A mailbox is memory that belongs to its rank and to the service in turn.
//
//	page 0   words: whose turn it is, the request, the answer
//	         from configAt on, the configuration of the rank
//	out      records of the rank
//	in       records of the service
type mailbox struct {
	words []uint64
	bytes []byte
	out   []byte
	in    []byte
}

const (
	outAt     = fabric.PageBytes
	areaBytes = 64 << 10
	inAt      = outAt + areaBytes
	configAt  = 1024
)

// Words of page 0. Words with different writers are in different pairs of lines.
const (
	wordTurn = 0 // signal: whose turn it is

	wordAttention = 16 // any process: why the rank must get the turn although nothing has arrived; 0: no reason

	wordRequest = 32 // the rank: one of the requests below
	wordNow     = 33 // its clock
	wordOut     = 34 // bytes of its records
	wordOthers  = 35 // 1: it may have goroutines that call without an event
	wordStarved = 38 // 1: a packet was refused, and its peer has made no room since
	wordCompute = 36 // total time spent on computing
	wordCall    = 37 // total cost of packets and polls

	wordGoOn    = 48 // the service: the rank's clock is at least this
	wordIn      = 49 // bytes of records
	wordHorizon = 50 // nothing arrives before that time
	wordCalled  = 51 // the value of the word of attention

	wordConfig = 64 // bytes of the configuration

	wordBell    = 80 // signal, in the mailbox of rank 0: a rank has given the turn to the service, or an alert
	wordAsleep  = 96 // in the mailbox of rank 0: the service sleeps
	wordAlerts  = 97 // in the mailbox of rank 0: number of alerts
	wordAwaited = 98 // in the mailbox of rank 0: the service: the number of turns at which it wants to be woken

	wordGiven = 112 // in the mailbox of rank 0: number of turns given to the service; from bit 32 on, number of those for room
	wordSets  = 120 // in the mailbox of rank 0: a bit for each set in use; rarely written
)

// flushed is added to wordGiven, besides 1, by a turn that is given for room in the mailbox.
const flushed = 1 << 32

// Whose turn it is.
const (
	turnRank = iota
	turnService
)

// Why a rank must get the turn although nothing has arrived.
const (
	called  = iota + 1 // Wake was called, or another of its goroutines calls
	expired            // the limit of its sleep has passed
)

// The requests of a rank that gives the turn to the service.
const (
	askFlush = iota + 1 // room in its mailbox
	askUntil            // events until its clock
	askWait             // to sleep until an event comes
	askLeave            // to leave for good
)

func openMailbox(f *fabric.Fabric, rank int) mailbox {
	b := f.Bytes(rank, fabric.Rings)
	return mailbox{f.Words(rank, fabric.Rings)[:fabric.PageBytes/8], b, b[outAt : outAt+areaBytes], b[inAt : inAt+areaBytes]}
}

func (m *mailbox) turn() fabric.Signal { return fabric.SignalAt(&m.words[wordTurn]) }

// A record is a command or an event in a mailbox, with its payload.
//
//	word 0     op, peer, bytes of the payload
//	word 1     time
//	words 2-4  the rest of the header
//	then the payload, to a multiple of 8 bytes
type record struct {
	op   uint8
	peer int
	at   vtime.Time
	word [3]uint64
	data []byte
}

const recordBytes = 40

// latest is later than the clock of any program: nothing added to it overflows.
const latest = vtime.Never / 4

// Ops of records. In records to a rank, peer is the sender.
const (
	opPacket  uint8 = iota + 1 // both ways: a packet; word is its header
	opFurther                  // both ways: a further packet of a message
	opTaken                    // out: the rank has taken a packet of peer
	opPull                     // out: word[1] bytes move from peer; opDone returns word[0]
	opPush                     // out: word[1] bytes move to peer
	opDone                     // in: a transfer is complete
	opCredit                   // in: peer has taken word[0] packets
	opGone                     // in: peer has left; packets to it are lost
	opSpread                   // both ways: a packet to a set; word[0] is its number, word[1] a place, word[2], out, its members
	opMeet                     // both ways: the rank has arrived, or all members of a set have; word as for opSpread, without a place
	opCode                     // out: the rank executes a code; word[0] is its sequence, above 32 bits its mark, word[1] the members, word[2] the first place; in: it is passed, and data are marks
	numOps
)

// size returns the size of a record with n bytes of payload.
func size(n int) int { return recordBytes + (n+7)&^7 }

// put writes a record to the beginning of b, which is long enough.
func (r *record) put(b []byte) int {
	le := binary.LittleEndian
	le.PutUint64(b, uint64(r.op)|uint64(r.peer)<<8|uint64(len(r.data))<<32)
	le.PutUint64(b[8:], uint64(r.at))
	for i, w := range r.word {
		le.PutUint64(b[16+8*i:], w)
	}
	copy(b[recordBytes:], r.data)
	return size(len(r.data))
}

// errMailbox reports a record that neither the rank nor the service has written.
var errMailbox = errors.New("timed: a mailbox holds an invalid record: the memory that ranks share has been overwritten")

// get reads the record at the beginning of b, in a job of the given number of ranks. Its data alias
// b.
func (r *record) get(b []byte, ranks int) (n int, err error) {
	if len(b) < recordBytes {
		return 0, errMailbox
	}
	le := binary.LittleEndian
	w := le.Uint64(b)
	r.op, r.peer = uint8(w), int(w>>8&0xffff)
	r.at = vtime.Time(le.Uint64(b[8:]))
	for i := range r.word {
		r.word[i] = le.Uint64(b[16+8*i:])
	}
	long := int(w >> 32)
	if n = size(long); long > MaxPacket || n > len(b) || r.op == 0 || r.op >= numOps || r.peer >= ranks || r.at < 0 || r.at > latest {
		return 0, errMailbox
	}
	r.data = b[recordBytes : recordBytes+long : recordBytes+long]
	return n, nil
}

// configure writes the configuration for the rank.
func (m *mailbox) configure(c *Config) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if len(text) > outAt-configAt {
		return fmt.Errorf("timed: a configuration of %d bytes", len(text))
	}
	copy(m.bytes[configAt:], text)
	atomic.StoreUint64(&m.words[wordConfig], uint64(len(text)))
	return nil
}

// ErrNoService reports a job for which no service has been set up.
var ErrNoService = errors.New("timed: nobody keeps virtual time for this job; mpirun --time does")

func (m *mailbox) config() (c Config, err error) {
	n := atomic.LoadUint64(&m.words[wordConfig])
	if n == 0 || n > outAt-configAt {
		return c, ErrNoService
	}
	if err := json.Unmarshal(m.bytes[configAt:configAt+n], &c); err != nil {
		return c, fmt.Errorf("%w: %w", errMailbox, err)
	}
	return c, nil
}
