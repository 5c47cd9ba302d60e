package network

import (
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/vtime"
)

// links3 returns a wire without errors and one with retransmission, of the same
// length, and the settings.
func links3(t *testing.T, rate float64, set ...string) (*clean, *arq, settings) {
	t.Helper()
	s, err := resolve(parameters(t, "rhinet3", set...))
	if err != nil {
		t.Fatal(err)
	}
	c := clean{clock: s.flit, delay: s.delay(Link{})}
	n := newNoise(rand.New(rand.NewPCG(1, 2)), rate, s.rawBits, s.rawBits-s.dataBits-s.sequenceBits)
	return &c, newARQ(c, n, &s), s
}

// TestRetransmissionIsFreeWithoutErrors: without errors, retransmission costs no time, also if
// flits arrive with gaps.
func TestRetransmissionIsFreeWithoutErrors(t *testing.T) {
	c, a, s := links3(t, 1e-300, "link.length=100")
	slot := int64(0)
	for i := range 200 {
		n := 5 + i
		last := vtime.Time(0)
		if i%3 == 0 {
			last = s.flit.Edge(slot + int64(2*n))
		}
		h1, t1, f1, _ := c.carry(slot, n, last)
		h2, t2, f2, damaged := a.carry(slot, n, last)
		if h1 != h2 || t1 != t2 || f1 != f2 || damaged {
			t.Fatalf("packet %d: head %v, tail %v, slot %d; with retransmission %v, %v, %d", i, h1, t1, f1, h2, t2, f2)
		}
		slot = f1 + int64(i%4)
	}
	if a.Resent != 0 || a.Flits != c.Flits {
		t.Errorf("%+v", a.LinkErrors)
	}
}

// TestCostOfOneRejection: a rejected flit costs the time to the receiver, the rejection, and the
// time back.
func TestCostOfOneRejection(t *testing.T) {
	c, a, s := links3(t, 1e-300, "link.length=100")
	a.gap = 10*s.rawBits + 3 // a bit of flit 10
	_, want, _, _ := c.carry(0, 50, 0)
	_, tail, _, _ := a.carry(0, 50, 0)
	// Flit 10 arrives one flit and the delay after it was sent.
	loss := s.flit.Span(1) + 2*a.delay + s.flit.Span(s.reject)
	if more := tail - want; more < loss || more > loss+2*s.flit.Span(1) || a.Rejected != 1 || a.Resent != 40 {
		t.Errorf("%v more; want %v; %+v", more, loss, a.LinkErrors)
	}
}

// TestSequenceNumbers: whatever is lost, the receiver takes every flit once, in order, for any
// ratio of link length to window, and with short sequence numbers.
func TestSequenceNumbers(t *testing.T) {
	for _, set := range []string{"link.sequence-bits=2", "link.sequence-bits=4", "link.length=1000", "link.timeout=8", "link.reject=40"} {
		_, a, _ := links3(t, 3e-3, set)
		slot, taken := int64(0), uint64(0)
		var before vtime.Time
		for i := range 300 {
			n := 5 + i%200
			head, tail, free, _ := a.carry(slot, n, 0)
			if head <= before || tail < head || free <= slot {
				t.Fatalf("%s: packet %d: head %v, tail %v", set, i, head, tail)
			}
			taken += uint64(n)
			slot, before = free, tail
		}
		if a.OutOfOrder != 0 || uint64(a.base) != taken || a.Flits-a.Resent != taken || a.Timeouts == 0 {
			t.Errorf("%s: %d flits to take, %+v", set, taken, a.LinkErrors)
		}
	}
}

// TestSyndromes: every CRC detects one and two wrong bits of a flit, up to the length for which its
// polynomial is made, and at least one bit beyond.
func TestSyndromes(t *testing.T) {
	for crc := leastCRC; crc <= mostCRC; crc++ {
		s := syndromes(80, crc)
		seen := map[uint32]bool{}
		for i, v := range s {
			if v == 0 || v>>crc != 0 {
				t.Errorf("CRC of %d bits: bit %d has the check %#x", crc, i, v)
			}
			if seen[v] && crc >= 8 {
				t.Errorf("CRC of %d bits: two wrong bits cancel out", crc)
			}
			seen[v] = true
		}
	}
}

// TestNoise: the noise has the requested rate.
func TestNoise(t *testing.T) {
	n := newNoise(rand.New(rand.NewPCG(5, 6)), 1e-3, 80, 8)
	bits := 0
	for range 100_000 {
		wrong, _ := n.flit()
		bits += wrong
	}
	if bits < 7700 || bits > 8300 {
		t.Errorf("%d of 8,000,000 bits were wrong at 1e-3", bits)
	}
}
