package ib

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/fabric"
)

// A victim serves memory to one partner, and knows its contents.
type victim struct {
	*side
	keep []byte
}

func newVictim(t *testing.T, x *side) victim {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range x.mem {
		x.mem[i] = byte(rng.Uint32())
	}
	for i := range 4 {
		if err := x.rq.Post(uint64(i), x.mem[:64], x.key); err != nil {
			t.Fatal(err)
		}
	}
	return victim{x, bytes.Clone(x.mem)}
}

// unharmed fails if anything of the victim has changed.
func (v victim) unharmed(t *testing.T, what string) {
	t.Helper()
	if !bytes.Equal(v.mem, v.keep) {
		t.Fatalf("%s: the victim's memory has changed", what)
	}
	var c Completion
	if v.qp.State() != RTS || v.rq.Posted() != 4 || v.cq.Poll(&c) {
		t.Fatalf("%s: the victim's queue pair is in %v, %d receives, %+v", what, v.qp.State(), v.rq.Posted(), c)
	}
}

// TestHostileRequests has a partner send requests that it may not: each is refused with its reason,
// counted on both sides, and moves nothing.
func TestHostileRequests(t *testing.T) {
	a, b := pair(t, RC)
	other, _ := b.Register(b.AllocDomain(), aligned(64), all)
	old, _ := b.Register(b.domain, b.mem, all)
	if err := b.Deregister(old); err != nil {
		t.Fatal(err)
	}
	local, _ := b.Register(b.domain, b.mem, LocalWrite)
	zero, _ := b.Register(b.domain, b.mem, all|ZeroBased)
	v := newVictim(t, b)
	for name, c := range map[string]struct {
		key  Key
		at   uint64
		n    int
		op   Opcode
		want Reason
	}{
		"key of nothing":         {0, b.at(0), 8, Write, NoRegion},
		"key never given":        {Key(5<<indexBits | 1000), b.at(0), 8, Read, NoRegion},
		"forged generation":      {b.key + 1<<indexBits, b.at(0), 8, Write, Stale},
		"stale registration":     {old, b.at(0), 8, Write, Stale},
		"stale, read":            {old, b.at(0), 8, Read, Stale},
		"other domain":           {other, b.at(0), 8, Write, WrongDomain},
		"region of links":        {linkKey(regionRings), 0, 8, Write, WrongDomain},
		"no remote write":        {local, b.at(0), 8, Write, NoRight},
		"no remote read":         {local, b.at(0), 8, Read, NoRight},
		"no remote atomic":       {local, b.at(0), 8, FetchAndAdd, NoRight},
		"before":                 {b.key, b.at(-1), 8, Write, BeyondRegion},
		"across the end":         {b.key, b.at(4090), 8, Write, BeyondRegion},
		"behind":                 {b.key, b.at(4096), 1, Read, BeyondRegion},
		"wrapping":               {b.key, ^uint64(0) - 3, 8, Write, BeyondRegion},
		"zero-based, by address": {zero, b.at(0), 8, Write, BeyondRegion},
		"zero-based, beyond":     {zero, 4089, 8, Write, BeyondRegion},
		"half a word":            {b.key, b.at(4), 8, CompareAndSwap, Misaligned},
		"with immediate":         {old, b.at(0), 8, WriteImmediate, Stale},
	} {
		if err := a.qp.Modify(RESET, Attributes{}); err != nil {
			t.Fatal(err)
		}
		a.ready(t, b.LID(), b.qp.Number())
		own, arrived := a.Failures(c.want)
		_, there := b.Failures(c.want)
		keep := bytes.Clone(a.mem)
		a.post(t, WorkRequest{Op: c.op, Local: a.mem[:c.n], Key: a.key, Address: c.at, Remote: c.key, Compare: 1, Swap: 1})
		if got := a.done(t); got.Reason != c.want || got.Status != reasons[c.want].status || got.Bytes != 0 || !errors.Is(got.Err(1), c.want) || a.qp.State() != ERR {
			t.Errorf("%s: %+v", name, got)
		}
		if now, same := a.Failures(c.want); now != own+1 || same != arrived {
			t.Errorf("%s: not counted here", name)
		}
		if _, now := b.Failures(c.want); now != there+1 {
			t.Errorf("%s: not counted there", name)
		}
		if !bytes.Equal(a.mem, keep) {
			t.Errorf("%s: own memory has changed", name)
		}
		v.unharmed(t, name)
	}
}

