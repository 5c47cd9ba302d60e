package contract_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rhinet/internal/strided"
	"rhinet/llc/contract"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// watched returns a watched loopback network, and the errors found.
func watched(peers int) (ts []ir.Translator, found *[]error) {
	found = new([]error)
	caps := nictest.DefaultCaps()
	caps.Slots, caps.Bytes = 2, 1024
	return contract.WatchAll(nictest.Loopback(peers, caps), func(err error) { *found = append(*found, err) }), found
}

// TestCallers: what the caller of a translator must not do. What NICs must not do is in the table of package
// nictest.
func TestCallers(t *testing.T) {
	packet := func(slot, pos uint64, n int) *ir.Command {
		return &ir.Command{Op: ir.Packet, Peer: 1, Slot: slot, Pos: pos, Header: ir.Header{Kind: 1}, Data: make([]byte, n)}
	}
	for _, c := range []struct {
		name, want string
		do         func(a ir.Translator)
	}{
		{"no packet twice in a line", "(room): a packet of 0 bytes to peer 1 goes to line 0", func(a ir.Translator) {
			a.Post(packet(0, 0, 0))
			a.Post(packet(0, 0, 0))
		}},
		{"no line left out", "(room)", func(a ir.Translator) { a.Post(packet(1, 0, 0)) }},
		{"no other place", "(room)", func(a ir.Translator) { a.Post(packet(0, 64, 120)) }},
		{"no more lines than there are", "has no room in ring 0", func(a ir.Translator) {
			for i := range uint64(3) {
				a.Post(packet(i, 0, 0))
			}
		}},
		{"no more data than there is room", "has no room in ring 0", func(a ir.Translator) {
			a.Post(packet(0, 0, 600))
			a.Post(packet(1, 1024, 600))
		}},
		{"no packet in pieces in another place", "(room): a packet of 600 bytes to peer 1 goes to line 0, position 64", func(a ir.Translator) {
			a.Post(&ir.Command{Op: ir.Packet, Peer: 1, Pos: 64, Header: ir.Header{Kind: 1, Length: 600}, Body: zeros{}})
		}},
		{"no token twice", "(answers): token 0x5", func(a ir.Translator) {
			a.Post(&ir.Command{Op: ir.Expose, Token: 5})
			a.Post(&ir.Command{Op: ir.Swap, Token: 5})
		}},
		{"no token 0", "(answers): token 0x0", func(a ir.Translator) { a.Post(&ir.Command{Op: ir.Expose}) }},
		{"no packet before the one before went", "(busy): packet 0x2 to peer 1", func(a ir.Translator) {
			a.Post(&ir.Command{Op: ir.Shared, Peer: 1, Token: 1})
			a.Post(&ir.Command{Op: ir.Shared, Peer: 1, Token: 2})
		}},
		{"no blocks that this side does not have", "(blocks): Op 8 moves", func(a ir.Translator) {
			m := strided.Move{Bytes: 16, Mine: strided.Blocks{Block: 8, Stride: 10}}
			a.Post(&ir.Command{Op: ir.Pull, Peer: 1, Token: 1, Data: make([]byte, 17), Move: &m})
		}},
		{"no sleep without Arm", "(sleep)", func(a ir.Translator) { a.Sleep(1) }},
		{"no sleep without a look", "(sleep)", func(a ir.Translator) { a.Arm(); a.Sleep(1) }},
		{"no Arm twice", "(sleep)", func(a ir.Translator) { a.Arm(); a.Arm() }},
		{"no Disarm without Arm", "(sleep)", func(a ir.Translator) { a.Disarm() }},
		{"no flag 0", "(flags)", func(a ir.Translator) { ir.AbilitiesOf(a).FlagArray.Raise(nil, 0, 0, 0, nil) }},
		{"no flag too long", "(flags)", func(a ir.Translator) { ir.AbilitiesOf(a).FlagArray.Raise(nil, 0, 1, 0, make([]byte, ir.FlagBytes+1)) }},
		{"no long packet in the lane to another place", "(room): a packet of 105 bytes to peer 1 goes to line 0, position 64", func(a ir.Translator) {
			a.Post(&ir.Command{Op: ir.Open, Peer: 1})
			ir.AbilitiesOf(a).Express.Place(1, 0, 64, new([3]uint64), make([]byte, ir.Short+1))
		}},
		{"no packet in the lane to a ring without a name", "(express): a packet is placed for peer 1, whose ring no command has named", func(a ir.Translator) {
			ir.AbilitiesOf(a).Express.Place(1, 0, 0, new([3]uint64), nil)
		}},
		{"nothing consumed of a ring without a name", "(express): Consumed asks for peer 1, whose ring no command has named", func(a ir.Translator) {
			ir.AbilitiesOf(a).Express.Consumed(1)
		}},
		{"no Close twice", "(close)", func(a ir.Translator) { a.Close(); a.Close() }},
		{"no Post after Close", "(close)", func(a ir.Translator) { a.Close(); a.Post(&ir.Command{Op: ir.Expose, Token: 1}) }},
	} {
		ts, found := watched(2)
		func() {
			defer func() { _ = recover() }() // the loopback may panic on nonsense
			c.do(ts[0])
		}()
		if len(*found) != 1 || !strings.Contains((*found)[0].Error(), c.want) || !strings.HasPrefix((*found)[0].Error(), "rank 0: the caller of loopback breaks the contract of ir.Translator (") {
			t.Errorf("%s: want %q, got %v", c.name, c.want, *found)
		}
	}
}

