package timed

import (
	"errors"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// A Service keeps the virtual time of a job. One goroutine runs it.
type Service struct {
	cfg   Config
	model medium.Model
	net   vtime.Kernel // what happens in the network
	ready vtime.Kernel // ranks that can go on
	ranks []member

	bell    fabric.Signal
	asleep  *uint64
	alerts  *uint64
	alerted uint64 // alerts that have been seen to
	present int    // ranks that have not left

	out       []int // ranks that have the turn
	room      []int // of collect
	horizon   vtime.Time
	parcels   []parcel
	free      []uint32
	total     Traffic
	lookahead vtime.Time
	stop      atomic.Bool
	stuck     func(sure bool)
	told      bool // stuck was called, and nothing has happened since
	err       error
}

// A member is a rank as the service knows it.
type member struct {
	s       *Service
	rank    int
	box     mailbox
	posts   vtime.Source // in net
	goes    vtime.Source // in ready
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
	s := &Service{cfg: cfg, ranks: make([]member, f.Ranks()), stuck: stuck}
	var err error
	if s.model, err = model(&s.net); err != nil {
		return nil, err
	}
	if s.lookahead = s.model.Lookahead(); s.lookahead <= 0 {
		return nil, errors.New("timed: a network without latency")
	}
	s.cfg.Costs = s.model.Costs()
	if s.cfg.Window == 0 {
		s.cfg.Window = DefaultWindow
	}
	if c := s.cfg.Costs; c.Eager < 0 || c.Eager > MaxPacket {
		return nil, fmt.Errorf("timed: packets of %d bytes; there is room for %d", c.Eager, MaxPacket)
	}
	first := f.Words(0, fabric.Rings)
	s.bell, s.asleep, s.alerts = fabric.SignalAt(&first[wordBell]), &first[wordAsleep], &first[wordAlerts]
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

// Run keeps time until every rank has left, or Stop is called. An error means that a
// rank has written into memory that is not its own.
func (s *Service) Run() error {
	for s.err == nil && !s.stop.Load() && s.present > 0 {
		seen := s.bell.Load()
		if moved := s.collect() && s.err == nil && s.advance(); !moved && s.err == nil && s.present > 0 {
			s.rest(seen)
		}
	}
	return s.err
}

// Stop ends Run. Any goroutine may call it.
func (s *Service) Stop() {
	s.stop.Store(true)
	s.ring()
}

// Ended tells that the process of a rank is gone, whether it has left or not. Any
// goroutine may call it.
func (s *Service) Ended(rank int) {
	s.ranks[rank].ended.Store(true)
	s.ring()
}

func (s *Service) ring() {
	s.bell.Add()
	s.bell.Wake()
}

// rest sleeps until somebody rings, unless somebody has since seen.
func (s *Service) rest(seen uint32) {
	for range spins {
		if s.bell.Load() != seen {
			return
		}
	}
	atomic.StoreUint64(s.asleep, 1)
	s.bell.Wait(seen, longestWait)
	atomic.StoreUint64(s.asleep, 0)
}

// spins is how often the service looks for a rank that gives the turn away before
// it sleeps: a rank that sends one message and waits has it for a few
// microseconds.
const spins = 2000

// collect takes what ranks have posted that have given the turn away, and reports
// whether the others need not be waited for.
func (s *Service) collect() bool {
	still := s.room[:0]
	for _, r := range s.out {
		m := &s.ranks[r]
		switch {
		case m.box.turn().Load() == turnService:
			if m.take() {
				still = append(still, r)
			}
		case m.ended.Load():
			m.leave()
		default:
			still = append(still, r)
		}
	}
	s.out, s.room = still, s.out
	return len(still) == 0 || s.cfg.Lax
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
			s.net.Step()
			continue
		}
		s.told = false
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
	if !s.told && s.present > 0 {
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
		m.box.turn().Set(turnRank)
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
	for m.found.Len() > 0 {
		m.s.release(m.found.Pop())
	}
}

// goOn has a rank that has given the turn away get it back at t, or at its own time
// if that is later.
func (m *member) goOn(t vtime.Time) {
	m.s.ready.Cancel(m.going)
	m.going = m.goes.At(max(t, m.at, m.s.ready.Now()), m, 0, 0)
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
	m.box.turn().Set(turnRank)
}
