package pmi

import (
	"testing"
	"time"
)

func TestStates(t *testing.T) {
	for s, want := range map[State]string{
		Outside: "not in MPI", Computing: "computing", Waiting: "waiting", Aborted: "aborted", Finalized: "finalized", 99: "state 99",
	} {
		if s.String() != want {
			t.Errorf("%d is %q", s, s)
		}
	}
}

func TestWhatIsPlausibleStays(t *testing.T) {
	for _, s := range []Status{
		{}, {State: Computing, Lost: 2}, {State: Finalized}, {State: Aborted, Lost: 1},
		{State: Computing, World: true}, {State: Waiting, Wait: Wait{Call: "Recv"}, World: true},
		{State: Waiting, Wait: Wait{Call: "Recv", Tag: 7, Bytes: 64, Context: 3}, Since: 12, Lost: 2},
		{State: Waiting, Wait: Wait{Call: "Allreduce", Peer: NoPeer, Tag: NoTag, Bytes: NoBytes, Collective: Collective{Team: 1, Turn: 2, Sign: 3}}},
		{State: Waiting, Wait: Wait{Call: "Lock", Peer: 1, Tag: NoTag, Bytes: NoBytes, Taken: "/src/a-b_c/main.go:17"}},
		{State: Waiting, Wait: Wait{Call: "Start", Note: "window \"a b\" #1, é", Peer: 1, Tag: NoTag}},
		{State: Waiting, Wait: Wait{Call: "Recv", Unmatched: Unmatched{Messages: 3, First: 1, MessagesTag: 7}}},
		{State: Waiting, Wait: Wait{Call: "Probe", Peer: AnyPeer, Tag: AnyTag, Bytes: 1 << 50}},
	} {
		if got := s.Plausible(2); got != s {
			t.Errorf("%+v becomes %+v", s, got)
		}
	}
}

// A rank may report waits that are impossible.
func TestWhatCannotBeIsLeftOut(t *testing.T) {
	in := func(w Wait) Wait {
		return Status{State: Waiting, Wait: w}.Plausible(2).Wait
	}
	for _, call := range []string{"", "\x1b[2J", "Recv\n", "Recv 3", "\xff\xfe", "a\u0301"} {
		if w := in(Wait{Call: call}); w.Call != unnamed {
			t.Errorf("%q becomes %q", call, w.Call)
		}
	}
	for from, to := range map[int]int{AnyPeer: AnyPeer, NoPeer: NoPeer, -7: NoPeer, 1: 1, 2: NoPeer, 1<<31 - 1: NoPeer} {
		if w := in(Wait{Call: "Recv", Peer: from}); w.Peer != to {
			t.Errorf("peer %d becomes %d", from, w.Peer)
		}
	}
	if w := in(Wait{Call: "Recv", Tag: -7, Bytes: 1<<63 - 1}); w.Call != "Recv" || w.Tag != NoTag || w.Bytes != NoBytes {
		t.Errorf("got %+v", w)
	}
	if w := in(Wait{Call: "Recv", Bytes: -5}); w.Bytes != NoBytes {
		t.Errorf("got %+v", w)
	}
	for _, w := range []Wait{{Call: "Lock", Taken: "a\nb"}, {Call: "Lock", Taken: "a b"}, {Call: "Lock", Taken: "\x1b"}, {Call: "Lock", Peer: NoPeer, Taken: "main.go:1"},
		{Call: "Lock", Collective: Collective{Holder: new(Holder)}}} {
		if w := in(w); w.Taken != "" || w.Holder != nil {
			t.Errorf("got %+v", w)
		}
	}
	for from, to := range map[string]string{"a\nb": "ab", "\x1b[2J": "[2J", "\xffc": "c", "\u202e": ""} {
		if w := in(Wait{Call: "Recv", Note: from}); w.Note != to {
			t.Errorf("note %q becomes %q", from, w.Note)
		}
	}
	for _, u := range []Unmatched{{Messages: -1}, {Messages: 1, First: 2}, {Messages: 1, First: -1}, {Messages: 1, MessagesTag: -1}, {First: 1}} {
		if w := in(Wait{Call: "Recv", Unmatched: u}); w.Unmatched != (Unmatched{}) {
			t.Errorf("%+v becomes %+v", u, w.Unmatched)
		}
	}
	call := Wait{Call: "Recv", Peer: 1}
	for from, to := range map[Status]Status{
		{State: 99, Wait: call, Since: 5}:           {},
		{State: Outside, Wait: call, Since: 5}:      {},
		{State: Finalized, Wait: call, Since: 5}:    {State: Finalized},
		{State: Computing, Wait: call, Lost: 3}:     {State: Computing},
		{State: Computing, Lost: -1}:                {State: Computing},
		{State: 99, Lost: 2}:                        {Lost: 2},
		{State: Aborted, Wait: call, Lost: 1 << 40}: {State: Aborted},
	} {
		if got := from.Plausible(2); got != to {
			t.Errorf("%+v becomes %+v", from, got)
		}
	}
}

func TestNotesOfHolders(t *testing.T) {
	for h, want := range map[Holder]string{
		{}:                                   "",
		{Peer: 3, Taken: "a.go:1"}:           "",
		{Peer: NoPeer, Sharers: 1}:           "1 rank shares it",
		{Peer: NoPeer, Sharers: 12}:          "12 ranks share it",
		{Peer: NoPeer, Missing: "no Pready"}: "no Pready",
	} {
		if got := h.Note(); got != want {
			t.Errorf("%+v: %q, want %q", h, got, want)
		}
		behind := "window world.win1"
		if want != "" {
			behind += ", " + want
		}
		if h.Behind("") != want || h.Behind("window world.win1") != behind {
			t.Errorf("%+v: %q and %q", h, h.Behind(""), h.Behind("window world.win1"))
		}
	}
}

func TestHowLongAWaitLasts(t *testing.T) {
	now := time.Now()
	begin := now.Add(-time.Minute)
	for what, since := range map[string]time.Time{
		"in the future": now.Add(time.Hour), "before the job": begin.Add(-time.Second), "never": time.Unix(0, 0), "long ago": time.Unix(0, -1<<63),
	} {
		s := Status{State: Waiting, Since: since.UnixNano()}
		if d := s.Waited(begin, now); d != 0 {
			t.Errorf("%s: %v", what, d)
		}
	}
	s := Status{State: Waiting, Since: now.Add(-time.Second).UnixNano()}
	if d := s.Waited(begin, now); d != time.Second {
		t.Errorf("%v of a second", d)
	}
	if s.State = Computing; s.Waited(begin, now) != 0 {
		t.Error("a rank that computes waits")
	}
}
