package nictest

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/llc/contract"
	"rhinet/llc/ir"
)

// A twist breaks one translator in one way.
type twist struct {
	ir.Translator
	event func(t *twist, ev *ir.Event) // changes, adds or drops events
	post  func(t *twist, cmd *ir.Command)
	call  func(t *twist) // at every call but Poll
	arm   func(t *twist)
	later []ir.Event          // given first
	seen  map[string]ir.Event // memory of the breaker
	count int
	gone  bool // the event in hand is not given
}

func (t *twist) Poll(ev *ir.Event) bool {
	if len(t.later) > 0 {
		*ev = t.later[0]
		t.later = t.later[1:]
		return true
	}
	for {
		if !t.Translator.Poll(ev) {
			return false
		}
		if t.gone = false; t.event != nil {
			t.event(t, ev)
		}
		if !t.gone {
			return true
		}
	}
}

func (t *twist) Post(cmd *ir.Command) {
	if t.called(); t.post != nil {
		t.post(t, cmd)
		return
	}
	t.Translator.Post(cmd)
}

func (t *twist) called() {
	if t.call != nil {
		t.call(t)
	}
}

func (t *twist) Hint(peer int) { t.called(); t.Translator.Hint(peer) }
func (t *twist) Wake(peer int) { t.called(); t.Translator.Wake(peer) }

func (t *twist) Arm() {
	if t.called(); t.arm != nil {
		t.arm(t)
	}
	t.Translator.Arm()
}

// again has an event come again.
func (t *twist) again(ev *ir.Event) {
	t.later = append(t.later, *ev)
}

// kept makes an event's payload outlive its packet.
func kept(ev ir.Event) ir.Event {
	ev.Data = slices.Clone(ev.Data)
	return ev
}

// A flaw is one way to break the contract.
type flaw struct {
	name      string
	sentence  string // by which package contract reports it; "": only the suite sees it
	hooks     Hooks
	event     func(t *twist, ev *ir.Event)
	post      func(t *twist, cmd *ir.Command)
	call      func(t *twist)
	arm       func(t *twist)
	flagArray func(ir.FlagArray) ir.FlagArray
	consumed  func(slot, pos uint64) (uint64, uint64)
}

// kind returns a breaker of events of one kind.
func kind(k ir.Kind, do func(t *twist, ev *ir.Event)) func(t *twist, ev *ir.Event) {
	return func(t *twist, ev *ir.Event) {
		if ev.Kind == k {
			do(t, ev)
		}
	}
}

func drop(t *twist, _ *ir.Event) { t.gone = true }

func twice(t *twist, ev *ir.Event) { t.again(ev) }

// end returns a breaker of reports of a peer's end.
func end(do func(t *twist, ev *ir.Event)) func(t *twist, ev *ir.Event) {
	return kind(ir.Failed, func(t *twist, ev *ir.Event) {
		if ev.Token == 0 && errors.Is(ev.Err, ir.ErrPeerGone) {
			do(t, ev)
		}
	})
}

func mute(ops ...ir.Op) Hooks {
	return Hooks{Mute: func(_ int, op ir.Op) bool { return slices.Contains(ops, op) }}
}

