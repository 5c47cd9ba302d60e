package port

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/llc/route/routetest"
)

// openHosts opens a port for each of hosts, which are the numbers of the ranks' hosts.
func openHosts(t testing.TB, hosts []int, near, far ir.Caps) []*Port {
	all, err := routetest.Place(nictest.Loopback(len(hosts), near), far, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return openNICs(t, all)
}

// TestTrafficOnHosts has all ranks send messages of all protocols to all, on hosts drawn at random, and
// receive them from any source, or in a lane from one after the other.
func TestTrafficOnHosts(t *testing.T) {
	sizes := []int{0, 8, 40, 41, 1000, 4096, 4097, 9000, 9001, 33_000, 100_000}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 1))
		hosts := make([]int, 5)
		for i := range hosts {
			hosts[i] = rng.IntN(3)
		}
		near, far := nictest.DefaultCaps(), routetest.FarCaps()
		near.Remote, far.Remote = seed%3 != 1, seed%3 != 2
		ps := openHosts(t, hosts, near, far)
		size := func(from, to, i int) int { return sizes[(from*7+to*3+i)%len(sizes)] }
		const each = 11
		both(t, ps, func(p *Port, self int) {
			var sends []*llc.Request
			for i := range each {
				for to := range ps {
					if to != self {
						r := &llc.Request{Peer: to, Context: 4, Tag: i, Buf: payload(self*31+i, size(self, to, i))}
						p.Start(r, true)
						sends = append(sends, r)
					}
				}
			}
			if seed%2 == 0 {
				for i := range each {
					for from := range ps {
						if from != self {
							recv(t, p, 4, from, i, payload(from*31+i, size(from, self, i)))
						}
					}
				}
			} else {
				next := make([]int, len(ps))
				for range each * (len(ps) - 1) {
					st, _ := p.ProbeUntil("Probe", 4, llc.AnyPeer, llc.AnyTag, nil)
					i := next[st.Source]
					if next[st.Source]++; st.Tag != i {
						t.Errorf("seed %d: message %d of rank %d comes before message %d", seed, st.Tag, st.Source, i)
					}
					recv(t, p, 4, st.Source, st.Tag, payload(st.Source*31+st.Tag, size(st.Source, self, st.Tag)))
				}
			}
			for _, r := range sends {
				if p.Wait(r); r.Status.Err != nil {
					t.Errorf("seed %d: %v", seed, r.Status.Err)
				}
			}
		})
		for i, p := range ps {
			eventually(t, fmt.Sprintf("port %d of seed %d at rest", i, seed), func() bool { return atRest(p) })
		}
		if ps[0].Host(1) != hosts[1] {
			t.Errorf("rank 1 is on host %d, not %d", ps[0].Host(1), hosts[1])
		}
	}
}

// atRest reports whether a port holds nothing of a message.
func atRest(p *Port) bool {
	p.gate.enter() // without a call, which would keep the helper away
	defer p.gate.leave()
	s := p.eng.Snapshot()
	return s.Transfers+s.Segments+s.Words+s.Queued+s.Copies+s.Incoming+s.Posted+s.Unexpected+s.InFlight == 0
}

// TestSleepOnTwoNICs: a sleeper is woken by a message of either NIC.
func TestSleepOnTwoNICs(t *testing.T) {
	ps := openHosts(t, []int{0, 0, 1}, nictest.DefaultCaps(), routetest.FarCaps())
	for i := range 6 {
		from := 1 + i%2
		both(t, []*Port{ps[0], ps[from]}, func(p *Port, self int) {
			if self == 0 {
				recv(t, p, 4, llc.AnyPeer, i, payload(i, 100))
				return
			}
			eventually(t, "asleep", func() bool { return napping(ps[0]) })
			time.Sleep(time.Millisecond)
			send(t, p, 4, 0, i, payload(i, 100))
		})
	}
}
