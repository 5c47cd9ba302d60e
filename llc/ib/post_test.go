package ib

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"rhinet/internal/pmi"
	"rhinet/internal/ring"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/ib"
)

// next returns the next event, which must be there.
func next(t *testing.T, tr ir.Translator) ir.Event {
	t.Helper()
	var ev ir.Event
	if !tr.Poll(&ev) {
		t.Fatal("no event")
	}
	return ev
}

func idle(t *testing.T, tr ir.Translator) {
	t.Helper()
	var ev ir.Event
	for range 20 {
		if tr.Poll(&ev) {
			t.Fatalf("unexpected %+v", ev)
		}
	}
}

// TestRefusalsAreAnswers: a refusal by the adapter is answered with its reason, and the connection goes on.
func TestRefusalsAreAnswers(t *testing.T) {
	_, _, all := openJob(t, 2, ib.Options{})
	mem := []byte("12345678")
	all[1].Post(&ir.Command{Op: ir.Expose, Data: mem, Token: 7})
	seg := next(t, all[1]).Segment
	for name, c := range map[string]struct {
		cmd  ir.Command
		want error
	}{
		"peer too large":   {ir.Command{Op: ir.Shared, Peer: 2}, nil},
		"peer negative":    {ir.Command{Op: ir.Pull, Peer: -1}, nil},
		"conceal nothing":  {ir.Command{Op: ir.Conceal}, ib.ErrKey},
		"conceal too much": {ir.Command{Op: ir.Conceal, Segment: seg | 1<<40}, ib.ErrKey},
		"pull of nothing":  {ir.Command{Op: ir.Pull, Peer: 1, Data: make([]byte, 8)}, ib.NoRegion},
		"no key":           {ir.Command{Op: ir.Pull, Peer: 1, Segment: seg | 1<<40, Data: make([]byte, 8)}, ib.NoRegion},
		"forged":           {ir.Command{Op: ir.Push, Peer: 1, Segment: seg + 1<<20, Data: make([]byte, 8)}, ib.Stale},
		"beyond":           {ir.Command{Op: ir.Push, Peer: 1, Segment: seg, Offset: 1, Data: make([]byte, 8)}, ib.BeyondRegion},
		"swap of no word":  {ir.Command{Op: ir.Swap, Peer: 1, Offset: 1 << 20}, ib.BeyondRegion},
		"swap far away":    {ir.Command{Op: ir.Swap, Peer: 1, Offset: 1 << 61}, ib.BeyondRegion},
	} {
		c.cmd.Token = 99
		want := c.cmd.Token
		if !c.cmd.Op.Answered() {
			want = 0
		}
		all[0].Post(&c.cmd)
		ev := next(t, all[0])
		if ev.Kind != ir.Failed || ev.Token != want || ev.Peer != c.cmd.Peer || ev.Err == nil ||
			c.want != nil && !errors.Is(ev.Err, c.want) || errors.Is(ev.Err, ir.ErrPeerGone) {
			t.Errorf("%s: %+v", name, ev)
		}
		idle(t, all[0])
	}
	into := make([]byte, 8)
	all[0].Post(&ir.Command{Op: ir.Pull, Peer: 1, Segment: seg, Data: into, Token: 3})
	if ev := next(t, all[0]); ev.Kind != ir.Pulled || !bytes.Equal(into, mem) {
		t.Errorf("after all that: %+v", ev)
	}
	idle(t, all[1])
}

// TestDeadPeer: a process that has ended is the end of its rank.
func TestDeadPeer(t *testing.T) {
	f, boss, all := openJob(t, 2, ib.Options{})
	if err := boss.SetPort(1, false); err != nil {
		t.Fatal(err)
	}
	all[0].Post(&ir.Command{Op: ir.Swap, Peer: 1, Token: 5})
	if ev := next(t, all[0]); ev.Kind != ir.Failed || ev.Token != 5 || !errors.Is(ev.Err, ir.ErrPeerGone) || !errors.Is(ev.Err, ib.RetryExceeded) {
		t.Errorf("%+v", ev)
	}
	if ev := next(t, all[0]); ev.Kind != ir.Failed || ev.Token != 0 || ev.Peer != 1 || !errors.Is(ev.Err, ir.ErrPeerGone) {
		t.Errorf("%+v", ev)
	}
	if lost, ok := f.Lost(0); !ok || lost != 1 {
		t.Errorf("the launcher is told that rank 0 lost %d, %v", lost, ok)
	}
}

// TestLeaves: a rank that leaves has recorded what it has sent, and its status says that it has finished.
func TestLeaves(t *testing.T) {
	f, _, all := openJob(t, 2, ib.Options{})
	all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0, Ring: 0})
	all[0].Post(&ir.Command{Op: ir.Packet, Peer: 1, Header: ir.Header{Kind: 1}})
	all[0].Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1}})
	if err := all[0].Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if tally, version, ok := ring.NewAccount(&f.Lines(1, fabric.Accounts)[i]).Get(); !ok || version == 0 || tally.Lines != 1 {
			t.Errorf("account %d: %+v, %v", i, tally, ok)
		}
	}
	if s, _ := f.Status(0); s.State != pmi.Finalized {
		t.Errorf("%+v", s)
	}
	w := f.Lines(1, fabric.Rings)
	w[0][0] = 0
	all[1].(*Translator).Audit()
	if ev := next(t, all[1]); ev.Kind != ir.Failed || ev.Peer != 0 || !errors.Is(ev.Err, ring.ErrLost) {
		t.Errorf("a packet that was overwritten: %+v", ev)
	}
}

// TestHostilePeer has one peer scribble over all that another reads: the reader neither crashes nor reports
// more than a bad packet or an end.
func TestHostilePeer(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for round := range 40 {
		f, _, all := openJob(t, 3, ib.Options{})
		tr := all[0]
		tr.Post(&ir.Command{Op: ir.Watch, Peer: 1, Ring: 0})
		tr.Post(&ir.Command{Op: ir.Watch, Peer: 2, Ring: 1})
		areas := []fabric.Area{fabric.Shared, fabric.Rings, fabric.Control, fabric.Public}
		if round != 9 { // once: a rank waits a second for a transfer that holds its memory
			areas = areas[:3]
		}
		for _, area := range areas {
			for w, i := f.Words(0, area), 0; i < 3000; i++ {
				w[rng.IntN(min(len(w), 1<<uint(4+round%12)))] = rng.Uint64() >> rng.IntN(64)
			}
		}
		for range 300 {
			var ev ir.Event
			if tr.Poll(&ev) && ev.Kind == ir.Failed && ev.Err == nil {
				t.Fatalf("%+v", ev)
			}
			cmd := ir.Command{Op: 1 + ir.Op(rng.IntN(int(ir.NumOps)-1)), Peer: int32(rng.IntN(3)), Segment: ir.Segment(rng.Uint32()), Token: 1, Data: make([]byte, 8)}
			if cmd.Op != ir.Packet && cmd.Op != ir.Watch {
				tr.Post(&cmd)
			}
			tr.(*Translator).Audit()
		}
	}
}

// TestOpenPassesErrorsOn: a rank that the job does not have gets no translator.
func TestOpenPassesErrorsOn(t *testing.T) {
	f, err := fabric.Heap(1, ib.Geometry(fabric.Small(), 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, 1, ib.Options{}); err == nil {
		t.Error("opened rank 1 of 1")
	}
}
