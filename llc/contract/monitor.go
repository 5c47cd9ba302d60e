package contract

import (
	"fmt"
	"hash/maphash"
	"sync/atomic"
	"time"

	"rhinet/llc/ir"
)

// A Violation is a breach of one rule of the contract.
type Violation struct {
	Rank     int
	By       string // the NIC, or its caller
	Sentence string // name of the rule
	What     string
}

// Error says which side broke which rule.
func (v *Violation) Error() string {
	return fmt.Sprintf("rank %d: %s breaks the contract of ir.Translator (%s): %s", v.Rank, v.By, v.Sentence, v.What)
}

// Watch wraps t and calls report for the first breach, possibly with the port's lock held. The result has the
// abilities of t, except Lanes and Refuser.
func Watch(t ir.Translator, report func(error)) ir.Translator {
	return watch(t, nil, report)
}

// WatchAll wraps all translators of one network, in the order of their numbers.
func WatchAll(ts []ir.Translator, report func(error)) []ir.Translator {
	l := newLedger(len(ts))
	all := make([]ir.Translator, len(ts))
	for i, t := range ts {
		all[i] = watch(t, l, report)
	}
	return all
}

func watch(t ir.Translator, l *ledger, report func(error)) ir.Translator {
	m := &monitor{
		t: t, self: t.Self(), caps: capsOf(t), ledger: l, report: report, seed: maphash.MakeSeed(),
		ended: make([]bool, t.Peers()), due: map[uint64]due{}, tails: map[way][]uint64{}, writes: map[way]*account{}, watched: map[ir.Ring]int32{}, opened: map[int32]ir.Ring{},
	}
	if l != nil {
		m.seed = l.seed
	}
	a := ir.AbilitiesOf(t)
	m.router, m.ports = a.Router, 1
	if a.Injector != nil {
		m.ports = a.Injector.Ports()
	}
	if a.FlagArray != nil {
		a.FlagArray = &flagArray{m, a.FlagArray}
	}
	if a.Controller != nil {
		a.Controller = &controller{m, a.Controller}
	}
	if a.Aimer != nil {
		a.Aimer = &aimer{m, a.Aimer}
	}
	if a.Express != nil {
		a.Express = &express{m: m, x: a.Express}
	}
	a.Lanes = nil // what goes there is not seen
	if a.Reporter != nil {
		a.Reporter = &reporter{m, a.Reporter}
	}
	if a.Auditor != nil {
		a.Auditor = &auditor{m, a.Auditor}
	}
	a.Refuser = nil // only asked for below the monitor, where translators are composed
	return a.Give(m)
}

// capsOf returns the Caps of the NIC by which t reaches each peer.
func capsOf(t ir.Translator) (all []ir.Caps) {
	for peer := range t.Peers() {
		all = append(all, ir.CapsFor(t, peer))
	}
	return all
}

// A monitor is one wrapped translator. Except for the atomic fields it belongs to the goroutine that may call
// the translator.
type monitor struct {
	t      ir.Translator
	self   int
	ports  int       // injection ports, at least 1
	caps   []ir.Caps // of the NIC that reaches each peer
	router ir.Router // nil: one NIC reaches all
	ledger *ledger   // nil: wrapped alone
	report func(error)
	seed   maphash.Seed // of sums of payloads

	inside   atomic.Bool // a method runs
	sleeping atomic.Bool // Sleep runs
	armed    atomic.Bool
	looked   atomic.Bool // a Poll since Arm has found nothing
	broken   atomic.Bool // a breach has been reported
	closed   bool

	flying  []inFlight // Shared commands that may still be refused, oldest first
	due     map[uint64]due
	tails   map[way][]uint64 // ReadTails without answer: lines that were free for certain
	writes  map[way]*account
	ended   []bool            // peers whose end has been reported
	watched map[ir.Ring]int32 // own rings, and the writer of each
	opened  map[int32]ir.Ring // rings of peers that Open has named
	view    view
	empty   uint64 // Polls that found nothing
	quiet   int    // sleeps in a row without a ring and without an event
}

// A way is a packet ring of a peer, or its shared ring (NoRing).
type way struct {
	peer int32
	ring ir.Ring
}

// An inFlight is a Shared command that may still be refused.
type inFlight struct {
	peer  int32
	token uint64
	sleep uint64 // the peer's sleep during which it was posted; 0: none
}

// due is a command that has not been answered.
type due struct {
	op    ir.Op
	since uint64 // value of empty then
}