// TestHostileNumbers has a third process connect itself to a queue pair that is connected to
// another one, and to numbers that are no queue pairs.
func TestHostileNumbers(t *testing.T) {
	hcas := open(t, 3)
	a, b := newSide(t, hcas[0], RC), newSide(t, hcas[1], RC)
	a.ready(t, b.LID(), b.qp.Number())
	b.ready(t, a.LID(), a.qp.Number())
	v := newVictim(t, b)
	gone := newSide(t, b.HCA, RC)
	gone.qp.Destroy()
	for name, c := range map[string]struct {
		lid  LID
		n    QPN
		want Reason
	}{
		"connected with another": {b.LID(), b.qp.Number(), OtherPeer},
		"the partner itself":     {a.LID(), a.qp.Number(), OtherPeer},
		"a link of others":       {b.LID(), linkQPN(0), OtherPeer},
		"its own link":           {b.LID(), linkQPN(2), OtherPeer},
		"forged number":          {b.LID(), b.qp.Number() + 1<<indexBits, NoQP},
		"destroyed":              {b.LID(), gone.qp.Number(), NoQP},
		"number 0":               {b.LID(), 0, NoQP},
		"no port":                {7, b.qp.Number(), NoPort},
		"port 0":                 {0, b.qp.Number(), NoPort},
	} {
		x := newSide(t, hcas[2], RC)
		x.ready(t, c.lid, c.n)
		for _, w := range []WorkRequest{
			{Op: Send, Local: []byte{1}, Inline: true},
			{Op: Write, Local: []byte{1}, Inline: true, Address: b.at(0), Remote: b.key},
			{Op: Read, Local: x.mem[:8], Key: x.key, Address: b.at(0), Remote: b.key},
		} {
			x.post(t, w)
			if got := x.done(t); got.Status != RetryExceeded || got.Reason != c.want {
				t.Errorf("%s, %v: %+v", name, w.Op, got)
			}
			if err := x.qp.Modify(RESET, Attributes{}); err != nil {
				t.Fatal(err)
			}
			x.ready(t, c.lid, c.n)
			v.unharmed(t, name)
		}
	}
	// A link belongs to the ranks that it connects.
	h := hcas
	l, err := h[2].Link(1)
	if err != nil {
		t.Fatal(err)
	}
	l.qp.entry.store(qpPeer, uint64(2)|uint64(linkQPN(0))<<32) // as if it belonged to rank 0
	if err := l.Do(&WorkRequest{Op: Write, Local: []byte{1}, Inline: true, Remote: linkKey(regionRings)}); !errors.Is(err, OtherPeer) {
		t.Errorf("in another's name: %v", err)
	}
	if r := h[1].f.Bytes(1, fabric.Rings); r[0] != 0 {
		t.Error("written in another's name")
	}
}

// TestOwnMemoryMustBeRegistered: a request's own memory is checked too.
func TestOwnMemoryMustBeRegistered(t *testing.T) {
	a, b := pair(t, RC)
	read, _ := a.Register(a.domain, a.mem, 0)
	foreign, _ := a.Register(a.AllocDomain(), a.mem, all)
	old, _ := a.Register(a.domain, a.mem, all)
	if err := a.Deregister(old); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		mem  []byte
		key  Key
		op   Opcode
		want Reason
	}{
		"no key":        {a.mem[:8], 0, Write, NoRegion},
		"stale":         {a.mem[:8], old, Write, Stale},
		"other domain":  {a.mem[:8], foreign, Write, WrongDomain},
		"other memory":  {make([]byte, 8), a.key, Write, BeyondRegion},
		"only readable": {a.mem[:8], read, Read, NoRight},
	} {
		a.post(t, WorkRequest{Op: c.op, Local: c.mem, Key: c.key, Address: b.at(0), Remote: b.key})
		if got := a.done(t); got.Status != LocalProtection || got.Reason != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		if err := a.qp.Modify(RESET, Attributes{}); err != nil {
			t.Fatal(err)
		}
		a.ready(t, b.LID(), b.qp.Number())
		var f *Failure
		if err := a.rq.Post(1, c.mem, c.key); name != "only readable" && (!errors.As(err, &f) || f.Reason != c.want) {
			t.Errorf("%s: receive: %v", name, err)
		}
	}
	if err := a.rq.Post(1, a.mem[:8], read); !errors.Is(err, NoRight) || a.rq.Posted() != 0 {
		t.Errorf("a receive that cannot be written: %v", err)
	}
	for _, b := range a.mem[:8] {
		if b != 0 {
			t.Error("bytes moved")
		}
	}
}

