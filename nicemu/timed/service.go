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
	keeper medium.Keeper // nil: packets take no room
	sets   medium.Switch // nil: there are no sets of ranks
	codes  sequences
	paced  bool         // the model says when there is room for the next packet
	net    vtime.Kernel // what happens in the network
	ready  vtime.Kernel // ranks that can go on
	ranks  []member

	fabric  *fabric.Fabric
	bell    fabric.Signal
	calls   chan struct{} // rings as well, if ranks are goroutines of this process
	asleep  *uint64
	alerts  *uint64
	alerted uint64 // alerts that have been seen to
	given   *uint64
	awaited *uint64
	taken   uint32       // turns that were given away and have been seen to
	flushes uint32       // of them, those for room
	endings atomic.Int32 // processes that are gone
	gone    int32        // of them, those that have been seen to
	overdue bool         // nobody has called for long
	present int          // ranks that have not left

	out       []int // ranks that have the turn
	room      []int // of collect
	horizon   vtime.Time
	parcels   []parcel
	unused    []uint32
	total     Traffic
	lookahead vtime.Time
	stop      atomic.Bool
	stuck     func(sure bool)
	told      bool // stuck was called, and nothing has happened since
	doubted   bool // it was about to be
	err       error
}

// A member is a rank as the service knows it.
type member struct {
	s       *Service
	rank    int
	box     mailbox
	posts   vtime.Source  // in net
	goes    vtime.Source  // in ready
	local   chan struct{} // gives the turn to a goroutine of this process; nil: it is another process
	state   state
	at      vtime.Time // its clock when it gave the turn away
	going   vtime.Event
	found   vtime.Ring[uint32] // parcels that have come and are not in its mailbox
	spare   vtime.Ring[spare]  // credits likewise
	starved bool               // a packet of it was refused since it slept
	others  bool
	ended   atomic.Bool // its process is gone
	account Account
	gone    []bool // peers of whose end it has been told; nil: none
}

// A state is what a rank does.
type state uint8

const (
	runs  state = iota // it has the turn
	asks               // it goes on at its own time
	waits              // it goes on when something comes
	left               // it has left, or its process is gone
)

// Start sets up the service of a job in its memory, before any rank opens its
// node. model makes the network on the kernel that it is given. stuck is called
// by the goroutine of Run when every rank waits and nothing is under way: sure tells whether no goroutine of a rank can
// still change that.
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
	if sw, ok := s.model.(medium.Switch); ok && f.Ranks() <= 64 && sw.Sets() > 0 { // a bit for each rank
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

// Local connects a rank that is a goroutine of this process: it waits for its turns as goroutines wait,
// which is many times quicker than as processes do. Local is called for all ranks, before Run.
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

// call puts a word into a channel for one, if none is there.
func call(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run keeps time until every rank has left; after Stop, until nothing can happen without a rank
// that runs. An error means that a rank has written into memory that is not its own.
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

// Observe has t see what happens in the network. It is called before Run.
func (s *Service) Observe(t vtime.Tracer) { s.net.Observe(t) }

// Close lets go of the network, after Run.
func (s *Service) Close() error {
	if c, ok := s.model.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Stop ends Run, after the turns of ranks whose end has been told. Any goroutine may call it.
func (s *Service) Stop() {
	s.stop.Store(true)
	s.ring()
}

// Ended tells that the process of a rank is gone, whether it has left or not. Any
// goroutine may call it.
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

// rest sleeps until somebody rings, unless somebody has since seen.
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

// spins is how often the service looks for a rank that gives the turn away before
// it sleeps: a rank that sends one message and waits has it for a few
// microseconds.
const spins = 2000

// expects reports whether there is something to collect before all ranks have given the turn away, or
// all have. If not, the last one that does so will ring.
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

// collect takes what ranks have posted that have given the turn away, and reports
// whether the others need not be waited for. It looks again after each that it took: how many turns
// are awaited is another number then, and who has given one away in the meantime has rung for nobody.
func (s *Service) collect() bool {
	for s.expects() && s.takeTurns() {
	}
	return len(s.out) == 0 || s.cfg.Lax
}

// takeTurns looks at each rank that has the turn once, and reports whether one had given it away.
func (s *Service) takeTurns() (taken bool) {
	still := s.room[:0]
	for _, r := range s.out {
		m := &s.ranks[r]
		ended := m.ended.Load() // looked at first: a process gives the turn away before it ends
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

// advance has happen what comes first, and reports whether that was anything.
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

// hurry is advance that waits for nobody.
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

// stand is what is left when nothing is to come: it reports false.
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
		s.doubted = true // a goroutine that a rank has taken for waiting may be about to call, and rings then
	default:
		s.told = true
		s.stuck(sure)
	}
	return false
}

// attend has ranks go on whose attention somebody has asked for.
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

// take takes the turn from a rank, and reports whether it has it back at once.
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

// leave has a rank be gone.
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

// goOn has a rank that has given the turn away get it back at t, or at its own time
// if that is later.
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
		w[wordHorizon] = 0 // there is more
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
