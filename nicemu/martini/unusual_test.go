package martini

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/nicemu/fabric"
)

// A standIn is a stepped machine that only counts its calls.
type standIn struct {
	kicks, writes int
	outcome       Outcome
	err           error
}

func (s *standIn) Run(int, int, uint64) (Outcome, error) {
	s.kicks++
	return s.outcome, s.err
}

func (s *standIn) RunAOTF(uint32, uint64) (Outcome, error) {
	s.writes++
	return s.outcome, s.err
}

// holes returns whole pages of which only the given ones are pinned, each separately.
func holes(t *testing.T, n *NIC, pages int, pinned ...int) []byte {
	t.Helper()
	raw := make([]byte, (pages+1)*page)
	from := int(-fabric.Address(raw) % page)
	b := raw[from : from+pages*page : from+pages*page]
	for i := range b {
		b[i] = pattern(i)
	}
	for _, i := range pinned {
		if _, err := n.Pin(b[i*page : (i+1)*page]); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// TestOwnMemoryInParts: a request whose own memory is pinned page by page, or only in part, moves
// as many whole packets as can be read, or as many bytes as can be written.
func TestOwnMemoryInParts(t *testing.T) {
	for _, c := range []struct {
		name        string
		pinned      []int
		from, size  int
		read, wrote int
	}{
		{"all of it", []int{0, 1, 2, 3}, 100, 3*page + 500, 3*page + 500, 3*page + 500},
		{"all but the last page", []int{0, 1, 2}, 100, 3*page + 500, 2*page + MaxImage, 3*page - 100}, // a part of a packet is not sent
		{"a hole", []int{0, 2, 3}, 0, 3 * page, page, page},
		{"not the first page", []int{1, 2, 3}, page - 1, 2 * page, 0, 0},
		{"one page of one packet", []int{0}, page - 1000, MaxImage, 0, 1000},
	} {
		for _, write := range []bool{true, false} {
			n := open(t, 2)
			s, r := between(t, n[1], 8*page)
			b := holes(t, n[0], 4, c.pinned...)
			clear(s.mem)
			if !write {
				copy(s.mem, bytes.Repeat([]byte{0x5a}, len(s.mem)))
			}
			w := n[0].Window(0)
			q := Request{Node: 1, Segment: r.good, Flag: 3}
			do, moved := w.Pull, c.wrote
			if write {
				do, moved = w.Push, c.read
			}
			before := bytes.Clone(b)
			err := do(q, b[c.from:c.from+c.size])
			if write {
				if !bytes.Equal(s.mem[:moved], before[c.from:c.from+moved]) || len(bytes.Trim(s.mem[moved:], "\x00")) > 0 {
					t.Errorf("%s, PUSH: other bytes arrived", c.name)
				}
			} else {
				copy(before[c.from:c.from+moved], s.mem)
				if !bytes.Equal(b, before) {
					t.Errorf("%s, PULL: other bytes arrived", c.name)
				}
			}
			var refusal *Refusal
			if moved == c.size {
				if err != nil || w.Flag(3) != 1 {
					t.Errorf("%s: %v, flag %d", c.name, err, w.Flag(3))
				}
				continue
			}
			if !errors.As(err, &refusal) || refusal.Reason != NotPinned || refusal.Moved != moved || w.Flag(3) != 0 || w.Contflag() != 1 {
				t.Errorf("%s, write %v: %v, want %d bytes moved; flag %d, contflag %d", c.name, write, err, moved, w.Flag(3), w.Contflag())
			}
			if issued, _ := n[0].Refused(NotPinned); issued != 1 {
				t.Errorf("%s: counted %d times", c.name, issued)
			}
			if _, arrived := n[1].Refused(NotPinned); arrived != 0 {
				t.Errorf("%s: counted at a target that did not find it", c.name)
			}
		}
	}
}

// TestUnusualIsLeftToTheMachine: ordinary requests never go to the machine, and all others do,
// before anything has changed.
func TestUnusualIsLeftToTheMachine(t *testing.T) {
	n := open(t, 2)
	s, r := between(t, n[1], 2*page)
	initLocks(t, n, 0, 1)
	one, other := make([]byte, 64), make([]byte, 64)
	for _, b := range [][]byte{other, one} {
		if _, err := n[0].Pin(b); err != nil {
			t.Fatal(err)
		}
	}
	for p, h := range []Header{{Node: 1, Segment: r.good}, {Node: 1, Segment: CommonSegment}, {Node: 1, Segment: r.stale}} {
		if err := n[0].RegisterHeader(uint16(p), h); err != nil {
			t.Fatal(err)
		}
	}
	m := &standIn{}
	(&Hardware{n[0]}).FallBack(m)
	w := n[0].Window(0)
	good := Request{Node: 1, Segment: r.good}
	packet := func(p Packet) error {
		p.Node, p.PID = 1, 1
		return w.Botf(&p)
	}
	for name, do := range map[string]func() error{
		"PUSH":      func() error { return w.Push(good, one) },
		"PULL":      func() error { return w.Pull(good, one[5:20]) },
		"nothing":   func() error { return w.Push(good, nil) },
		"BOTF push": func() error { return packet(Packet{Type: PacketPush, Segment: r.good, Payload: one}) },
		"BOTF pull": func() error {
			return packet(Packet{Type: PacketPullRequest, Segment: r.good, Local: fabric.Address(one), Length: 8})
		},
		"AOTF":         func() error { return n[0].WriteAOTF(0, 1) },
		"AOTF to ring": func() error { return n[0].WriteAOTF(1<<aotfPageShift, 1) },
		"Swap":         func() error { _, err := w.Swap(1, 0, 0, 0); return err },
	} {
		if err := do(); err != nil || m.kicks != 0 || m.writes != 0 {
			t.Errorf("%s: %v, %+v", name, err, m)
		}
	}
	before, cont := bytes.Clone(s.mem), w.Contflag()
	m.outcome = Outcome{Reason: Stale, Left: 8}
	n[0].own.invalidate(1)
	for name, do := range map[string]func() error{
		"violation":          func() error { return w.Push(Request{Node: 1, Segment: r.stale}, one) },
		"beyond the segment": func() error { return w.Pull(Request{Node: 1, Segment: r.good, Offset: 2*page - 8}, one) },
		"not pinned there":   func() error { return w.Push(Request{Node: 1, Segment: r.unpinned}, one) },
		"not pinned here":    func() error { return w.Push(good, make([]byte, 64)) },
		"invalid Window":     func() error { return n[0].Window(1).Push(good, one) },
		"LOCK":               func() error { return w.Lock(0) },
		"unknown request":    func() error { w.page[DWCommand] = 99; return w.Write(DWKick, 1) },
		"unknown packet":     func() error { return packet(Packet{Type: 99}) },
		"swap packet":        func() error { return packet(Packet{Type: PacketSwap, Payload: one[:16]}) },
		"lock packet":        func() error { return packet(Packet{Type: PacketLockRequest}) },
		"packet of nobody": func() error {
			return n[0].Window(1).Botf(&Packet{Type: PacketPush, Node: 1, PID: 1, Segment: r.good, Payload: one})
		},
		"pull to nowhere": func() error { return packet(Packet{Type: PacketPullRequest, Segment: r.good, Local: 64, Length: 64}) },
		"response beyond": func() error { return packet(Packet{Type: PacketPullResponse, Local: 64, Payload: one}) },
	} {
		m.kicks = 0
		err := do()
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Reason != Stale || refusal.Moved != max(0, refusal.Bytes-8) || m.kicks != 1 {
			t.Errorf("%s: %v, left to the machine %d times", name, err, m.kicks)
		}
	}
	for _, address := range []uint32{2 << aotfPageShift, 7 << aotfPageShift} {
		if err := n[0].WriteAOTF(address, 1); !errors.Is(err, Stale) {
			t.Errorf("AOTF at %#x: %v", address, err)
		}
	}
	if m.writes != 2 || !bytes.Equal(s.mem, before) || w.Contflag() != cont {
		t.Errorf("%d writes to the AOTF area; contflag %d, was %d", m.writes, w.Contflag(), cont)
	}
	// A miss happens once: afterwards the page is found at its last place.
	m.kicks, m.outcome = 0, Outcome{}
	for range 3 {
		if err := w.Push(good, other); err != nil || m.kicks != 1 {
			t.Errorf("memory not used last: %v, %d times", err, m.kicks)
		}
	}
	stuck := errors.New("stuck")
	m.err = stuck
	if err := errors.Join(w.Push(good, one)); !errors.Is(err, stuck) {
		t.Error(err)
	}
	if err := n[0].WriteAOTF(7<<aotfPageShift, 1); !errors.Is(err, stuck) {
		t.Error(err)
	}
	(&Hardware{n[0]}).FallBack(nil)
	if err := w.Push(Request{Node: 1, Segment: r.unpinned}, one); !errors.Is(err, NotPinned) {
		t.Error(err)
	}
}

// zeros is a noncontiguous payload.
type zeros struct{}

func (zeros) Gather(dst []byte, _ int) { clear(dst) }

// TestHeaderGoesAhead: the machine is called only when the translation of a ring is made.
func TestHeaderGoesAhead(t *testing.T) {
	n := open(t, 2)
	m := &standIn{}
	(&Hardware{n[0]}).FallBack(m)
	w := n[0].Window(0)
	c, err := n[0].Channel(w, 1, 0)
	if err != nil || m.kicks != 1 {
		t.Fatal(err, m.kicks)
	}
	put := func(slot uint64) error { return c.Put(slot, 0, &[3]uint64{}, nil) }
	gather := func(slot uint64, n int) error { return c.Gather(slot, 0, &[3]uint64{}, zeros{}, 0, n) }
	if err := errors.Join(put(0), gather(1, 100)); err != nil || m.kicks != 1 {
		t.Errorf("%v, %d", err, m.kicks)
	}
	s := n[1].own.segment(sidRings) // withdrawn and registered again
	s.invalidate(ioGen)
	s[entState] = ioGen << entGenShift
	m.outcome = Outcome{Reason: Stale}
	if err := put(2); !errors.Is(err, Stale) || m.kicks != 2 {
		t.Errorf("%v, %d", err, m.kicks)
	}
	if err := gather(2, 100); !errors.Is(err, Stale) || m.kicks != 3 {
		t.Errorf("%v, %d", err, m.kicks)
	}
	s[entState] |= entValid
	m.outcome = Outcome{}
	if err := errors.Join(gather(2, 8), put(3)); err != nil || m.kicks != 3 {
		t.Errorf("%v, %d", err, m.kicks)
	}
	for _, long := range []func() error{
		func() error { return c.Put(4, 0, &[3]uint64{}, make([]byte, 1<<20)) },
		func() error { return gather(4, 1<<20) },
	} {
		if err := long(); !errors.Is(err, WrongLength) {
			t.Error(err)
		}
	}
	if _, err := n[0].Channel(w, 7, 0); !errors.Is(err, NoNode) || m.kicks != 3 {
		t.Errorf("%v, %d", err, m.kicks)
	}
}

// TestNoAccessIsNotLeftToTheMachine: firmware could not help if the kernel keeps processes apart.
func TestNoAccessIsNotLeftToTheMachine(t *testing.T) {
	n := open(t, 2, Options{Attach: Off}, Options{Attach: Off})
	s, r := between(t, n[1], 2*page)
	if err := n[0].RegisterHeader(0, Header{Node: 1, Segment: r.good}); err != nil {
		t.Fatal(err)
	}
	m := &standIn{}
	(&Hardware{n[0]}).FallBack(m)
	for range 2 { // with the machine, and without
		for _, a := range accesses() {
			if err := a.do(n[0], 1, r.good, 0, make([]byte, 8)); !errors.Is(err, NoAccess) {
				t.Errorf("%s: %v", a.name, err)
			}
			if err := a.do(n[0], 1, r.half, 0, make([]byte, 16)); !errors.Is(err, NoAccess) {
				t.Errorf("%s: %v", a.name, err)
			}
		}
		if err := n[0].WriteAOTF(0, 1); !errors.Is(err, NoAccess) {
			t.Error(err)
		}
		(&Hardware{n[0]}).FallBack(nil)
	}
	if s.mem[0] != pattern(0) || m.kicks != 0 || m.writes != 0 {
		t.Errorf("%+v", m)
	}
}

// TestUnusualAOTF: a double word across a page border arrives up to the border.
func TestUnusualAOTF(t *testing.T) {
	n := open(t, 2)
	s, r := between(t, n[1], 2*page)
	if err := n[0].RegisterHeader(0, Header{Node: 1, Segment: r.half, Offset: 2*page - 3}); err != nil {
		t.Fatal(err)
	}
	var refusal *Refusal
	if err := n[0].WriteAOTF(0, 0x0101010101010101); !errors.As(err, &refusal) || refusal.Moved != 3 || refusal.Reason != NotPinned {
		t.Error(err)
	}
	if err := s.untouched(); err != nil || string(s.mem[2*page-3:]) != "\x01\x01\x01" || s.mem[2*page-4] != pattern(2*page-4) {
		t.Errorf("%v, %v", err, s.mem[2*page-4:])
	}
}
