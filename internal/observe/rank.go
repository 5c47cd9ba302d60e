package observe

import (
	"sync"
	"sync/atomic"
	"time"

	"rhinet/internal/clock"
)

// How many calls are timed: all of the first ones, then the next comes leastSkip+1 to leastSkip+spanSkip
// calls later, at random, so that sampling does not follow a rhythm of the program.
const (
	firstCalls = 256
	leastSkip  = 11
	spanSkip   = 8 // a power of two
)

// A Rank writes the record of one rank. Its methods may be called by any number of goroutines.
type Rank struct {
	Meter Meter

	plan  plan
	every bool        // every call is timed
	time  atomic.Bool // the next call is timed

	names struct { // of calls, and of the parts of calls that Add counts
		sync.Mutex
		rows map[string]Row
		near [16]atomic.Pointer[rowName] // looked up recently, by length
	}

	guard  sync.Locker // of the fields below, see Guard
	mem    []byte
	row    [mostRows]*rowWords // in mem; nil: not named yet
	peers  []byte
	comms  int                       // rows in use
	commAt [mostComms + 1]*commWords // in mem; no communicator (0) has one that is never read
	commOf [1 << 15]CommID           // by half of the context
	commTo map[destination]CommID    // for contexts that depend on the peer; nil: none
	cells  cells
	head   *headWords // in mem
	ring   []byte     // the events, in mem
	page   *eventPage // the page of ring that is being filled,
	place  uint       // and the offset of the next event in ring
	held   held       // state for the calls of a port
	skip   int        // other calls until the next one that is timed
	random uint32
	closed bool
}

// Arrays, so that accesses at constant offsets need no bounds check.
type (
	rowWords  [rowBytes]byte
	commWords [commBytes]byte
	pairWords [2 * wordBytes]byte

	eventWords [eventBytes]byte
	eventPage  [pageBytes]byte // events up to the end of a page need no check for the end of the ring
	headWords  [pageBytes]byte
)

// A Row is the index of a call in the statistics.
type Row uint8

// The calls that a transport knows, by their rows.
const (
	Send Row = iota
	Ssend
	Recv
	Isend
	Issend
	Irecv
	WaitOne
	WaitAll
	WaitAny
	Test
	named // the first one that Named assigns
)

var rowNames = [named]string{"Send", "Ssend", "Recv", "Isend", "Issend", "Irecv", "Wait", "WaitAll", "WaitAny", "Test"}

// other counts calls for which there is no row left.
const other = "(others)"

// Open begins the record of a rank in the memory behind fd, which it closes. virtual, if not nil, is the
// clock of the rank in nanoseconds.
func Open(fd, rank, size int, virtual func() int64) (*Rank, error) {
	return open(fd, rank, size, virtual, clock.Counter())
}

// open is Open; counter says whether times are those of the processor's counter.
func open(fd, rank, size int, virtual func() int64, counter bool) (*Rank, error) {
	p, mem, err := claim(fd, rank, size)
	if err != nil {
		return nil, err
	}
	r := newRank(p, mem)
	switch {
	case virtual != nil:
		r.Meter.now, r.every = virtual, true
		set(mem, headUnit, unitVirtual)
	case counter:
		r.Meter.now, r.Meter.counts = clock.Ticks, true
		set(mem, headUnit, unitTicks)
	default:
		since, epoch := monotonic()
		r.Meter.now = func() int64 { return int64(time.Since(epoch)) }
		set(mem, headUnit, unitNanos)
		set(mem, headOffset, uint64(since))
	}
	r.every = r.every || p.events > 0
	if r.every {
		r.Meter.sampling.Add(1)
	}
	r.Forget()
	r.time.Store(true)
	set(mem, headFirst, uint64(r.Meter.now()))
	set(mem, headState, entered)
	return r, nil
}

// Private begins the record of a rank in memory that nobody else reads, to measure its cost. Times are
// those of the processor's counter even where the system does not use that for its own clock, so the cost
// is comparable between machines.
func Private(rank, size int, traced bool) (*Rank, error) {
	file, err := Create(size, traced)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	fd, err := duplicate(file)
	if err != nil {
		return nil, err
	}
	return open(fd, rank, size, nil, true)
}

func newRank(p plan, mem []byte) *Rank {
	r := &Rank{plan: p, guard: new(sync.Mutex), mem: mem, peers: mem[p.peersAt():p.commsAt()], skip: firstCalls, random: 1}
	r.held.first = firstCalls
	r.head, r.ring = (*headWords)(mem), mem[p.eventsAt():p.eventsAt()+p.events*eventBytes]
	if p.events > 0 {
		r.page = (*eventPage)(r.ring)
	}
	r.names.rows = map[string]Row{}
	r.commAt[0] = new(commWords)
	r.cells.of = map[uint64]*cellWords{}
	r.strange()
	for i, name := range rowNames {
		r.name(Row(i), name)
	}
	return r
}

// name gives a row its name.
func (r *Rank) name(i Row, name string) {
	r.row[i] = (*rowWords)(r.mem[pageBytes+int(i)*rowBytes:])
	copy(r.row[i][:nameBytes], name)
	r.names.rows[name] = i
}

