package port

import (
	"testing"

	"rhinet/llc"
	"rhinet/llc/nictest"
)

// TestRingMemory has 16 peers talk to each other with memory for three rings, for one, for less than one, and
// for all of the network's rings: so many are handed out, first come, first served, and every message
// arrives.
func TestRingMemory(t *testing.T) {
	const peers = 16
	caps := nictest.DefaultCaps()
	ring := llc.RingBytes(&caps)
	limits := []struct{ memory, rings int }{{3*ring + ring - 1, 3}, {ring, 1}, {ring - 1, 0}, {0, caps.Rings}}
	ps := openLimited(t, nictest.Loopback(peers, caps), func(i int) Limits { return Limits{RingMemory: limits[i%4].memory} })
	both(t, ps, func(p *Port, self int) {
		for round, n := range []int{8, 3000, 20000} { // in one packet, in several, by rendezvous
			for shift := 1; shift < peers; shift++ {
				to, from := (self+shift)%peers, (self+peers-shift)%peers
				var in, out llc.Request
				in.Peer, in.Tag, in.Buf = from, round, make([]byte, n)
				out.Peer, out.Tag, out.Buf = to, round, payload(self+round, n)
				p.Start(&in, false)
				p.Start(&out, true)
				p.Wait(&in)
				p.Wait(&out)
				if want := payload(from+round, n); in.Status.Err != nil || string(in.Buf) != string(want) {
					t.Errorf("peer %d: %d bytes of %d: %v", self, n, from, in.Status.Err)
					return
				}
			}
		}
	})
	for i, p := range ps {
		p.gate.enter() // its helper may be active
		got, want := p.eng.Snapshot().Rings, limits[i%4].rings
		p.gate.leave()
		if got != want {
			t.Errorf("peer %d has handed out %d rings, its memory is for %d", i, got, want)
		}
	}
}