// An account is what this peer has written into a packet ring.
type account struct {
	lines, next uint64 // written, and data position after that
	slot, pos   uint64 // the latest tail
}

// A view is the payload of the packet that the latest Poll gave.
type view struct {
	data []byte
	sum  uint64
	from way
	held bool
}

var _ ir.Translator = (*monitor)(nil)

// breach reports a breach of a rule by the NIC. Only the first breach is reported: later ones may follow from
// it.
func (m *monitor) breach(sentence, format string, args ...any) {
	m.blame(m.t.Caps().Name, sentence, format, args...)
}

// misuse reports a breach of a rule by the caller.
func (m *monitor) misuse(sentence, format string, args ...any) {
	m.blame("the caller of "+m.t.Caps().Name, sentence, format, args...)
}

func (m *monitor) blame(by, sentence, format string, args ...any) {
	if !m.broken.Swap(true) {
		m.report(&Violation{m.self, by, sentence, fmt.Sprintf(format, args...)})
	}
}

// enter notes that a method begins; leave notes that it ends.
func (m *monitor) enter(method string) {
	if m.inside.Swap(true) {
		m.misuse("one at a time", "%s is called while another method runs", method)
	}
}

func (m *monitor) leave() { m.inside.Store(false) }

func (m *monitor) Self() int     { return m.self }
func (m *monitor) Peers() int    { return len(m.ended) }
func (m *monitor) Caps() ir.Caps { return m.t.Caps() }

func (m *monitor) Hint(peer int) {
	m.enter("Hint")
	m.t.Hint(peer)
	m.leave()
}

func (m *monitor) Arm() {
	m.enter("Arm")
	if m.armed.Swap(true) {
		m.misuse("sleep", "Arm is called twice without Disarm")
	}
	m.looked.Store(false)
	m.t.Arm()
	if m.ledger != nil {
		m.ledger.arm(m.self)
	}
	m.leave()
}

// Sleep runs without the port's lock: it touches atomic fields only.
func (m *monitor) Sleep(d time.Duration) {
	if m.sleeping.Swap(true) {
		m.misuse("sleep", "two goroutines sleep at once")
	}
	if !m.armed.Load() || !m.looked.Load() {
		m.misuse("sleep", "Sleep is called without Arm, or without a Poll after it that found nothing")
	}
	m.t.Sleep(d)
	m.sleeping.Store(false)
}

func (m *monitor) Disarm() (rung bool) {
	m.enter("Disarm")
	if !m.armed.Swap(false) {
		m.misuse("sleep", "Disarm is called without Arm")
	}
	var due cause
	if m.ledger != nil {
		due = m.ledger.disarm(m.self)
	}
	if rung = m.t.Disarm(); m.ledger != nil {
		m.ledger.slept(m.self, rung)
	}
	if !rung && due.what != "" {
		m.breach("wake", "nobody rang for %s", due)
	}
	m.rest(rung)
	m.leave()
	return rung
}

// longQuiet is the number of sleeps in a row without ring and event after which a missing answer is reported:
// each lasts at least a millisecond if no peer rings, and none of the NICs takes that long.
const longQuiet = 5000

// rest counts sleeps in which nothing happened.
func (m *monitor) rest(rung bool) {
	if m.quiet++; rung || len(m.due) == 0 {
		m.quiet = 0
	}
	if m.quiet >= longQuiet {
		m.missing("after %d sleeps without any event", m.quiet)
	}
}

// missing reports the answers that have not come.
func (m *monitor) missing(when string, args ...any) {
	for token, d := range m.due {
		if m.empty-d.since >= longWait {
			m.breach("answers", "the command with Op %d and token %#x has no answer %s", d.op, token, fmt.Sprintf(when, args...))
			return
		}
	}
}

func (m *monitor) Wake(peer int) {
	m.enter("Wake")
	var s uint64
	if m.ledger != nil {
		s = m.ledger.sleep(int32(peer))
	}
	if m.t.Wake(peer); m.ledger != nil {
		m.ledger.ring(int32(peer), s, m.self, "Wake")
	}
	m.leave()
}

// longWait is the number of Polls without an event that an answer may be late before it counts as missing
// when the translator is closed.
const longWait = 100

func (m *monitor) Close() error {
	m.enter("Close")
	if m.closed {
		m.misuse("close", "Close is called twice")
	}
	m.closed = true
	m.release()
	m.missing("at Close")
	err := m.t.Close()
	m.leave()
	return err
}