// TestReceiveWithdrawn: a receive whose memory has been deregistered takes no message, and both
// sides learn that.
func TestReceiveWithdrawn(t *testing.T) {
	a, b := pair(t, RC)
	mem := make([]byte, 64)
	k, err := b.Register(b.domain, mem, LocalWrite)
	if err == nil {
		err = errors.Join(b.rq.Post(9, mem, k), b.Deregister(k))
	}
	if err != nil {
		t.Fatal(err)
	}
	a.post(t, WorkRequest{Op: Send, Local: []byte{1}, Inline: true})
	if c := a.done(t); c.Status != RemoteAccess || c.Reason != Stale || mem[0] != 0 {
		t.Errorf("%+v", c)
	}
	if c := b.done(t); c.ID != 9 || c.Status != LocalProtection || c.Reason != Stale {
		t.Errorf("%+v", c)
	}
}

// TestNoise writes noise into all tables of a rank: requests to and from it end in refusals, or in
// its own memory; nothing panics, and the third rank is unchanged.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 40 {
		hcas := open(t, 3)
		a, b := newSide(t, hcas[0], RC), newSide(t, hcas[1], RC)
		x, y := newSide(t, hcas[2], RC), newSide(t, hcas[0], RC)
		a.ready(t, b.LID(), b.qp.Number())
		b.ready(t, a.LID(), a.qp.Number())
		y.ready(t, x.LID(), x.qp.Number())
		x.ready(t, y.LID(), y.qp.Number())
		v := newVictim(t, x)
		for _, area := range []fabric.Area{fabric.Device, fabric.Public} {
			w := b.f.Words(1, area)
			for i := range w {
				if i < regFailures && area == fabric.Device && round%2 == 0 {
					continue // its port stays up
				}
				switch rng.IntN(3) {
				case 0:
					w[i] = rng.Uint64()
				case 1:
					w[i] = rng.Uint64N(1 << 20)
				}
			}
		}
		for range 20 {
			for _, s := range []*side{a, b} {
				w := WorkRequest{Op: Send + Opcode(rng.IntN(int(Receive-Send))), Local: s.mem[:8], Key: s.key, Address: rng.Uint64(), Remote: Key(rng.Uint32())}
				if s == a && rng.IntN(2) == 0 {
					w.Address, w.Remote = b.at(0), b.key
				}
				_ = s.qp.PostSend(&w)
				var c Completion
				for range 3 {
					s.cq.Poll(&c)
				}
				_, _ = s.rq.Post(1, s.mem, s.key), s.qp.Modify(State(rng.IntN(int(numStates))), Attributes{})
			}
			_ = a.qp.Modify(RESET, Attributes{})
			for _, st := range []State{INIT, RTR, RTS} {
				_ = a.qp.Modify(st, Attributes{Access: all, LID: b.LID() & 3, QPN: b.qp.Number()})
			}
			l, err := hcas[0].Link(1)
			if err == nil {
				_, _ = l.Swap(0, 0, 1)
				_ = l.Transfer(Read, b.key, 0, make([]byte, 8))
			}
		}
		v.unharmed(t, "noise")
		y.post(t, WorkRequest{Op: Write, Local: []byte{v.keep[0]}, Inline: true, Address: x.at(0), Remote: x.key})
		if c := y.done(t); c.Status != Success {
			t.Fatalf("round %d: the others: %+v", round, c)
		}
	}
}

// TestOverwrittenEntries: each word of a line that is changed by anyone but its owner is detected,
// or the line is ignored.
func TestOverwrittenEntries(t *testing.T) {
	a, b := pair(t, RC)
	v := newVictim(t, b)
	lines := map[string]*entry{"queue pair": b.qp.entry, "region": b.own.region(int(b.key & indexMask))}
	for name, e := range lines {
		for i := range 7 {
			for _, flip := range []uint64{1, 1 << 40, 1 << 63} {
				old := e.load(i)
				e.store(i, old^flip)
				a.post(t, WorkRequest{Op: Write, Local: []byte{1, 2, 3}, Inline: true, Address: b.at(64), Remote: b.key})
				c := a.done(t)
				e.store(i, old)
				if c.Status == Success && !(name == "queue pair" && (i == qpState || i > qpSeal)) {
					t.Errorf("%s, word %d ^ %#x: not noticed", name, i, flip)
				}
				if c.Status == Success {
					copy(v.keep[64:], []byte{1, 2, 3})
				}
				v.unharmed(t, name)
				if err := a.qp.Modify(RESET, Attributes{}); err != nil {
					t.Fatal(err)
				}
				a.ready(t, b.LID(), b.qp.Number())
			}
		}
	}
}
