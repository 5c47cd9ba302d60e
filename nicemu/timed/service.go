package timed

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// A Service keeps the virtual time of a job. One goroutine runs it.
type Service struct {
	cfg    Config
	model  medium.Model
	mover  medium.Mover  // nil: transfers are packets of the model
	keeper medium.Keeper // nil: packets occupy no memory
	sets   medium.Switch // nil: there are no sets of ranks
	codes  sequences
	paced  bool         // the model says when a rank may send the next packet
	net    vtime.Kernel // events in the network
	ready  vtime.Kernel // ranks that are ready to continue
	ranks  []member

	fabric  *fabric.Fabric
	bell    fabric.Signal
	calls   chan struct{} // rings as well if ranks are goroutines of this process
	asleep  *uint64
	alerts  *uint64
	alerted uint64 // alerts that have been handled
	given   *uint64
	awaited *uint64
	taken   uint32       // turns given to the service that have been collected
	flushes uint32       // of these, those for room in a mailbox
	endings atomic.Int32 // processes that have ended
	gone    int32        // of these, those that have been handled
	overdue bool         // no ring came for a long time
	present int          // ranks that have not left

	out       []int // ranks that have the turn
	room      []int // buffer for takeTurns
	horizon   vtime.Time
	parcels   []parcel
	unused    []uint32
	total     Traffic
	lookahead vtime.Time
	stop      atomic.Bool
	stuck     func(sure bool)
	told      bool // stuck was called, and nothing has happened since
	doubted   bool // stuck is about to be called
	err       error
}

// A member is the service's record of a rank.
type member struct {
	s       *Service
	rank    int
	box     mailbox
	posts   vtime.Source  // in net
	goes    vtime.Source  // in ready
	local   chan struct{} // hands the turn to a goroutine of this process; nil: it is another process
	state   state
	at      vtime.Time // its clock when it gave the turn to the service
	going   vtime.Event
	found   vtime.Ring[uint32] // parcels that have arrived and are not in its mailbox
	spare   vtime.Ring[spare]  // credits that are not in its mailbox
	starved bool               // a packet of it was refused since it last slept
	others  bool
	ended   atomic.Bool // its process has ended
	account Account
	gone    []bool // peers whose end has been reported to it; nil: none
}

// A state is the state of a rank.
type state uint8

const (
	runs  state = iota // it has the turn
	asks               // it continues at its own time
	waits              // it continues when an event comes
	left               // it has left, or its process has ended
)

// Start sets up the service of a job in its memory, before any rank opens its node. model makes the
// network on the given kernel. The goroutine of Run calls stuck when every rank waits and no event
// is pending; sure says that no goroutine of a rank can still change that.
func Start(f *fabric.Fabric, cfg Config, model func(*vtime.Kernel) (medium.Model, error), stuck func(sure bool)) (*Service, error) {
	s := &Service{cfg: cfg, ranks: make([]member, f.Ranks()), stuck: stuck, fabric: f}
	var err error
	if s.model, err = model(&s.net); err != nil {
		return nil, err
	}
	if s.lookahead = s.model.Lookahead(); s.lookahead <= 0 {
		return nil, errors.New("timed: a network without latency")
	}
	s.cfg.Costs = s.model.Costs()
	if c := s.cfg.Costs; c.Packet < 0 || c.Packet > MaxPacket || c.Eager < 0 {
		return nil, fmt.Errorf("timed: packets of %d bytes; there is room for %d", c.Packet, MaxPacket)
	}
	s.mover, _ = s.model.(medium.Mover)
	s.keeper, _ = s.model.(medium.Keeper)
	if sw, ok := s.model.(medium.Switch); ok && f.Ranks() <= 64 && sw.Sets() > 0 { // one bit for each rank
		s.sets, s.cfg.Sets = sw, min(sw.Sets(), 64*wordsOfSets)
	}
	s.codes.open(s)
	if p, ok := s.model.(medium.Pacer); ok {
		s.paced = true
		s.cfg.Window = p.Pace(s.free)
	}
	if s.cfg.Window == 0 {
		s.cfg.Window = DefaultWindow
	}
	first := f.Words(0, fabric.Rings)
	s.bell, s.asleep, s.alerts = fabric.SignalAt(&first[wordBell]), &first[wordAsleep], &first[wordAlerts]
	s.given, s.awaited = &first[wordGiven], &first[wordAwaited]
	s.present = f.Ranks()
	for i := range s.ranks {
		m := &s.ranks[i]
		m.s, m.rank, m.box = s, i, openMailbox(f, i)
		m.posts, m.goes = s.net.Source("rank"), s.ready.Source("rank")
		if err := m.box.configure(&s.cfg); err != nil {
			return nil, err
		}
		s.out = append(s.out, i)
	}
	return s, nil
}