var flaws = []flaw{
	// busy
	{name: "Busy behind another answer", sentence: "busy", event: kind(ir.Busy, func(t *twist, ev *ir.Event) {
		busy := *ev
		if t.Translator.Poll(ev) {
			t.later = append(t.later, busy)
		} else {
			*ev = busy
		}
	})},
	{name: "Busys in the wrong order", sentence: "busy", event: kind(ir.Busy, func(t *twist, ev *ir.Event) {
		var next ir.Event
		if t.Translator.Poll(&next) {
			t.later = append(t.later, *ev)
			*ev = next
		}
	})},
	{name: "no Busy", event: kind(ir.Busy, drop)},
	{name: "Busy twice", sentence: "busy", event: kind(ir.Busy, twice)},
	{name: "Busy with another token", sentence: "busy", event: kind(ir.Busy, func(_ *twist, ev *ir.Event) { ev.Token++ })},
	{name: "Busy of another peer", sentence: "busy", event: kind(ir.Busy, func(_ *twist, ev *ir.Event) { ev.Peer ^= 1 })},
	{name: "Busy though the packet went", sentence: "busy", post: func(t *twist, cmd *ir.Command) {
		t.Translator.Post(cmd)
		if t.count++; cmd.Op == ir.Shared && t.count == 3 {
			t.later = append(t.later, ir.Event{Kind: ir.Busy, Peer: cmd.Peer, Token: cmd.Token})
		}
	}},
	// answers
	{name: "an exposure answered twice", sentence: "answers", event: kind(ir.Exposed, twice)},
	{name: "a pull answered twice", sentence: "answers", event: kind(ir.Pulled, twice)},
	{name: "a refusal given twice", sentence: "answers", event: kind(ir.Failed, func(t *twist, ev *ir.Event) {
		if ev.Token != 0 {
			t.again(ev)
		}
	})},
	{name: "no answer to a push", event: kind(ir.Pushed, drop)},
	{name: "no answer to a swap", event: kind(ir.Swapped, drop)},
	{name: "no answer to what is refused", event: kind(ir.Failed, func(t *twist, ev *ir.Event) { t.gone = ev.Token != 0 })},
	{name: "an answer with another token", sentence: "answers", event: kind(ir.Pushed, func(_ *twist, ev *ir.Event) { ev.Token += 1 << 20 })},
	{name: "an answer of another kind", sentence: "answers", event: kind(ir.Pulled, func(_ *twist, ev *ir.Event) { ev.Kind = ir.Pushed })},
	{name: "an exposure without a segment", sentence: "answers", event: kind(ir.Exposed, func(_ *twist, ev *ir.Event) { ev.Segment = 0 })},
	{name: "a refusal without a cause", sentence: "answers", event: kind(ir.Failed, func(_ *twist, ev *ir.Event) { ev.Err = nil })},
	{name: "an event of no kind", sentence: "answers", event: kind(ir.Exposed, func(_ *twist, ev *ir.Event) { ev.Kind = ir.NumKinds })},
	{name: "an answer to what was not asked", sentence: "answers", post: func(t *twist, cmd *ir.Command) {
		if t.Translator.Post(cmd); cmd.Op == ir.Packet {
			t.later = append(t.later, ir.Event{Kind: ir.Pulled, Token: 1 << 40})
		}
	}},
	{name: "a swap on the own words refused", post: func(t *twist, cmd *ir.Command) {
		if cmd.Op == ir.Swap && int(cmd.Peer) == t.Self() {
			t.later = append(t.later, ir.Event{Kind: ir.Failed, Token: cmd.Token, Err: ErrRefused})
			return
		}
		t.Translator.Post(cmd)
	}},
	// tail
	{name: "no tail", event: kind(ir.Tail, drop)},
	{name: "a tail that nobody asked for", sentence: "answers", event: kind(ir.Tail, twice)},
	{name: "a tail that counts the packet in use", sentence: "tail", event: kind(ir.Tail, func(_ *twist, ev *ir.Event) { ev.Slot++ })},
	{name: "a tail that stays behind", sentence: "tail", event: kind(ir.Tail, func(_ *twist, ev *ir.Event) { ev.Slot, ev.Pos = 0, 0 })},
	{name: "a tail beyond what was written", sentence: "tail", event: kind(ir.Tail, func(_ *twist, ev *ir.Event) { ev.Pos += 1 << 30 })},
	{name: "a tail of another ring", sentence: "answers", event: kind(ir.Tail, func(_ *twist, ev *ir.Event) { ev.Ring++ })},
	{name: "Consumed that counts the packet in use", sentence: "tail", consumed: func(slot, pos uint64) (uint64, uint64) { return slot + 1, pos }},
	{name: "Consumed that stays behind", sentence: "tail", consumed: func(uint64, uint64) (uint64, uint64) { return 0, 0 }},
	{name: "Consumed beyond what was written", sentence: "tail", consumed: func(slot, pos uint64) (uint64, uint64) { return slot, pos + 1<<30 }},
	// order
	{name: "two packets in the wrong order", sentence: "order", event: kind(ir.Arrived, func(t *twist, ev *ir.Event) {
		first := kept(*ev)
		var next ir.Event
		if !t.Translator.Poll(&next) {
			*ev = first
			return
		}
		*ev = kept(next)
		t.later = append(t.later, first)
	})},
	{name: "a packet lost", sentence: "wake", event: kind(ir.Arrived, func(t *twist, _ *ir.Event) {
		t.count++
		t.gone = t.count%8 == 5
	})},
	{name: "a packet twice", sentence: "order", event: kind(ir.Arrived, func(t *twist, ev *ir.Event) {
		*ev = kept(*ev)
		t.again(ev)
	})},
	{name: "a byte changed", sentence: "order", event: kind(ir.Arrived, func(_ *twist, ev *ir.Event) {
		if *ev = kept(*ev); len(ev.Data) > 50 {
			ev.Data[50]++
		}
	})},
	{name: "a payload cut short", sentence: "order", event: kind(ir.Arrived, func(_ *twist, ev *ir.Event) {
		ev.Data = ev.Data[:max(0, len(ev.Data)-1)]
	})},
	{name: "a payload and its length cut short", sentence: "order", event: kind(ir.Arrived, func(_ *twist, ev *ir.Event) {
		ev.Data = ev.Data[:max(0, len(ev.Data)-1)]
		ev.Header.Length = uint32(len(ev.Data))
	})},
	{name: "a tag changed", sentence: "order", event: kind(ir.Arrived, func(_ *twist, ev *ir.Event) { ev.Header.Tag ^= 1 << 30 })},
	{name: "a packet of another peer", sentence: "order", event: kind(ir.Arrived, func(t *twist, ev *ir.Event) { ev.Peer = int32(t.Peers()) - 1 - ev.Peer })},
	{name: "a packet of a ring as a shared one", sentence: "order", event: kind(ir.Arrived, func(_ *twist, ev *ir.Event) { ev.Ring = ir.NoRing })},
	{name: "a shared packet as one of a ring", sentence: "order", event: kind(ir.Arrived, func(_ *twist, ev *ir.Event) { ev.Ring = 0 })},
	{name: "packets before Watch are lost", event: func(t *twist, ev *ir.Event) {}, post: func(t *twist, cmd *ir.Command) {
		if cmd.Op == ir.Packet && t.count == 0 && cmd.Slot == 0 && len(cmd.Data) == 10 {
			t.count++
			return
		}
		t.Translator.Post(cmd)
	}},
	// view
	{name: "a payload that changes at the next call", sentence: "view", event: kind(ir.Arrived, func(t *twist, ev *ir.Event) {
		t.seen = map[string]ir.Event{"view": *ev}
	}), call: func(t *twist) {
		for _, ev := range t.seen {
			for i := range ev.Data {
				ev.Data[i]++
			}
		}
		t.seen = nil
	}},
	// end
	{name: "an end that is not reported", event: end(drop)},
	{name: "an end reported twice", sentence: "end", event: end(twice)},
	{name: "an end of the next peer", sentence: "", event: end(func(t *twist, ev *ir.Event) { ev.Peer = (ev.Peer + 1) % int32(t.Peers()) })},
	{name: "an end with the token of the command", sentence: "answers", post: func(t *twist, cmd *ir.Command) {
		t.count = int(cmd.Token)
		t.Translator.Post(cmd)
	}, event: end(func(t *twist, ev *ir.Event) { ev.Token = uint64(t.count) })},
	{name: "an end that is no ErrPeerGone", event: end(func(_ *twist, ev *ir.Event) { ev.Err = ErrRefused })},
	{name: "the own end", sentence: "end", event: end(func(t *twist, ev *ir.Event) { ev.Peer = int32(t.Self()) })},
	{name: "packets after the end", sentence: "end", event: func(t *twist, ev *ir.Event) {
		if ev.Kind == ir.Arrived && ev.Peer == 2 {
			if t.count > 0 {
				ev.Peer = 1
			}
		} else if ev.Kind == ir.Failed && ev.Token == 0 && ev.Peer == 1 {
			t.count++
		}
	}},
	{name: "a refused Conceal as the end of a peer", post: func(t *twist, cmd *ir.Command) {
		if cmd.Op == ir.Conceal && cmd.Segment == 12345 {
			t.later = append(t.later, ir.Event{Kind: ir.Failed, Peer: cmd.Peer, Err: ir.ErrPeerGone})
		}
		t.Translator.Post(cmd)
	}},
	// wake
	{name: "a packet that rings for nobody", sentence: "wake", hooks: mute(ir.Packet)},
	{name: "a shared packet that rings for nobody", sentence: "wake", hooks: mute(ir.Shared)},
	{name: "Wake that rings for nobody", sentence: "wake", hooks: mute(0)},
	{name: "a flag that rings for nobody", sentence: "wake", hooks: mute(ir.NumOps)},
	{name: "a Poll after Arm that does not look everywhere", sentence: "wake", hooks: Hooks{Blind: true}},
	{name: "a Poll after Arm that finds nothing", sentence: "wake", arm: func(t *twist) { t.count = 1 }, event: kind(ir.Arrived, func(t *twist, ev *ir.Event) {
		if t.count == 1 {
			t.again(ev)
			t.gone = true
		}
		t.count = 0
	})},
	// memory
	{name: "a pull beyond the end", post: func(t *twist, cmd *ir.Command) {
		if cmd.Op == ir.Pull && cmd.Offset == 4096 {
			t.later = append(t.later, ir.Event{Kind: ir.Pulled, Token: cmd.Token})
			return
		}
		t.Translator.Post(cmd)
	}},
	{name: "Conceal without effect", post: func(t *twist, cmd *ir.Command) {
		if cmd.Op != ir.Conceal {
			t.Translator.Post(cmd)
		}
	}},
	{name: "a pull of other bytes", event: func(*twist, *ir.Event) {}, post: func(t *twist, cmd *ir.Command) {
		if t.Translator.Post(cmd); cmd.Op == ir.Pull && len(cmd.Data) > 4000 {
			cmd.Data[4000]++
		}
	}},
	{name: "blocks pulled as one piece", post: func(t *twist, cmd *ir.Command) {
		c := *cmd
		if c.Op == ir.Pull && c.Move != nil && c.Move.Bytes > 1 {
			c.Data, c.Move = c.Data[:c.Move.Bytes], nil
		}
		t.Translator.Post(&c)
	}},
	{name: "blocks pushed without what lies between", post: func(t *twist, cmd *ir.Command) {
		c := *cmd
		if c.Op == ir.Push && c.Move != nil {
			m := *c.Move
			m.Their.Stride = m.Their.Block
			c.Move = &m
		}
		t.Translator.Post(&c)
	}},
	{name: "blocks beyond the end", post: func(t *twist, cmd *ir.Command) {
		if cmd.Move != nil && cmd.Move.There == 1024 {
			kind := ir.Pulled
			if cmd.Op == ir.Push {
				kind = ir.Pushed
			}
			t.later = append(t.later, ir.Event{Kind: kind, Token: cmd.Token})
			return
		}
		t.Translator.Post(cmd)
	}},
	{name: "a swap that never fails", event: kind(ir.Swapped, func(t *twist, ev *ir.Event) { ev.Old = 0 })},
	// cost
	{name: "a Post that allocates", post: func(t *twist, cmd *ir.Command) {
		t.seen = map[string]ir.Event{"": {Token: cmd.Token}}
		t.Translator.Post(cmd)
	}},
	// flags
	{name: "a flag that is up before", sentence: "flags", flagArray: func(b ir.FlagArray) ir.FlagArray { return &wrongFlagArray{FlagArray: b, early: true} }},
	{name: "a flag that is never up", flagArray: func(b ir.FlagArray) ir.FlagArray { return &wrongFlagArray{FlagArray: b, never: true} }},
	{name: "a flag with other bytes", sentence: "flags", flagArray: func(b ir.FlagArray) ir.FlagArray { return &wrongFlagArray{FlagArray: b, spoil: true} }},
}

