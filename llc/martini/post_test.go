package martini

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"rhinet/internal/pmi"
	"rhinet/internal/ring"
	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
	"rhinet/nicemu/martini"
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

// TestEveryOperationIsLowered posts each command of the IR in a form that the NIC carries out.
func TestEveryOperationIsLowered(t *testing.T) {
	all := open(t, 2, martini.Options{})
	mem := []byte("12345678")
	all[1].Post(&ir.Command{Op: ir.Expose, Data: mem, Token: 7})
	seg := next(t, all[1]).Segment
	for op := ir.Packet; op < ir.NumOps; op++ {
		cmd := ir.Command{Op: op, Peer: 1, Data: make([]byte, 8), Token: uint64(op), Segment: seg, Header: ir.Header{Kind: 1}}
		by := all[0]
		if op == ir.Conceal {
			continue // below
		}
		by.Post(&cmd)
		var ev ir.Event
		if by.Poll(&ev) && ev.Kind == ir.Failed {
			t.Errorf("operation %d: %v", op, ev.Err)
		}
	}
	all[1].Post(&ir.Command{Op: ir.Conceal, Segment: seg})
	if ev := next(t, all[1]); ev.Kind != ir.Arrived || ev.Ring != ir.NoRing {
		t.Fatalf("%+v", ev)
	}
	idle(t, all[1])
	for _, op := range []ir.Op{0, ir.NumOps} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("operation %d is accepted", op)
				}
			}()
			all[0].Post(&ir.Command{Op: op})
		}()
	}
}

