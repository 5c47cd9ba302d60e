package syncctl

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rhinet/nicemu/vtime"
)

const us = vtime.Microsecond

// A log records which process resumed when.
type log struct {
	*Machine
	tb      testing.TB
	k       *vtime.Kernel
	resumed []end
	then    func(end) // if not nil, called for each
}

type end struct {
	at   vtime.Time
	node int
	c    Command
	s    Status
}

func (l *log) Resume(node int, c Command, s Status) {
	e := end{l.k.Now(), node, c, s}
	l.resumed = append(l.resumed, e)
	if l.then != nil {
		l.then(e)
	}
}

// bare makes a machine in which only links take time, unless settings change that.
func bare(tb testing.TB, t Torus, settings ...string) *log {
	tb.Helper()
	p := Parameters()
	for _, s := range append([]string{"pci.write=0", "pci.interrupt=0", "pe.wake=0", "bc.decode=0", "bc.interrupt=0", "bc.central=1"}, settings...) {
		if err := p.Set(s); err != nil {
			tb.Fatal(err)
		}
	}
	l := &log{tb: tb, k: new(vtime.Kernel)}
	m, err := NewMachine(l.k, t, p)
	if err != nil {
		tb.Fatal(err)
	}
	l.Machine = m
	return l
}

func (l *log) command(node int, c Command) {
	l.tb.Helper()
	if err := l.Command(node, c, l); err != nil {
		l.tb.Fatal(err)
	}
}

func (l *log) run() {
	l.tb.Helper()
	if err := l.k.Run(10_000_000); err != nil {
		l.tb.Fatal(err)
	}
}

// A late gives a command at a time.
type late struct {
	l    *log
	node int
	c    Command
}

func (a *late) Act(int, uint64) { a.l.command(a.node, a.c) }

func (l *log) at(t vtime.Time, node int, c Command) {
	l.k.Source("process").At(t, &late{l, node, c}, 0, 0)
}

// TestEventPacket checks section 10: an event packet is exactly 16 bytes, and all fields survive.
func TestEventPacket(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		p := Packet{
			uint16(rng.Uint32()), uint16(rng.Uint32()), uint8(rng.IntN(16)), uint16(rng.IntN(1 << 12)), Kind(rng.IntN(16)),
			uint16(rng.IntN(1 << 12)), uint16(rng.Uint32()), uint16(rng.Uint32()), rng.Uint32(),
		}
		b := p.Encode()
		if len(b) != 16 || Decode(b) != p {
			t.Fatalf("%+v became %+v in %d bytes", p, Decode(b), len(b))
		}
	}
	p := Packet{Source: 0x0102, Destination: 0x0304, IntLevel: 5, Control: 0x678, Kind: 9, ID: 0xabc, Data2: 0xdef0, Address: 0x1234, Status: 0x56789abc}
	if want := [16]byte{1, 2, 3, 4, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc}; p.Encode() != want {
		t.Errorf("%x, want %x", p.Encode(), want)
	}
}

func TestTorus(t *testing.T) {
	for _, g := range []Torus{{1, 1}, {1, 2}, {3, 3}, {4, 6}, {5, 5}, {6, 6}} {
		for a := range g.Nodes() {
			for b := range g.Nodes() {
				hops := 0
				for at := a; at != b; hops++ {
					at = g.Neighbour(at, g.Next(at, b))
				}
				if hops != g.Hops(a, b) {
					t.Fatalf("%v: %d hops from %d to %d, want %d", g, hops, a, b, g.Hops(a, b))
				}
			}
		}
	}
	if g := (Torus{3, 3}); g.Hops(0, 8) != 2 || g.Neighbour(0, Left) != 2 || g.Neighbour(0, Up) != 6 {
		t.Errorf("rings of three do not wrap round: %d hops", g.Hops(0, 8))
	}
	for n, want := range map[int]Torus{1: {1, 1}, 9: {3, 3}, 12: {3, 4}, 17: {1, 17}, 24: {4, 6}, 36: {6, 6}} {
		if g := Grid(n); g != want {
			t.Errorf("%d nodes are %v, want %v", n, g, want)
		}
	}
}

// TestOneHop checks section 10: a hop takes at most 3 us of virtual time, also for many packets at the
// same time, counted from when each gets the link.
func TestOneHop(t *testing.T) {
	l := bare(t, Torus{1, 2})
	if err := l.Prepare(1, SemaphoreP, 0, 100); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		l.command(0, Command{1, SemaphoreP, 0})
	}
	l.run()
	for i, e := range l.resumed {
		if want := vtime.Time(i)*1280*vtime.Nanosecond + 6*us; e.at != want {
			t.Errorf("answer %d after %v, want %v", i, e.at, want)
		}
	}
}