// A wrongFlagArray breaks the flag array of a translator.
type wrongFlagArray struct {
	ir.FlagArray
	early, never, spoil bool
}

func (b *wrongFlagArray) Raised(peer, n int, seq uint32, data []byte) (mark uint32, up bool) {
	mark, up = b.FlagArray.Raised(peer, n, seq, data)
	if b.spoil && up && len(data) > 0 {
		data[0]++
	}
	return mark, up && !b.never || b.early
}

// A wrongExpress has its own idea of what is consumed.
type wrongExpress struct {
	ir.Express
	consumed func(slot, pos uint64) (uint64, uint64)
}

func (x *wrongExpress) Consumed(peer int) (slot, pos uint64, ok bool) {
	slot, pos, ok = x.Express.Consumed(peer)
	slot, pos = x.consumed(slot, pos)
	return slot, pos, ok
}

// open returns a network whose translators all have the flaw.
func (f *flaw) open(_ testing.TB, peers int) []ir.Translator {
	caps := DefaultCaps()
	caps.Rings = 8 // more than are looked at in every pass
	ts := LoopbackWith(peers, caps, f.hooks)
	for i, t := range ts {
		a := ir.AbilitiesOf(t)
		if f.flagArray != nil {
			a.FlagArray = f.flagArray(a.FlagArray)
		}
		if f.consumed != nil {
			a.Express = &wrongExpress{a.Express, f.consumed}
		}
		ts[i] = a.Give(&twist{Translator: t, event: f.event, post: f.post, call: f.call, arm: f.arm})
	}
	return ts
}

