package timed

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

func machine(t testing.TB, nodes int, settings ...string) *Machine {
	t.Helper()
	table := Parameters()
	if err := table.SetAll(settings); err != nil {
		t.Fatal(err)
	}
	m, err := New(nodes, table)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// times posts parcels at time 0 and returns when each arrived at its nodes.
func times(t testing.TB, m *Machine, parcels ...Parcel) (all []vtime.Time) {
	t.Helper()
	m.Arrived = func(int, *Parcel) { all = append(all, m.Now()) }
	for _, p := range parcels {
		if err := m.Post(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Run(); err != nil {
		t.Fatal(err)
	}
	return all
}

func dma(from, to, bytes int) Parcel {
	return Parcel{From: from, To: []int{to}, Protocol: cenju4.RemoteDMA, Bytes: bytes}
}

const ns = vtime.Nanosecond

// TestOneParcel: the times of the parts of the path, added up by hand.
func TestOneParcel(t *testing.T) {
	inline := dma(0, 1, 8)
	inline.Flags = cenju4.Inline
	many := inline
	many.To = []int{0, 1, 5, 9}
	add := Parcel{To: []int{1}, Protocol: cenju4.AtomicAdd, Bytes: 8}
	clean := dma(0, 1, 256)
	clean.Flushed = true
	clock := vtime.Nanoseconds(12.5)
	const rhm, spm, receiver, read, partial = 10, 4, 4, 160, 160
	for name, c := range map[string]struct {
		p     Parcel
		nodes int
		want  vtime.Time
	}{
		// RHM, SPM, switches, 9 flits, Receiver, a word, the rest of its line.
		"inline, 2 stages": {inline, 16, (rhm+spm+9+receiver+1)*clock + (2*125+partial)*ns},
		"inline, 4 stages": {inline, 32, (rhm+spm+9+receiver+1)*clock + (4*125+partial)*ns},
		"inline, 6 stages": {inline, 1024, (rhm+spm+9+receiver+1)*clock + (6*125+partial)*ns},
		"multicast":        {many, 32, (rhm+spm+9+receiver+1)*clock + vtime.Nanoseconds(4*187.5+partial)},
		"atomic add":       {add, 16, (rhm+spm+6+receiver)*clock + (2*125+partial)*ns},
		// The first line of data delays the packet, the second is read while the packet is sent.
		"two dirty lines": {dma(0, 1, 256), 16, (rhm+spm+102+receiver+32)*clock + (410+2*125)*ns},
		"two clean lines": {clean, 16, (rhm+spm+102+receiver+32)*clock + (read+2*125)*ns},
		"no data":         {dma(0, 1, 0), 16, (rhm+spm+6+receiver)*clock + 2*125*ns},
	} {
		got := times(t, machine(t, c.nodes), c.p)
		if len(got) != len(c.p.To) || got[0] != c.want || got[len(got)-1] != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestSteadyRate: packets of a long parcel follow each other at the rate of the slowest part. A
// FIFO memory of one packet is free again when the packet has left the switch.
func TestSteadyRate(t *testing.T) {
	const packets = 100
	for name, c := range map[string]struct {
		change func(p *Parcel)
		want   vtime.Time // for each packet
	}{
		"2 coherent":                {func(*Parcel) {}, vtime.Nanoseconds(102*12.5 + 125)},
		"3 coherent":                {func(p *Parcel) { p.Src, p.Flags = 64, cenju4.NotOptimised }, vtime.Nanoseconds(4*12.5 + 2*610 + 360)},
		"1 non-coherent":            {func(p *Parcel) { p.Src = 64 }, vtime.Nanoseconds(4*12.5 + 2*610 + 300)},
		"a difference of one word":  {func(p *Parcel) { p.Src = 4 }, vtime.Nanoseconds(4*12.5 + 2*610 + 360)},
		"a difference of two words": {func(p *Parcel) { p.Src = 8 }, vtime.Nanoseconds(4*12.5 + 2*610 + 300)},
	} {
		long, short := dma(0, 1, 2*packets*256), dma(0, 1, packets*256)
		c.change(&long)
		c.change(&short)
		// If source and destination are not aligned to each other, their pages end at different
		// places: one packet more for each page.
		a, b := times(t, machine(t, 16), long)[0], times(t, machine(t, 16), short)[0]
		if got := (a - b) / packets; got < c.want || got > c.want*106/100 {
			t.Errorf("%s: %v a packet, want %v", name, got, c.want)
		}
	}
}

// TestEverythingComesOnce: every parcel arrives once, for any load, and parcels to the same node
// arrive in order.
func TestEverythingComesOnce(t *testing.T) {
	for _, nodes := range []int{3, 16, 70, 1024} {
		for _, form := range [][]string{{"switch.level=1"}, {"switch.level=2"}, {"switch.level=1", "switch.ports=64"}} {
			rng := rand.New(rand.NewPCG(1, uint64(nodes)))
			m := machine(t, nodes, form...)
			due := map[[2]int]int{}
			latest := map[[2]int]int{}
			m.Arrived = func(node int, p *Parcel) {
				due[[2]int{p.Tag, node}]--
				pair := [2]int{p.From, node}
				if latest[pair] > p.Tag {
					t.Errorf("parcel %d of node %d comes after %d", p.Tag, p.From, latest[pair])
				}
				latest[pair] = p.Tag
			}
			for tag := 1; tag <= 600; tag++ {
				p := Parcel{From: rng.IntN(nodes), Protocol: cenju4.RemoteDMA, Bytes: 8 * rng.IntN(200), Src: 4 * rng.Uint64N(50), Dst: 8 * rng.Uint64N(500), Tag: tag}
				group := rng.IntN((nodes + 63) / 64)
				for _, i := range rng.Perm(min(64, nodes-64*group))[:1+rng.IntN(3)*rng.IntN(2)%min(64, nodes-64*group)] {
					p.To = append(p.To, 64*group+i)
				}
				if tag%3 == 0 {
					p.Protocol, p.Bytes, p.Src = cenju4.AtomicAdd, 8, 0
				}
				for _, to := range p.To {
					due[[2]int{tag, to}]++
				}
				if err := m.Post(p); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.Run(); err != nil {
				t.Fatal(err)
			}
			for at, n := range due {
				if n != 0 {
					t.Errorf("%d nodes: parcel %d comes to node %d %d times too few", nodes, at[0], at[1], n)
				}
			}
		}
	}
}

// TestSynchronization: each member gets one packet, which depends on all members, and episodes do
// not mix.
func TestSynchronization(t *testing.T) {
	for i, members := range [][]int{{5}, {0, 1}, {0, 17, 40, 63}, {3, 7, 11, 15, 19, 20, 21, 22, 23, 60}, {0, 17, 40, 63}} {
		form := []string{"switch.level=2"}
		if i == 4 { // all members at one switch
			form = []string{"switch.level=1", "switch.ports=64"}
		}
		m := machine(t, 64, form...)
		came := map[int]int{}
		posted := map[int]int{}
		const episodes = 5
		post := func(node int) {
			posted[node]++
			if err := m.Post(Parcel{From: node, To: members, Sync: true, Sid: 9}); err != nil {
				t.Fatal(err)
			}
		}
		m.Arrived = func(node int, _ *Parcel) {
			if !slices.Contains(members, node) {
				t.Errorf("a packet comes to node %d", node)
			}
			came[node]++
			for _, other := range members {
				if posted[other] < came[node] {
					t.Fatalf("node %d goes on before node %d has come", node, other)
				}
			}
			if came[node] < episodes {
				m.After(vtime.Time(node%7)*vtime.Microsecond, func() { post(node) })
			}
		}
		for i, node := range members {
			m.After(vtime.Time(i*i)*vtime.Microsecond, func() { post(node) })
		}
		if err := m.Run(); err != nil {
			t.Fatal(err)
		}
		for _, node := range members {
			if came[node] != episodes {
				t.Errorf("%v: node %d has met %d times", members, node, came[node])
			}
		}
	}
	one := times(t, machine(t, 64, "switch.level=1", "switch.ports=64"), Parcel{To: []int{0}, Sync: true})
	if one[0] != 14*vtime.Nanoseconds(12.5)+200*ns {
		t.Error(one)
	}
	// A single member: it never waits for a table.
	if got := times(t, machine(t, 64), Parcel{To: []int{0}, Sync: true}); got[0] != 14*vtime.Nanoseconds(12.5)+4*200*ns {
		t.Error(got)
	}
}

// TestBlockedDestination: with four header registers, parcels to other nodes can pass; with one
// they cannot.
func TestBlockedDestination(t *testing.T) {
	last := func(registers int) (at vtime.Time) {
		m := machine(t, 16, fmt.Sprintf("sender.registers=%d", registers))
		m.Arrived = func(node int, p *Parcel) {
			if p.Tag == 1 {
				at = m.Now()
			}
		}
		for i := range 8 { // all flood node 0
			for range 3 {
				if err := m.Post(dma(8+i, 0, 64<<10)); err != nil {
					t.Fatal(err)
				}
			}
		}
		p := dma(8, 5, 256)
		p.Tag = 1
		m.After(vtime.Microsecond, func() {
			if err := m.Post(dma(8, 0, 256)); err != nil {
				t.Error(err)
			}
			if err := m.Post(p); err != nil {
				t.Error(err)
			}
		})
		if err := m.Run(); err != nil {
			t.Fatal(err)
		}
		return at
	}
	if one, four := last(1), last(5); four*10 > one {
		t.Errorf("with 5 registers it comes at %v, with 1 at %v", four, one)
	}
}

// TestErrors: parcels that cannot be sent are refused.
func TestErrors(t *testing.T) {
	m := machine(t, 70)
	for name, c := range map[string]struct {
		p    Parcel
		want error
	}{
		"too long":     {dma(0, 1, cenju4.MaxParcel+8), cenju4.WrongLength},
		"askew":        {Parcel{To: []int{1}, Protocol: cenju4.RemoteDMA, Bytes: 64, Dst: 4}, cenju4.Misplaced},
		"from nowhere": {dma(70, 1, 8), errNode},
		"to nowhere":   {dma(0, 70, 8), errNode},
		"to nobody":    {Parcel{Protocol: cenju4.RemoteDMA}, errNode},
		"two groups":   {Parcel{To: []int{63, 64}, Protocol: cenju4.AtomicAdd, Bytes: 8}, errSet},
		"too large":    {Parcel{To: []int{1}, Sync: true}, cenju4.TooLarge},
		"read of many": {Parcel{To: []int{1, 2}, Protocol: cenju4.RemoteRead, Bytes: 8}, cenju4.NoProtocol},
	} {
		if err := m.Post(c.p); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, nodes := range []int{0, 1025} {
		if _, err := New(nodes, Parameters()); err == nil {
			t.Errorf("%d nodes", nodes)
		}
	}
	odd := Parameters()
	if err := odd.Set("switch.ports=12"); err != nil {
		t.Fatal(err)
	}
	if _, err := New(2, odd); !errors.Is(err, errPorts) {
		t.Error(err)
	}
	if err := Parameters().Set("clock=0"); !errors.Is(err, param.ErrSetting) {
		t.Error(err)
	}
}