// zeros is a noncontiguous message.
type zeros struct{}

func (zeros) Gather(dst []byte, off int) { clear(dst) }

// TestNoPieces: a packet that is to be gathered goes only to a NIC that gathers.
func TestNoPieces(t *testing.T) {
	for _, gathers := range []bool{true, false} {
		caps := nictest.DefaultCaps()
		caps.Gathers = gathers
		var found []error
		ts := contract.WatchAll(nictest.Loopback(2, caps), func(err error) { found = append(found, err) })
		func() {
			defer func() { _ = recover() }() // what the loopback says to it
			ts[0].Post(&ir.Command{Op: ir.Packet, Peer: 1, Header: ir.Header{Kind: 1, Length: 100}, Body: zeros{}})
		}()
		if gathers && found != nil || !gathers && (len(found) != 1 || !strings.Contains(found[0].Error(), "(pieces): a packet of 100 bytes to peer 1 is in pieces")) {
			t.Error(gathers, found)
		}
	}
}

// TestNoBlocks: blocks go only to a NIC that moves them; a Move left in commands that move nothing is
// ignored.
func TestNoBlocks(t *testing.T) {
	caps := nictest.DefaultCaps()
	caps.Blocks = 0
	m := &strided.Move{Bytes: 16, Mine: strided.Blocks{Block: 8, Stride: 10}}
	for _, op := range []ir.Op{ir.Pull, ir.Push} {
		var found []error
		ts := contract.WatchAll(nictest.Loopback(2, caps), func(err error) { found = append(found, err) })
		if ts[0].Post(&ir.Command{Op: ir.Swap, Peer: 1, Token: 1, Move: m}); found != nil {
			t.Fatal(found)
		}
		ts[0].Post(&ir.Command{Op: op, Peer: 1, Token: 2, Data: make([]byte, 18), Move: m})
		if len(found) != 1 || !strings.Contains(found[0].Error(), "(blocks): Op") || !strings.Contains(found[0].Error(), "has a Move, to peer 1") {
			t.Error(op, found)
		}
	}
}