func TestRefusalsAreAnswers(t *testing.T) {
	all := open(t, 2, martini.Options{})
	for name, c := range map[string]struct {
		cmd  ir.Command
		want error
	}{
		"peer too large":  {ir.Command{Op: ir.Shared, Peer: 2}, nil},
		"peer negative":   {ir.Command{Op: ir.Pull, Peer: -1}, nil},
		"conceal nothing": {ir.Command{Op: ir.Conceal}, martini.Misuse},
		"pull of nothing": {ir.Command{Op: ir.Pull, Peer: 1, Data: make([]byte, 8)}, martini.NoSegment},
		"swap of no word": {ir.Command{Op: ir.Swap, Peer: 1, Offset: 1 << 20}, martini.BeyondSegment},
		"push of nothing": {ir.Command{Op: ir.Push, Peer: 1}, martini.NoSegment},
		"segment unheard": {ir.Command{Op: ir.Pull, Peer: 1, Segment: ^ir.Segment(0)}, martini.NoSegment},
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
	idle(t, all[1])
	if err := all[0].Close(); err != nil {
		t.Fatal(err)
	}
	for _, op := range []ir.Op{ir.Expose, ir.Pull, ir.ReadTail} {
		all[0].Post(&ir.Command{Op: op, Peer: 1, Token: 3})
		if ev := next(t, all[0]); ev.Kind != ir.Failed || !errors.Is(ev.Err, martini.InvalidWindow) {
			t.Errorf("operation %d after Close: %+v", op, ev)
		}
	}
	if all[0].Close() == nil {
		t.Error("closed twice")
	}
}

// withdraw takes all Windows from rank 0.
func withdraw(t *testing.T, boss *martini.Manager) {
	t.Helper()
	for i := range martini.Windows {
		if err := boss.Invalidate(0, i); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBrokenWay: the refusal of a command without an answer is the end of its peer, once.
func TestBrokenWay(t *testing.T) {
	rings := ir.Ring(fabric.Small().Rings)
	watch := func(_ *martini.Manager, tr *Translator) { tr.Post(&ir.Command{Op: ir.Watch, Peer: 1, Ring: 0}) }
	shut := func(boss *martini.Manager, tr *Translator) {
		tr.Post(&ir.Command{Op: ir.ReadTail, Peer: 1}) // opens the way first
		next(t, tr)
		withdraw(t, boss)
	}
	for name, c := range map[string]struct {
		before func(*martini.Manager, *Translator)
		cmd    ir.Command
		want   error
	}{
		"ring too large":  {nil, ir.Command{Op: ir.Packet, Ring: rings}, martini.BeyondSegment},
		"tail of no ring": {nil, ir.Command{Op: ir.ReadTail, Ring: ir.NoRing}, martini.BeyondSegment},
		"watch no ring":   {nil, ir.Command{Op: ir.Watch, Ring: rings}, nil},
		"watch twice":     {watch, ir.Command{Op: ir.Watch, Ring: 1}, nil},
		"packet too long": {nil, ir.Command{Op: ir.Packet, Data: make([]byte, 1<<20)}, martini.WrongLength},
		"shared too long": {nil, ir.Command{Op: ir.Shared, Data: make([]byte, 2049)}, martini.WrongLength},
		"tail, no window": {shut, ir.Command{Op: ir.ReadTail}, martini.InvalidWindow},
		"mail, no window": {shut, ir.Command{Op: ir.Shared}, martini.InvalidWindow},
	} {
		_, boss, all := openJob(t, 2, martini.Options{})
		if c.before != nil {
			c.before(boss, all[0].(*Translator))
		}
		c.cmd.Peer, c.cmd.Token = 1, 99 // the token of an earlier command
		for range 2 {
			all[0].Post(&c.cmd)
		}
		ev := next(t, all[0])
		if ev.Kind != ir.Failed || ev.Token != 0 || ev.Peer != 1 || !errors.Is(ev.Err, ir.ErrPeerGone) || c.want != nil && !errors.Is(ev.Err, c.want) {
			t.Errorf("%s: %+v", name, ev)
		}
		idle(t, all[0])
		idle(t, all[1])
	}
}

func TestOpenPassesErrorsOn(t *testing.T) {
	f, err := fabric.Heap(1, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, 1, martini.Options{}); err == nil {
		t.Error("opened rank 1 of 1")
	}
}

// TestRefusedFlags: a rank that cannot raise a flag cannot reach any peer.
func TestRefusedFlags(t *testing.T) {
	for name, raise := range map[string]func(boss *martini.Manager, tr *Translator){
		"flag array": func(_ *martini.Manager, tr *Translator) { tr.Raise([]int{1}, 99, 1, 0, nil) },
		"window": func(boss *martini.Manager, tr *Translator) {
			withdraw(t, boss)
			tr.Raise([]int{0}, 0, 1, 0, nil)
		},
	} {
		_, boss, all := openJob(t, 2, martini.Options{})
		tr := all[0].(*Translator)
		raise(boss, tr)
		if ev := next(t, tr); ev.Kind != ir.Failed || ev.Token != 0 || ev.Peer != 1 || !errors.Is(ev.Err, ir.ErrPeerGone) {
			t.Errorf("%s: %+v", name, ev)
		}
		idle(t, tr)
	}
}

// TestHostilePeer has one peer scribble over all that another reads: the reader must neither crash nor report
// more than a bad packet.
func TestHostilePeer(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for round := range 50 {
		f, _, all := openJob(t, 3, martini.Options{})
		tr := all[0].(*Translator)
		tr.Post(&ir.Command{Op: ir.Watch, Peer: 1, Ring: 0})
		tr.Post(&ir.Command{Op: ir.Watch, Peer: 2, Ring: 1})
		for _, area := range []fabric.Area{fabric.Shared, fabric.Rings} {
			w := f.Words(0, area)
			for range 2000 {
				at := rng.IntN(min(len(w), 6000))
				w[at] = rng.Uint64() >> rng.IntN(64)
				if at%8 == 0 { // a sequence that is due
					w[at] = uint64(ring.Seq(uint64(at / 8)))
				}
			}
		}
		var ev ir.Event
		for range 3000 {
			if !tr.Poll(&ev) {
				continue
			}
			if ev.Peer < -1 || ev.Peer > 2 || len(ev.Data) > tr.Caps().Bytes || int(ev.Header.Length) != len(ev.Data) {
				t.Fatalf("round %d: %+v", round, ev)
			}
			if ev.Kind == ir.Failed && !errors.Is(ev.Err, ring.ErrCorrupt) {
				t.Fatalf("round %d: %v", round, ev.Err)
			}
		}
		tr.Raised(1, 0, 1, make([]byte, ir.FlagBytes))
	}
}

// TestCorruptRings: a ring that cannot be read any more is the end of its writer, or of all peers, once.
func TestCorruptRings(t *testing.T) {
	for name, c := range map[string]struct {
		area fabric.Area
		line int // offset of the ring's first line, in words
		gone []int32
	}{
		"packet": {fabric.Rings, 0, []int32{1}},
		"shared": {fabric.Shared, 32, []int32{1, 2}},
	} {
		f, _, all := openJob(t, 3, martini.Options{})
		all[0].Post(&ir.Command{Op: ir.Watch, Peer: 1, Ring: 0})
		w := f.Words(0, c.area)[c.line:]
		w[1] = 1<<16 | 0xfff0 // source, and more bytes than fit
		if c.area == fabric.Rings {
			w[1] = 1 << 30
		}
		w[0] = uint64(ring.Seq(0))
		for _, peer := range c.gone {
			ev := next(t, all[0])
			if ev.Kind != ir.Failed || ev.Peer != peer || ev.Token != 0 || !errors.Is(ev.Err, ir.ErrPeerGone) || !errors.Is(ev.Err, ring.ErrCorrupt) {
				t.Errorf("%s: %+v", name, ev)
			}
		}
		idle(t, all[0])
	}
	// Nothing new is reported of a peer that is gone already.
	f, _, all := openJob(t, 2, martini.Options{})
	tr := all[0].(*Translator)
	tr.Lose(1, ir.ErrPeerGone)
	next(t, tr)
	tr.Post(&ir.Command{Op: ir.Watch, Peer: 1, Ring: 0})
	w := f.Words(0, fabric.Rings)
	w[1], w[0] = 1<<30, uint64(ring.Seq(0))
	idle(t, tr)
}

// TestHostileTables has every table of a peer hold noise: requests to it end in refusals or in its own
// memory.
func TestHostileTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 20 {
		f, _, all := openJob(t, 2, martini.Options{})
		all[1].Post(&ir.Command{Op: ir.Expose, Data: make([]byte, 5000)})
		seg := next(t, all[1]).Segment
		w := f.Words(1, fabric.Device)
		for i := 512; i < martini.MemoryBytes/8; i++ {
			if i%8 != 0 { // all but the states
				w[i] = rng.Uint64() >> rng.IntN(64)
			}
		}
		// The segment's owner is plausible; what it says is not.
		own := f.Job()
		sid := int(uint32(seg))
		w[512+sid*8+1] = uint64(own) | 1<<32
		for i := range 100 {
			op := ir.Pull + ir.Op(i%3)
			all[0].Post(&ir.Command{Op: op, Peer: 1, Segment: seg, Offset: uint64(i), Data: make([]byte, i*30)})
			next(t, all[0])
		}
		for i := 512; i < martini.MemoryBytes/8; i += 8 {
			w[i] = 0
		}
		_ = all[1].Close()
	}
}

func TestMovesDoNotAllocate(t *testing.T) {
	endpointtest.MovesAllocateNothing(t, open(t, 2, martini.Options{}))
}

// TestDeadPeerIsReportedOnce pretends that peer 1 is a process that has ended.
func TestDeadPeerIsReportedOnce(t *testing.T) {
	var f *fabric.Fabric // of rank 1, in the end
	all := fabrictest.Mapped(t, 2, fabric.Default(), Entry().Register, func(m *fabric.Fabric, rank int) (ir.Translator, error) {
		f = m
		return Open(m, rank, martini.Options{})
	})
	a, b := all[0], all[1]
	defer a.Close()
	defer b.Close()
	if !a.Caps().Remote {
		t.Skip("this kernel refuses cross-memory attach")
	}
	mem := bytes.Repeat([]byte{7}, 100)
	b.Post(&ir.Command{Op: ir.Expose, Data: mem})
	seg := next(t, b).Segment
	f.Leave(1)
	into := make([]byte, 100)
	for i := range 2 {
		a.Post(&ir.Command{Op: ir.Pull, Peer: 1, Segment: seg, Data: into, Token: 5})
		if ev := next(t, a); ev.Kind != ir.Failed || ev.Token != 5 || !errors.Is(ev.Err, ir.ErrPeerGone) || !errors.Is(ev.Err, martini.Gone) {
			t.Fatalf("answer %d: %+v", i, ev)
		}
		if i == 0 {
			if ev := next(t, a); ev.Kind != ir.Failed || ev.Token != 0 || ev.Peer != 1 || !errors.Is(ev.Err, ir.ErrPeerGone) {
				t.Fatalf("report: %+v", ev)
			}
		}
		idle(t, a)
	}
	a.Arm()
	start := time.Now()
	a.Wake(0)
	a.Sleep(10 * time.Second)
	if a.Disarm(); time.Since(start) > 5*time.Second {
		t.Error("slept through its own bell")
	}
}

func TestStatusLine(t *testing.T) {
	f, _, all := openJob(t, 2, martini.Options{})
	tr := all[1].(*Translator)
	status := func() pmi.Status { s, _ := f.Status(1); return s }
	if s := status(); s.State != pmi.Computing {
		t.Errorf("after Open: %+v", s)
	}
	tr.Report(ir.Waiting{Call: "Recv", Peer: 0, Tag: 7, Bytes: 100, Context: 3})
	s := status()
	if s.Since == 0 {
		t.Error("since when?")
	}
	s.Since = 0
	if s != (pmi.Status{State: pmi.Waiting, Wait: pmi.Wait{Call: "Recv", Tag: 7, Bytes: 100, Context: 3}}) {
		t.Errorf("waiting: %+v", s)
	}
	if tr.Clear(); status().State != pmi.Computing {
		t.Errorf("after the wait: %+v", status())
	}
	if used := testing.AllocsPerRun(20, func() { tr.Report(ir.Waiting{Call: "Wait"}); tr.Clear() }); used != 0 {
		t.Errorf("%v allocations", used)
	}
	if err := tr.Close(); err != nil || status().State != pmi.Finalized {
		t.Errorf("after Close: %+v, %v", status(), err)
	}
	tr = all[0].(*Translator)
	tr.Abort()
	if s, _ := f.Status(0); tr.Close() != nil || s.State != pmi.Aborted {
		t.Errorf("after Abort: %+v", s)
	}
	if s, _ := f.Status(0); s.State != pmi.Aborted {
		t.Errorf("after Abort and Close: %+v", s)
	}
}