func everybodys(kind Kind) Command { return Command{Kind: kind} }

// TestBarriersAreSafe checks section 10: no resume before the last arrival, for all algorithms, with
// random arrivals; no process is left waiting, and barriers with the same sync_ID follow each other
// without cross-talk.
func TestBarriersAreSafe(t *testing.T) {
	const rounds = 6
	for _, kind := range []Kind{Aligned, MasterSlave, Shuffle, ModifiedShuffle} {
		most := 6
		if kind == Shuffle {
			most = 4
		}
		for rows := 1; rows <= most; rows++ {
			for columns := 1; columns <= most; columns++ {
				for seed := range uint64(3) {
					g := Torus{rows, columns}
					rng := rand.New(rand.NewPCG(seed, uint64(g.Nodes())))
					l := bare(t, g, "rp.event=200")
					round := make([]int, g.Nodes()) // of each process
					waits := make([]int, rounds+1)  // number of arrivals, by round
					l.then = func(e end) {
						r := round[e.node]
						if waits[r] < g.Nodes() {
							t.Fatalf("%v on %v, seed %d: node %d left barrier %d when %d of %d had arrived", kind, g, seed, e.node, r, waits[r], g.Nodes())
						}
						if round[e.node]++; round[e.node] < rounds {
							l.k.Source("p").After(vtime.Time(rng.IntN(60))*us, &arrive{l, e.node, kind, waits, round}, 0, 0)
						}
					}
					for n := range g.Nodes() {
						l.k.Source("p").At(vtime.Time(rng.IntN(60))*us, &arrive{l, n, kind, waits, round}, 0, 0)
					}
					l.run()
					if len(l.resumed) != rounds*g.Nodes() {
						t.Fatalf("%v on %v, seed %d: %d ends of %d", kind, g, seed, len(l.resumed), rounds*g.Nodes())
					}
				}
			}
		}
	}
}

type arrive struct {
	l     *log
	node  int
	kind  Kind
	waits []int
	round []int
}

func (a *arrive) Act(int, uint64) {
	a.waits[a.round[a.node]]++
	a.l.command(a.node, everybodys(a.kind))
}

// TestShuffleCounts checks section 10: packets and dependent chains of the exchanges. All arrive at the
// same time, so the time of the barrier is that of its chain.
func TestShuffleCounts(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		torus        Torus
		packets      uint64
		chain, hops3 int
	}{
		{ModifiedShuffle, Torus{4, 6}, 144, 6, 6},
		{ModifiedShuffle, Torus{6, 6}, 216, 6, 6},
		{Shuffle, Torus{4, 4}, 64, 4, 4},
		{Shuffle, Torus{2, 2}, 8, 2, 2},
		{Shuffle, Torus{1, 1}, 0, 0, 0},
		{MasterSlave, Torus{6, 6}, 70, 12, -1},
	} {
		l := bare(t, c.torus)
		for n := range c.torus.Nodes() {
			l.command(n, everybodys(c.kind))
		}
		l.run()
		if l.Packets() != c.packets || l.Chain() != c.chain {
			t.Errorf("%v on %v: %d packets, chain of %d; want %d, %d", c.kind, c.torus, l.Packets(), l.Chain(), c.packets, c.chain)
		}
		if end := l.resumed[len(l.resumed)-1].at; c.hops3 >= 0 && end != vtime.Time(c.hops3)*3*us {
			// The forwarded notice and the node's own may meet at a link: at most one packet
			// longer.
			if end < vtime.Time(c.hops3)*3*us || end > vtime.Time(c.hops3)*3*us+4*1280*vtime.Nanosecond {
				t.Errorf("%v on %v takes %v, want %d hops", c.kind, c.torus, end, c.hops3)
			}
		}
	}
}

// TestShuffleOfFiveIsRefused checks section 3.4: the exchange without forwarding supports sides of at
// most four.
func TestShuffleOfFiveIsRefused(t *testing.T) {
	l := bare(t, Torus{5, 4})
	if err := l.Command(0, everybodys(Shuffle), nil); !errors.Is(err, ErrCommand) || !strings.Contains(err.Error(), "sides of at most 4, not a torus of 5 x 4") {
		t.Error(err)
	}
	if err := bare(t, Torus{7, 1}).Command(0, everybodys(ModifiedShuffle), nil); !errors.Is(err, ErrCommand) {
		t.Error(err)
	}
}

