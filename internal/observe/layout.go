package observe

import (
	"encoding/binary"
	"fmt"
)

// The memory of a job is a header and a region for each rank. Regions start on a page:
//
//	head | rows of calls | rows of peers | communicators | cells | events, used in turn
//
// Words are aligned and little-endian, so that a reader sees them whole.
const (
	magic     = 0x3373656572696872 // "rhirees3"
	pageBytes = 4096
	wordBytes = 8

	nameBytes     = 24
	mostRows      = 96 // calls with names of their own; the last row takes the rest
	rowBytes      = 96
	peerBytes     = 4 * wordBytes
	mostComms     = 128 // the last one takes the rest
	commNameBytes = 64
	commBytes     = commNameBytes + 6*wordBytes

	cellBytes = 4 * wordBytes

	eventBytes = 4 * wordBytes

	// MostEvents is how many events are kept for a rank at most: the last ones. The ranks of a job keep
	// allEvents together, and at least leastEvents each.
	MostEvents  = 1 << 18
	leastEvents = 1 << 12
	allEvents   = 1 << 22
)

// eventsOf returns how many events each of the ranks keeps; they fill whole pages.
func eventsOf(ranks int) int {
	return max(min(MostEvents, allEvents/ranks), leastEvents) &^ (pageBytes/eventBytes - 1)
}

// Words of the header of the job.
const (
	jobMagic = iota * wordBytes
	jobRanks
	jobEvents
)

// Words of the head of a rank.
const (
	headState  = iota * wordBytes
	headUnit   // of times
	headOffset // nanoseconds to add to times in unitNanos
	headEvents // events written so far
	headFirst  // time of the first call, and
	headLast   // of the end of the last one
	headCells  // cells in use

	protocolsAt = 1024 // text, see Rank.Protocols
)

// The states of a rank in its head.
const (
	absent  = iota // has not called Init
	entered        // has called Init
	left           // has called Finalize
)

// The units of times.
const (
	unitTicks   = iota // of the processor's counter
	unitNanos          // nanoseconds of the system's monotonic clock
	unitVirtual        // nanoseconds of virtual time
)

// Words of a row, after its name.
const (
	rowCount = nameBytes + iota*wordBytes
	rowBytesMoved
	rowSleep   // time asleep, of all calls
	rowSamples // calls that were timed
	rowOwn     // time of the timed calls that was not waiting
	rowBrief   // time that the timed calls waited without sleep

	rowBytesAdded // by parts of the call
)

// Words of a peer.
const (
	peerMessages = iota * wordBytes
	peerBytesSent
	peerAccesses
	peerBytesAccessed
)

// Words of a communicator, after its name.
const (
	commSent = commNameBytes + iota*wordBytes
	commSentBytes
	commReceived
	commReceivedBytes
	commWaits
	commWaited
)

// Words of a cell. A cell counts the calls of one name that move messages on one communicator from or to
// one peer, so a frequent call adds to two words only. The total of a row, peer or communicator is its own
// count plus those of its cells, see plan.fold.
//
//	call: 8 | communicator: 8 | 0: 16 | peer: 32
const (
	cellOf = iota * wordBytes
	cellCount
	cellMoved
)

// Words of an event.
//
//	end
//	call: 8 | flags: 8 | context: 16 | peer: 32
//	tag: 32 | bytes: 32
//	how long it lasted: 52 | bytes >> 32: 12
const (
	eventEnd = iota * wordBytes
	eventWhat
	eventSize
	eventLasted

	lastedBits = 52
	mostLasted = 1<<lastedBits - 1
)

// A plan describes the layout of the memory.
type plan struct{ ranks, events int }

func (p plan) peersAt() int  { return pageBytes + mostRows*rowBytes }
func (p plan) commsAt() int  { return p.peersAt() + p.ranks*peerBytes }
func (p plan) cellsAt() int  { return p.commsAt() + mostComms*commBytes }
func (p plan) eventsAt() int { return p.cellsAt() + p.cells()*cellBytes }

// cells returns the number of cells. A call for which there is none left adds to its row, peer and
// communicator.
func (p plan) cells() int { return 256 + 16*p.ranks }

// region returns the size of a rank's region.
func (p plan) region() int {
	n := p.eventsAt() + p.events*eventBytes
	return (n + pageBytes - 1) &^ (pageBytes - 1)
}

func (p plan) regionAt(rank int) int64 { return pageBytes + int64(rank)*int64(p.region()) }
func (p plan) total() int64            { return p.regionAt(p.ranks) }

// header returns the first page of the memory.
func (p plan) header() []byte {
	b := make([]byte, pageBytes)
	set(b, jobMagic, magic)
	set(b, jobRanks, uint64(p.ranks))
	set(b, jobEvents, uint64(p.events))
	return b
}

// readPlan reads the first page of the memory of a job; size is that of the memory in bytes.
func readPlan(b []byte, size int64) (plan, error) {
	p := plan{ranks: int(get(b, jobRanks)), events: int(get(b, jobEvents))}
	if get(b, jobMagic) != magic || p.ranks < 1 || p.ranks > 1<<16 || p.events < 0 || p.events > MostEvents || p.events*eventBytes%pageBytes != 0 || p.total() != size {
		return plan{}, fmt.Errorf("observe: the descriptor is not the memory that mpirun made to observe the job")
	}
	return p, nil
}

func get(b []byte, at int) uint64    { return binary.LittleEndian.Uint64(b[at:]) }
func set(b []byte, at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }

// add adds v to the first word of b.
func add(b []byte, v uint64) {
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)+v)
}

// nameOf returns the name at the start of a row.
func nameOf(b []byte) string {
	n := 0
	for n < nameBytes && b[n] > ' ' && b[n] < 0x7f {
		n++
	}
	return string(b[:n])
}
