package cenju4

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestHeader: Decode reads what Encode writes, and a field that does not fit its bits does not
// become another valid header.
func TestHeader(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		p := Parcel{
			PacketType(rng.IntN(16)), Protocol(rng.IntN(16)), Flags(rng.IntN(256)), uint8(rng.IntN(64)), uint16(rng.IntN(1 << 12)), uint32(rng.IntN(1 << 20)),
			[3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()},
		}
		if got := Decode(p.Encode()); got != p {
			t.Fatalf("%+v, want %+v", got, p)
		}
	}
	large := Parcel{Type: 16, Protocol: 17, Dest: 1<<12 | 3, Length: 1<<20 | 5}
	if got := Decode(large.Encode()); got.Type != 15 || got.Protocol != 15 || got.Dest != destMask || got.Length != lengthMask {
		t.Errorf("%+v", got)
	}
}

// TestPlain: the formula for lent memory has the same result as cutting packet by packet.
func TestPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		at, n := rng.Uint64N(3*PageBytes), rng.Uint64N(1<<rng.IntN(17))
		p := Parcel{Protocol: RemoteDMA, Length: uint32(n), Words: [3]uint64{uint64(LentFor(Address(at))), at}}
		var got [2]uint64
		cuts, left := p.Cutter(), n
		for first := true; ; first = false {
			cut, ok := cuts.Next(first)
			if !ok {
				break
			}
			got[0]++
			got[1] += uint64(cut.Coherent)
			if cut.NonCoherent != 0 || cut.Bytes > MaxPacket {
				t.Fatalf("%+v", cut)
			}
			left -= uint64(cut.Bytes)
		}
		if packets, lines := plain(at, n); got != [2]uint64{packets, lines} || left != 0 {
			t.Fatalf("%d bytes at %d: %v, %d left, the formula says %d packets, %d lines", n, at, got, left, packets, lines)
		}
	}
}

// TestPagePool compares the pool with a table of pages.
func TestPagePool(t *testing.T) {
	const pages = 64
	rng := rand.New(rand.NewPCG(8, 9))
	var pool pagePool
	pool.give(0, pages)
	var used [pages]bool
	var taken []pageRun
	for range 5000 {
		if len(taken) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(taken))
			r := taken[i]
			taken = slices.Delete(taken, i, i+1)
			for p := r.first; p < r.first+r.size; p++ {
				used[p] = false
			}
			pool.give(r.first, r.size)
			continue
		}
		n := 1 + rng.Uint64N(20)
		first, ok := pool.take(n)
		if ok != strings.Contains(table(used[:]), strings.Repeat(".", int(n))) {
			t.Fatalf("%d of %s: %v", n, table(used[:]), ok)
		}
		if !ok {
			continue
		}
		for p := first; p < first+n; p++ {
			if used[p] {
				t.Fatal("taken twice")
			}
			used[p] = true
		}
		taken = append(taken, pageRun{first, n})
	}
}

func table(used []bool) string {
	b := make([]byte, len(used))
	for i, u := range used {
		b[i] = map[bool]byte{false: '.', true: 'x'}[u]
	}
	return string(b)
}

// TestNetwork: a packet reaches its node from any other, through one switch of each stage, and a
// set is reached completely.
func TestNetwork(t *testing.T) {
	for _, c := range []struct{ nodes, stages, level, ports int }{
		{1, 2, 2, Ports}, {8, 2, 2, Ports}, {16, 2, 2, Ports}, {17, 4, 2, Ports}, {256, 4, 2, Ports}, {257, 6, 2, Ports}, {1024, 6, 2, Ports},
		{17, 3, 1, Ports}, {64, 1, 1, MostPorts}, {65, 2, 1, MostPorts}, {9, 1, 1, 16}, {17, 2, 1, 16}, {17, 5, 1, 2},
	} {
		nodes, stages := c.nodes, c.stages
		n := NewNetworkOf(nodes, c.level, c.ports)
		if n.Stages() != stages || n.Nodes() != nodes {
			t.Errorf("%d nodes: %d stages", nodes, n.Stages())
		}
		rng := rand.New(rand.NewPCG(1, uint64(nodes)))
		for range 200 {
			from, to := rng.IntN(nodes), rng.IntN(nodes)
			line := from
			for stage := range stages {
				bits := n.PortBits(stage, line, []int{to})
				if bits != 1<<n.Port(stage, to) {
					t.Fatalf("port bits %b", bits)
				}
				next := n.Next(stage, line, n.Port(stage, to))
				if n.Switch(stage, next) != n.Switch(stage, line) || n.Port(stage, next) != n.Port(stage, to) {
					t.Fatal("another switch")
				}
				line = next
			}
			if line != to {
				t.Fatalf("from %d to %d: came to %d", from, to, line)
			}
		}
		members := rng.Perm(nodes)[:1+rng.IntN(min(nodes, 20))]
		lines := []int{rng.IntN(nodes)}
		for stage := range stages {
			var out []int
			for _, line := range lines {
				for port := range n.Ports() {
					if n.PortBits(stage, line, members)>>port&1 != 0 {
						out = append(out, n.Next(stage, line, port))
					}
				}
			}
			lines = out
		}
		slices.Sort(lines)
		slices.Sort(members)
		if !slices.Equal(lines, members) {
			t.Errorf("%d nodes: came to %v of %v", nodes, lines, members)
		}
	}
}
