package port

import (
	"sync"
	"sync/atomic"
	"testing"

	"rhinet/internal/pmi"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// What a holder adds to a report is behind the note of the wait, and follows it while it changes.
func TestReportsFollowTheHolder(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	ps := openNICs(t, []ir.Translator{rep, nics[1]})
	type stage struct {
		holder ir.Holder
		note   string
	}
	for call, stages := range map[string][]stage{
		"Lock target 1": {
			{ir.Holder{Peer: ir.NoPeer, Sharers: 2}, "target 1, 2 ranks share it"},
			{ir.Holder{Peer: ir.NoPeer, Sharers: 1}, "target 1, 1 rank shares it"},
			{ir.Holder{Peer: 1}, "target 1"},
		},
		"Wait": {
			{ir.Holder{Peer: ir.NoPeer, Missing: "no Pready of 3,4"}, "no Pready of 3,4"},
			{ir.Holder{Peer: ir.NoPeer, Missing: "no Pready of 4"}, "no Pready of 4"},
		},
	} {
		var at atomic.Int32
		held := ir.Collective{Holder: new(ir.Holder)}
		var wg sync.WaitGroup
		wg.Go(func() {
			ps[0].AwaitCollective(call, &held, nil, func() bool {
				i := int(at.Load())
				*held.Holder = stages[min(i, len(stages)-1)].holder
				return i == len(stages)
			})
		})
		for _, s := range stages {
			eventually(t, s.note, func() bool {
				w, _, _ := rep.last()
				return w.Note == s.note && w.Peer == s.holder.Peer && w.Tag == ir.NoTag
			})
			at.Add(1)
			ps[1].Wake(0)
		}
		inTime(t, call, wg.Wait)
	}
}

// A wait for one of several requests names the first of those that are not complete, as many as a report has room for,
// and has a peer if that can only be one.
func TestWaitsForOneOfSeveralAreDescribed(t *testing.T) {
	ps := open(t, 2)
	done := &llc.Request{Peer: 1, Tag: 9, Buf: make([]byte, 8)}
	send(t, ps[1], 0, 0, 9, payload(1, 8))
	ps[0].Start(done, false)
	ps[0].Wait(done)
	at := func(peer, tag int) *llc.Request { return &llc.Request{Peer: peer, Tag: tag} }
	const last = 1<<31 - 1
	for _, c := range []struct {
		rs   []*llc.Request
		peer int
		call string
	}{
		{[]*llc.Request{at(1, 2), at(1, 3)}, 1, "WaitAny peer 1 tag 2, peer 1 tag 3"},
		{[]*llc.Request{at(1, 2), at(0, 3)}, ir.NoPeer, "WaitAny peer 1 tag 2, peer 0 tag 3"},
		{[]*llc.Request{at(0, 2), at(1, 3), at(0, 4), at(0, 5)}, ir.NoPeer, "WaitAny peer 0 tag 2, peer 1 tag 3 and 2 more"},
		{[]*llc.Request{at(llc.AnyPeer, llc.AnyTag), at(llc.AnyPeer, 1)}, ir.NoPeer + 1, "WaitAny peer any tag any, peer any tag 1"},
		{[]*llc.Request{done, at(1, 3)}, 1, "WaitAny peer 1 tag 3"},
		{[]*llc.Request{at(1023, last), at(1023, last), at(0, 0)}, ir.NoPeer, "WaitAny peer 1023 tag 2147483647 and 2 more"},
	} {
		s := ir.Waiting{Call: "WaitAny", Peer: ir.NoPeer}
		if describeSeveral(&s, c.rs); s.Call != c.call || s.Peer != c.peer || len(s.Call) > len("WaitAny ")+pmi.NoteBytes {
			t.Errorf("peer %d, %q, want %d, %q", s.Peer, s.Call, c.peer, c.call)
		}
	}
}

// awaited is a rank that has not come.
type awaited int

func (a awaited) Awaited() int { return int(a) }

// A latecomer is the rank that has not come at this moment.
type latecomer struct{ atomic.Int32 }

func (l *latecomer) Awaited() int { return int(l.Load()) }

// An errand is a task that receives from one peer after the other.
type errand struct {
	Task
	p     *Port
	peers []int
}

func (e *errand) Step() {
	for len(e.peers) > 0 {
		r := &llc.Request{Peer: e.peers[0], Tag: 3, Buf: make([]byte, 8)}
		e.peers = e.peers[1:]
		if e.p.Start(r, false); !e.p.When(&e.Task, r, nil) {
			return
		}
	}
	e.p.Conclude(&e.Task)
}

// A wait for a task names the rank for which the task waits now: the one that has not come to its flags, or that of the
// step that it has reached.
func TestReportsFollowTheTask(t *testing.T) {
	nics := nictest.Loopback(3, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	ps := openNICs(t, []ir.Translator{rep, nics[1], nics[2]})
	withoutHelper(t, ps[0])
	names := func(call string, peer int) {
		t.Helper()
		eventually(t, "the wait names the rank", func() bool {
			w, _, _ := rep.last()
			return w.Call == call && w.Peer == peer
		})
	}
	var late latecomer
	var over atomic.Bool
	late.Store(1)
	s := &script{p: ps[0]}
	s.Work, s.Call, s.Collective = s, "Ibarrier", &ir.Collective{Team: 7, Flags: &late}
	if ps[0].When(&s.Task, nil, over.Load) {
		t.Fatal("a condition holds that does not")
	}
	var wg sync.WaitGroup
	wg.Go(func() { ps[0].Join(&s.Task, "") })
	names("Ibarrier", 1)
	late.Store(2)
	ps[1].Wake(0)
	names("Ibarrier", 2)
	over.Store(true)
	ps[1].Wake(0)
	inTime(t, "the barrier", wg.Wait)

	e := &errand{p: ps[0], peers: []int{2, 1}}
	e.Work, e.Call = e, "Ireduce"
	e.Step()
	wg.Go(func() { ps[0].Join(&e.Task, "") })
	names("Ireduce", 2)
	send(t, ps[2], 0, 0, 3, make([]byte, 8))
	names("Ireduce", 1)
	send(t, ps[1], 0, 0, 3, make([]byte, 8))
	inTime(t, "the reduction", wg.Wait)
}