// Local connects a rank that is a goroutine of this process: it waits for its turns on a channel,
// which is many times faster than the wait of a process. Local is called for all ranks, before Run.
func (s *Service) Local(rank int) (*Node, error) {
	n, err := Open(s.fabric, rank)
	if err != nil {
		return nil, err
	}
	if s.calls == nil {
		s.calls = make(chan struct{}, 1)
	}
	n.local, n.calls = make(chan struct{}, 1), s.calls
	s.ranks[rank].local = n.local
	return n, nil
}

// call puts an element into a channel of capacity one, unless it is full.
func call(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run keeps time until every rank has left; after Stop, until nothing can happen without a running
// rank. An error means that a rank has written into memory that is not its own.
func (s *Service) Run() error {
	for s.err == nil && s.present > 0 {
		stop, seen := s.stop.Load(), s.bell.Load()
		moved := s.collect() && s.err == nil && s.advance()
		if moved || s.err != nil || s.present == 0 {
			continue
		}
		if stop {
			break
		}
		s.rest(seen)
	}
	return s.err
}

// Observe has t observe the events in the network. It is called before Run.
func (s *Service) Observe(t vtime.Tracer) { s.net.Observe(t) }

// Close closes the network, after Run.
func (s *Service) Close() error {
	if c, ok := s.model.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Stop ends Run, after it has handled the turns of ranks whose end was reported. Any goroutine may
// call it.
func (s *Service) Stop() {
	s.stop.Store(true)
	s.ring()
}

// Ended reports to the service that the process of a rank has ended, whether the rank has left or
// not. Any goroutine may call it.
func (s *Service) Ended(rank int) {
	s.ranks[rank].ended.Store(true)
	s.endings.Add(1)
	s.ring()
}

func (s *Service) ring() {
	s.bell.Add()
	if s.calls != nil {
		call(s.calls)
		return
	}
	s.bell.Wake()
}

// rest sleeps until somebody rings, unless the bell has rung since it had the value seen.
func (s *Service) rest(seen uint32) {
	if s.calls != nil {
		if s.bell.Load() == seen {
			<-s.calls
		}
		return
	}
	for range spins {
		if s.bell.Load() != seen {
			return
		}
	}
	limit := longestWait
	if s.doubted && !s.told {
		limit = min(limit, certainAfter)
	}
	atomic.StoreUint64(s.asleep, 1)
	s.bell.Wait(seen, limit)
	atomic.StoreUint64(s.asleep, 0)
	s.overdue = s.bell.Load() == seen
}

// spins is the number of polls for a turn before the service sleeps: a rank that sends one message
// and waits keeps the turn for a few microseconds.
const spins = 2000

// expects reports whether there is something to collect: a turn given for room in a mailbox or an
// ended process, or all ranks have given the turn to the service. If not, the last rank that does
// so rings.
func (s *Service) expects() bool {
	gone := s.endings.Load()
	awaited := s.taken + uint32(len(s.out))
	atomic.StoreUint64(s.awaited, uint64(awaited))
	given := atomic.LoadUint64(s.given)
	if uint32(given) != awaited && uint32(given>>32) == s.flushes && gone == s.gone && !s.overdue && !s.cfg.Lax && !s.stop.Load() {
		return false
	}
	s.flushes, s.gone, s.overdue = uint32(given>>32), gone, false
	return true
}

// collect takes the posts of ranks that have given the turn to the service, and reports whether the
// service need not wait for other ranks. It checks again after each pass that took a turn: this
// changes the awaited number of turns, so a rank that has given its turn meanwhile has not rung.
func (s *Service) collect() bool {
	for s.expects() && s.takeTurns() {
	}
	return len(s.out) == 0 || s.cfg.Lax
}

// takeTurns checks each rank that has the turn once, and reports whether one had given it to the
// service.
func (s *Service) takeTurns() (taken bool) {
	still := s.room[:0]
	for _, r := range s.out {
		m := &s.ranks[r]
		ended := m.ended.Load() // read first: a process gives the turn to the service before it ends
		switch {
		case m.box.turn().Load() == turnService:
			s.taken++
			taken = true
			if m.take() {
				still = append(still, r)
			}
		case ended:
			m.leave()
			taken = true
		default:
			still = append(still, r)
		}
	}
	s.out, s.room = still, s.out
	return taken
}

// advance runs whatever is next, and reports whether there was anything.
func (s *Service) advance() bool {
	s.attend()
	if s.cfg.Lax {
		return s.hurry()
	}
	for {
		event, first := s.net.Next(), s.ready.Next()
		if event == vtime.Never && first == vtime.Never {
			return s.stand()
		}
		if event <= first {
			s.net.Advance(first)
			continue
		}
		s.told, s.doubted = false, false
		s.horizon = min(event, first+s.lookahead)
		for s.ready.Next() < s.horizon {
			s.ready.Step()
		}
		return true
	}
}

// hurry is advance without waiting for ranks.
func (s *Service) hurry() bool {
	for s.net.Step() {
	}
	s.horizon = 0
	moved := false
	for s.ready.Step() {
		moved = true
	}
	return moved
}

// stand handles the case that no event is pending; it returns false.
func (s *Service) stand() bool {
	sure := true
	for i := range s.ranks {
		m := &s.ranks[i]
		if m.state == waits && m.ended.Load() {
			m.leave()
		}
		sure = sure && !m.others
	}
	switch {
	case s.told || s.present == 0:
	case sure && !s.doubted && s.calls == nil:
		s.doubted = true // a goroutine that its rank counts as waiting may be about to call, and then rings
	default:
		s.told = true
		s.stuck(sure)
	}
	return false
}

// attend schedules the ranks whose attention was requested.
func (s *Service) attend() {
	alerts := atomic.LoadUint64(s.alerts)
	if alerts == s.alerted {
		return
	}
	s.alerted = alerts
	for i := range s.ranks {
		m := &s.ranks[i]
		if m.state == waits && m.going == (vtime.Event{}) && atomic.LoadUint64(&m.box.words[wordAttention]) != 0 {
			m.goOn(s.net.Now())
		}
	}
}

// take takes the turn from a rank, and reports whether the rank gets it back at once.
func (m *member) take() bool {
	w := m.box.words
	if err := m.read(int(min(w[wordOut], areaBytes))); err != nil {
		m.s.err = fmt.Errorf("rank %d: %w", m.rank, err)
		return true
	}
	if m.at = vtime.Time(w[wordNow]); m.at < 0 || m.at > latest {
		m.s.err = fmt.Errorf("rank %d: %w", m.rank, errMailbox)
		return true
	}
	m.account.Compute, m.account.Call = vtime.Time(w[wordCompute]), vtime.Time(w[wordCall])
	switch w[wordRequest] {
	case askFlush:
		m.hand()
		return true
	case askUntil:
		m.state = asks
		m.goOn(m.at)
	case askWait:
		m.state, m.others, m.starved = waits, w[wordOthers] != 0, w[wordStarved] != 0
		if m.found.Len() > 0 || m.starved && m.spare.Len() > 0 || atomic.LoadUint64(&w[wordAttention]) != 0 {
			m.goOn(m.at)
		}
	default:
		m.leave()
	}
	return false
}

// leave removes a rank.
func (m *member) leave() {
	m.state, m.others = left, false
	m.s.present--
	m.account.Time = m.at
	m.s.ready.Cancel(m.going)
	if m.s.keeper != nil {
		m.s.keeper.Left(m.rank)
	}
	for m.found.Len() > 0 {
		m.s.release(m.found.Pop())
	}
}

// goOn schedules a rank without the turn to get it back at t, or at its own time if that is later.
func (m *member) goOn(t vtime.Time) {
	at := max(t, m.at, m.s.ready.Now())
	m.s.ready.Cancel(m.going)
	m.going = m.goes.At(at, m, 0, 0)
	m.s.net.Halt(at)
}

// Act gives the turn to a rank.
func (m *member) Act(int, uint64) {
	s, w := m.s, m.box.words
	now := s.ready.Now()
	m.state, m.others = runs, false
	m.going = vtime.Event{}
	end := m.fill()
	w[wordGoOn], w[wordIn], w[wordHorizon] = uint64(now), uint64(end), uint64(s.horizon)
	if m.found.Len() > 0 || m.spare.Len() > 0 {
		w[wordHorizon] = 0 // there are more events
	}
	w[wordCalled] = atomic.SwapUint64(&w[wordAttention], 0)
	s.out = append(s.out, m.rank)
	m.hand()
}

// hand gives the turn to a rank.
func (m *member) hand() {
	if m.local == nil {
		m.box.turn().Set(turnRank)
		return
	}
	m.box.turn().Store(turnRank)
	call(m.local)
}