// TestTakeOnce: what Look has found is taken once.
func TestTakeOnce(t *testing.T) {
	ts, found := watched(2)
	ts[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
	ts[0].Post(&ir.Command{Op: ir.Packet, Peer: 1, Header: ir.Header{Kind: 1}})
	x := ir.AbilitiesOf(ts[1]).Express
	if !x.Look(0, new(ir.View)) {
		t.Fatal("Look finds nothing")
	}
	if x.Take(); *found != nil {
		t.Fatal(*found)
	}
	x.Take()
	if len(*found) != 1 || !strings.Contains((*found)[0].Error(), "(express): Take is called although the latest Look found nothing, or twice") {
		t.Error(*found)
	}
}

// stuck is a translator in which a call does not return, or has no answer.
type stuck struct {
	ir.Translator
	begun, end chan struct{}
}

func (s *stuck) Hint(int)              { s.begun <- struct{}{}; <-s.end }
func (s *stuck) Post(*ir.Command)      {}
func (s *stuck) Poll(*ir.Event) bool   { return false }
func (s *stuck) Arm()                  {}
func (s *stuck) Disarm() (rung bool)   { return false }
func (s *stuck) Sleep(d time.Duration) { s.begun <- struct{}{}; <-s.end }

func newStuck(found *[]error) (ir.Translator, *stuck) {
	s := &stuck{nictest.Loopback(2, nictest.DefaultCaps())[0], make(chan struct{}), make(chan struct{})}
	return contract.Watch(s, func(err error) { *found = append(*found, err) }), s
}

// TestOneAtATime: two goroutines in one translator are found; a goroutine that sleeps beside does not count.
func TestOneAtATime(t *testing.T) {
	var found []error
	tr, s := newStuck(&found)
	tr.Arm()
	tr.Poll(new(ir.Event))
	go tr.Sleep(1)
	<-s.begun
	go tr.Hint(0)
	<-s.begun
	if found != nil {
		t.Fatal(found)
	}
	tr.Wake(1)
	if len(found) != 1 || !strings.Contains(found[0].Error(), "(one at a time): Wake is called while another method runs") {
		t.Error(found)
	}
	close(s.end)
}

// TestMissingAnswers: an answer that never comes is noticed when the NIC is closed, and after a very long
// time of sleep.
func TestMissingAnswers(t *testing.T) {
	for name, wait := range map[string]func(tr ir.Translator){
		"at Close": func(tr ir.Translator) {
			for range 100 {
				tr.Poll(new(ir.Event))
			}
			tr.Close()
		},
		"sleeps": func(tr ir.Translator) {
			for range 5000 {
				tr.Arm()
				tr.Poll(new(ir.Event))
				tr.Disarm()
			}
		},
	} {
		var found []error
		tr, _ := newStuck(&found)
		tr.Post(&ir.Command{Op: ir.Pull, Peer: 1, Token: 77})
		tr.Poll(new(ir.Event))
		if found != nil {
			t.Fatal(found)
		}
		wait(tr)
		if len(found) != 1 || !strings.Contains(found[0].Error(), fmt.Sprintf("Op %d and token 0x4d has no answer", ir.Pull)) || !strings.Contains(found[0].Error(), name) {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestAbilitiesStay: a wrapped translator keeps its abilities.
func TestAbilitiesStay(t *testing.T) {
	for _, hooks := range []nictest.Hooks{{}, {NoFlagArray: true}} {
		inner := nictest.LoopbackWith(2, nictest.DefaultCaps(), hooks)[0]
		want, got := ir.AbilitiesOf(inner), ir.AbilitiesOf(contract.Watch(inner, nil))
		if (want.FlagArray == nil) != (got.FlagArray == nil) || got.Aimer != nil || got.Reporter != nil || got.Announcer != nil {
			t.Errorf("%+v became %+v", want, got)
		}
	}
}

// able is a translator that reports and audits, and counts the calls.
type able struct {
	ir.Translator
	calls string
}

func (a *able) Report(ir.Waiting) { a.calls += "report " }
func (a *able) Clear()            { a.calls += "clear " }
func (a *able) Finish()           { a.calls += "finish " }
func (a *able) Audit()            { a.calls += "audit " }

// TestAbilitiesArePassedOn: each call of the wrapper reaches the translator once.
func TestAbilitiesArePassedOn(t *testing.T) {
	inner := &able{Translator: nictest.Loopback(2, nictest.DefaultCaps())[0]}
	a := ir.AbilitiesOf(contract.Watch(inner, func(err error) { t.Error(err) }))
	a.Reporter.Report(ir.Waiting{})
	a.Reporter.Clear()
	a.Reporter.Finish()
	a.Auditor.Audit()
	if want := "report clear finish audit "; inner.calls != want {
		t.Errorf("calls: %q, want %q", inner.calls, want)
	}
}

func TestViolationIsAnError(t *testing.T) {
	err := fmt.Errorf("wrapped: %w", &contract.Violation{Rank: 3, By: "martini", Sentence: "busy", What: "late"})
	if v := new(contract.Violation); !errors.As(err, &v) || v.Error() != "rank 3: martini breaks the contract of ir.Translator (busy): late" {
		t.Error(err)
	}
}

// TestPollOfSleeperAllocatesNothing: tests that count the allocations of calls run under the checker, also when
// a packet comes just before its reader sleeps.
func TestPollOfSleeperAllocatesNothing(t *testing.T) {
	const polls = 100 // and one before they count
	caps := nictest.DefaultCaps()
	caps.Slots = 128
	ts := contract.WatchAll(nictest.Loopback(2, caps), func(err error) { t.Error(err) })
	ts[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
	cmd := &ir.Command{Op: ir.Packet, Peer: 1, Header: ir.Header{Kind: 1}}
	var ev ir.Event
	if n := testing.AllocsPerRun(polls, func() {
		ts[0].Post(cmd)
		cmd.Slot++
		ts[1].Arm()
		if !ts[1].Poll(&ev) || ts[1].Poll(&ev) {
			t.Error("a Poll after Arm finds no packet, or two")
		}
		ts[1].Disarm()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