// TestAlignedBarrier checks section 10: with constant hop times and the correction for the order of
// sending, all resume at the same instant; without it they do not.
func TestAlignedBarrier(t *testing.T) {
	for _, g := range []Torus{{1, 1}, {1, 5}, {3, 3}, {4, 6}, {6, 6}} {
		for _, corrected := range []bool{true, false} {
			setting := "rp.send-order=0"
			if corrected {
				setting = "rp.send-order=1"
			}
			l := bare(t, g, setting)
			for n := range g.Nodes() {
				l.at(vtime.Time(n*7%5)*us, n, Command{Home: g.Nodes() / 2, Kind: Aligned})
			}
			l.run()
			first, last := l.resumed[0].at, l.resumed[len(l.resumed)-1].at
			if corrected && first != last {
				t.Errorf("%v: the first goes on at %v, the last at %v", g, first, last)
			}
			if !corrected && g.Nodes() > 4 && first == last {
				t.Errorf("%v: without the correction all go on at %v", g, first)
			}
		}
	}
	l := bare(t, Torus{40, 40})
	if err := l.Command(0, everybodys(Aligned), nil); !errors.Is(err, ErrCommand) || !strings.Contains(err.Error(), "take a master/slave barrier") {
		t.Error(err)
	}
}

// TestGroupBarrier checks section 9: a barrier of a group is Master/Slave over its members.
func TestGroupBarrier(t *testing.T) {
	l := bare(t, Torus{3, 3})
	if err := l.Group(5, []int{1, 4, 7}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{7, 1, 4} {
		l.command(n, Command{1, MasterSlave, 5})
	}
	l.run()
	if len(l.resumed) != 3 || l.Packets() != 4 {
		t.Errorf("%d ends, %d packets", len(l.resumed), l.Packets())
	}
	for _, bad := range []Command{{2, MasterSlave, 5}, {1, MasterSlave, 5}} {
		if err := l.Command(2, bad, nil); !errors.Is(err, ErrCommand) {
			t.Errorf("%+v at node 2: %v", bad, err)
		}
	}
	for _, members := range [][]int{nil, {3, 2}, {1, 1}, {9}} {
		if err := l.Group(1, members); !errors.Is(err, ErrCommand) {
			t.Errorf("group %v: %v", members, err)
		}
	}
}

func TestBadCommands(t *testing.T) {
	l := bare(t, Torus{2, 2})
	for _, c := range []struct {
		node int
		c    Command
	}{
		{4, Command{0, NCLAcquire, 0}}, {-1, Command{0, NCLAcquire, 0}}, {0, Command{4, NCLAcquire, 0}},
		{0, Command{0, 0, 0}}, {0, Command{0, endKinds, 0}}, {0, Command{0, NCLAcquire, MostID + 1}}, {0, Command{0, NCLAcquire, -1}},
	} {
		if err := l.Command(c.node, c.c, nil); !errors.Is(err, ErrCommand) {
			t.Errorf("%+v at node %d: %v", c.c, c.node, err)
		}
	}
	if err := l.Prepare(0, Shuffle, 0, 0); !errors.Is(err, ErrCommand) {
		t.Error(err)
	}
	if err := l.Prepare(0, SemaphoreP, 0, -1); !errors.Is(err, ErrCommand) {
		t.Error(err)
	}
	for _, g := range []Torus{{0, 1}, {1, 0}, {1 << 10, 1 << 10}} {
		if _, err := NewMachine(new(vtime.Kernel), g, Parameters()); err == nil {
			t.Errorf("%v is a torus", g)
		}
	}
	p := Parameters()
	_ = p.Set("event.rate=1")
	if _, err := NewMachine(new(vtime.Kernel), Torus{1, 1}, p); err == nil || !strings.Contains(err.Error(), "set event.hop or event.rate") {
		t.Error(err)
	}
}

// TestRunsRepeat: a run depends only on its commands: two runs print the same.
func TestRunsRepeat(t *testing.T) {
	run := func() []end {
		rng := rand.New(rand.NewPCG(3, 4))
		l := bare(t, Torus{4, 6}, "rp.event=120")
		for n := range 24 {
			l.at(vtime.Time(rng.IntN(1000))*vtime.Nanosecond, n, everybodys(ModifiedShuffle))
		}
		l.run()
		return l.resumed
	}
	if a, b := run(), run(); !slices.Equal(a, b) {
		t.Errorf("%v\n%v", a, b)
	}
}