// A rowName is a name that was looked up, with its row.
type rowName struct {
	name string
	row  Row
}

// known returns the row of a call that was looked up recently, or nil.
func (r *Rank) known(call string) *rowName {
	if n := r.names.near[len(call)%len(r.names.near)].Load(); n != nil && n.name == call {
		return n
	}
	return nil
}

// Named returns the row of a call.
func (r *Rank) Named(call string) Row {
	if n := r.known(call); n != nil {
		return n.row
	}
	return r.lookUp(call)
}

// lookUp is Named for a call that was not looked up recently.
func (r *Rank) lookUp(call string) Row {
	r.names.Lock()
	defer r.names.Unlock()
	return r.named(call)
}

// named is Named with the lock of names held.
func (r *Rank) named(call string) Row {
	if n := r.known(call); n != nil {
		return n.row
	}
	i, there := r.names.rows[call]
	if !there {
		row := call
		if i = Row(len(r.names.rows)); i >= mostRows-1 {
			i, row = mostRows-1, other
		}
		if r.names.rows != nil {
			r.name(i, row)
		}
	}
	r.names.near[len(call)%len(r.names.near)].Store(&rowName{call, i})
	return i
}

// A Mark is the beginning of a call.
type Mark struct{ at, asleep, brief int64 }

// untimed is the beginning of a call that is not timed. It is negative because virtual time begins at 0.
const untimed = -1

// Begin begins a call.
func (r *Rank) Begin() Mark {
	m := Mark{at: untimed, asleep: r.Meter.asleep.Load()}
	if r.time.Load() {
		m = r.begin()
	}
	return m
}

// begin begins a call that is timed.
func (r *Rank) begin() Mark {
	r.Meter.sampling.Add(1)
	return Mark{r.Meter.now(), r.Meter.asleep.Load(), r.Meter.brief.Load()}
}

// Flags say what a call, or a Point, has done.
type Flags uint8

// What a call may have done.
const (
	Sends    Flags = 1 << iota // a message to Peer has begun
	Receives                   // a message from Peer has arrived
	Accesses                   // the window of Peer was accessed
	point                      // not a call, but a part of one
	begun                      // its beginning was not measured
)

// A Transfer describes what a call has moved. Peer is a rank in the job, or negative.
type Transfer struct {
	Flags   Flags
	Comm    CommID
	Context uint16
	Peer    int
	Tag     int
	Bytes   int
}

// Ended ends the call that m began, on the communicator id. What it moved has been counted already.
func (r *Rank) Ended(m Mark, call string, id CommID) {
	var row Row
	if n := r.known(call); n != nil {
		row = n.row
	} else {
		row = r.lookUp(call)
	}
	r.End(m, row, &Transfer{Comm: id, Peer: -1})
}

// Continued ends a further part, which m began, of a call that has been counted. Of its time, the wait counts.
func (r *Rank) Continued(m Mark, call string, id CommID) {
	now, row := int64(0), r.Named(call)
	if m.at != untimed {
		now = r.Meter.now()
	}
	r.Drop(m)
	r.guard.Lock()
	defer r.guard.Unlock()
	if r.closed {
		return
	}
	if asleep := r.Meter.asleep.Load() - m.asleep; asleep != 0 {
		add(r.row[row][rowSleep:], uint64(asleep))
		r.waited(id, asleep)
	}
	if m.at != untimed {
		set(r.mem, headLast, uint64(now))
		r.event(m.at, now, row, &Transfer{Comm: id, Peer: -1})
	}
}

// Drop ends what m began, and what is no call of its own.
func (r *Rank) Drop(m Mark) {
	if m.at != untimed {
		r.Meter.sampling.Add(-1)
	}
}

// End ends the call that m began.
func (r *Rank) End(m Mark, call Row, t *Transfer) {
	now := int64(0)
	if m.at != untimed {
		now = r.Meter.now()
		r.Meter.sampling.Add(-1)
	}
	r.guard.Lock()
	if !r.closed {
		row := r.row[call]
		add(row[rowCount:][:wordBytes], 1)
		add(row[rowBytesMoved:][:wordBytes], uint64(t.Bytes))
		asleep := r.Meter.asleep.Load() - m.asleep
		if asleep != 0 {
			add(row[rowSleep:][:wordBytes], uint64(asleep))
			r.waited(t.Comm, asleep)
		}
		if m.at != untimed {
			r.timed(row, m, now, asleep)
			r.event(m.at, now, call, t)
		}
		if t.Flags != 0 {
			r.count(t)
		}
		r.turn()
	}
	r.guard.Unlock()
}

// timed adds the times of a call that was timed.
func (r *Rank) timed(row *rowWords, m Mark, now, asleep int64) {
	brief := r.Meter.brief.Load() - m.brief
	add(row[rowSamples:], 1)
	add(row[rowBrief:], uint64(brief))
	add(row[rowOwn:], uint64(max(now-m.at-asleep-brief, 0)))
	set(r.mem, headLast, uint64(now))
}