// A quietTB is a test that may fail.
type quietTB struct {
	testing.TB
	failed []string
}

func (q *quietTB) Helper()                      {}
func (q *quietTB) Error(args ...any)            { q.failed = append(q.failed, fmt.Sprint(args...)) }
func (q *quietTB) Errorf(f string, args ...any) { q.failed = append(q.failed, fmt.Sprintf(f, args...)) }
func (q *quietTB) Fatal(args ...any)            { q.Error(args...); runtime.Goexit() }
func (q *quietTB) Fatalf(f string, args ...any) { q.Errorf(f, args...); runtime.Goexit() }
func (q *quietTB) Skip(...any)                  { runtime.Goexit() }

// try runs one trial on a network with a flaw, and returns what the suite and what
// package contract found.
func try(c *trial, f *flaw, wait time.Duration) (suite, broken []string) {
	q := &quietTB{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				q.Error(v)
			}
		}()
		c.run(q, f.open, wait, func(err error) {
			v := new(contract.Violation)
			errors.As(err, &v)
			broken = append(broken, v.Sentence)
		})
	}()
	<-done
	return q.failed, broken
}

// TestBrokenTranslatorsAreFound runs the suite on translators each of which breaks the contract in one way.
// The suite itself must find it, and package contract must report the rule that the flaw names. A short run takes a
// fifth of them.
func TestBrokenTranslatorsAreFound(t *testing.T) {
	for i := range flaws {
		f := &flaws[i]
		if testing.Short() && i%5 > 0 {
			continue // each runs in one goroutine, for seconds under the race detector
		}
		t.Run(f.name, func(t *testing.T) {
			found, named := "", f.sentence == ""
			for _, c := range suite() {
				if c.name == "concurrent" {
					continue // several goroutines: one that finds something must not end
				}
				failed, broken := try(&c, f, 40*time.Millisecond)
				if failed = append(failed, broken...); len(failed) > 0 && found == "" {
					found = c.name + ": " + failed[0]
				}
				named = named || slices.Contains(broken, f.sentence)
				if found != "" && named {
					t.Logf("%.150s", strings.ReplaceAll(found, "\n", " "))
					return
				}
			}
			if found == "" {
				t.Error("the suite passes")
			}
			if !named {
				t.Errorf("package contract does not report %q", f.sentence)
			}
		})
	}
}

// TestNoFlaw: a table entry that breaks nothing leads to no finding.
func TestNoFlaw(t *testing.T) {
	for _, c := range suite() {
		failed, broken := try(&c, &flaw{}, patience)
		if len(failed)+len(broken) > 0 && c.name != "concurrent" {
			t.Errorf("%s: %v %v", c.name, failed, broken)
		}
	}
}