// turn decides whether the next call is timed.
func (r *Rank) turn() {
	if r.skip--; r.skip > 0 {
		if r.time.Load() && !r.every && r.skip < leastSkip+spanSkip {
			r.time.Store(false)
		}
		return
	}
	r.skip = leastSkip + r.chance(spanSkip)
	r.time.Store(true)
}

// chance returns a number below n, a power of two.
func (r *Rank) chance(n uint32) int {
	r.random = r.random*1664525 + 1013904223
	return int(r.random >> 24 % n)
}

// Traced reports whether events are written.
func (r *Rank) Traced() bool { return r.plan.events > 0 }

// Now returns the time for Point, 0 if there are no events.
func (r *Rank) Now() int64 {
	if !r.Traced() {
		return 0
	}
	return r.Meter.now()
}

// Point notes what a part of a call has moved, at a time of Now.
func (r *Rank) Point(at int64, call Row, t *Transfer) {
	r.guard.Lock()
	if !r.closed {
		t.Flags |= point
		r.event(at, at, call, t)
		r.count(t)
	}
	r.guard.Unlock()
}

// Add adds to the bytes of a call that continues. The caller may hold the lock that Guard has set.
func (r *Rank) Add(call string, bytes int) {
	if bytes != 0 {
		r.add(call, bytes)
	}
}

func (r *Rank) add(call string, bytes int) {
	r.names.Lock()
	if r.names.rows != nil {
		row := Row(0)
		if n := r.known(call); n != nil {
			row = n.row
		} else {
			row = r.named(call)
		}
		add(r.row[row][rowBytesAdded:], uint64(bytes))
	}
	r.names.Unlock()
}

// count adds a transfer to the matrix.
func (r *Rank) count(t *Transfer) {
	if t.Comm != 0 && t.Flags&(Sends|Receives) != 0 {
		c := r.commAt[t.Comm][commSent:]
		if t.Flags&Receives != 0 {
			c = c[commReceived-commSent:]
		}
		add(c, 1)
		add(c[wordBytes:], uint64(t.Bytes))
	}
	if t.Flags&(Sends|Accesses) == 0 || uint(t.Peer) >= uint(r.plan.ranks) {
		return
	}
	at := t.Peer * peerBytes
	if t.Flags&Accesses != 0 {
		at += peerAccesses
	}
	b := (*pairWords)(r.peers[at:])
	add(b[:wordBytes], 1)
	add(b[wordBytes:], uint64(t.Bytes))
}

// event writes an event, if the job is traced.
func (r *Rank) event(from, to int64, call Row, t *Transfer) {
	if r.plan.events > 0 {
		r.write(to, to-from, eventOf(call, t.Flags, t.Context, t.Peer), t.Tag, t.Bytes)
	}
}

// eventOf returns the word of an event that says what it is.
func eventOf(call Row, flags Flags, context uint16, peer int) uint64 {
	return uint64(call) | uint64(flags)<<8 | uint64(context)<<16 | uint64(uint32(peer))<<32
}

// write writes an event.
func (r *Rank) write(to, lasted int64, what uint64, tag, bytes int) {
	b := r.take()
	b.fill(lasted, what, tag, bytes)
	set(b[:], eventEnd, uint64(to))
}

// take returns the place of the next event; if there is no room, that of the oldest event.
func (r *Rank) take() *eventWords {
	b := (*eventWords)(r.page[r.place%pageBytes&^(eventBytes-1):])
	if r.place += eventBytes; r.place%pageBytes == 0 {
		r.leaf()
	}
	add(r.head[headEvents:][:wordBytes], 1)
	return b
}

// leaf moves on to the next page of events.
func (r *Rank) leaf() {
	if r.place == uint(len(r.ring)) {
		r.place = 0
	}
	r.page = (*eventPage)(r.ring[r.place:])
}

// fill writes all of an event except its end.
func (b *eventWords) fill(lasted int64, what uint64, tag, bytes int) {
	set(b[:], eventWhat, what)
	set(b[:], eventSize, uint64(uint32(tag))|uint64(bytes)<<32)
	set(b[:], eventLasted, uint64(min(max(lasted, 0), mostLasted))|uint64(bytes)>>32<<lastedBits)
}

// Pause notes that the rank has ended its use of MPI, for now: it may Resume.
func (r *Rank) Pause() {
	r.guard.Lock()
	defer r.guard.Unlock()
	if !r.closed {
		r.leave()
	}
}

// leave notes the end of the last call, and that it was Finalize.
func (r *Rank) leave() {
	set(r.mem, headLast, uint64(r.Meter.now()))
	set(r.mem, headState, left)
}

// Resume notes that the rank uses MPI again.
func (r *Rank) Resume() {
	r.guard.Lock()
	defer r.guard.Unlock()
	if !r.closed {
		set(r.mem, headState, entered)
	}
}

// Close ends the record: the rank has called Finalize.
func (r *Rank) Close() error {
	r.guard.Lock()
	defer r.guard.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.names.Lock()
	r.names.rows = nil
	r.names.Unlock()
	r.leave()
	return unclaim(r.mem)
}
