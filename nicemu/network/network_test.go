package network

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// parameters returns the table of a design with settings.
func parameters(t testing.TB, design string, settings ...string) *param.Table {
	t.Helper()
	p, err := Parameters(design)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		if err := p.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func generate(t testing.TB, text string) *Topology {
	t.Helper()
	topology, err := Generate(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

// A rig is a network whose deliveries are checked: no packet arrives twice, and packets between two
// hosts arrive in order.
type rig struct {
	*Network
	k    *vtime.Kernel
	t    testing.TB
	next map[[2]int]uint64 // number of the next packet to send
	last map[[2]int]uint64 // number of the next packet to arrive
	sum  vtime.Time
}

func newRig(t testing.TB, topology *Topology, p *param.Table, seed uint64) *rig {
	t.Helper()
	k := new(vtime.Kernel)
	n, err := New(k, topology, p, seed)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{n, k, t, map[[2]int]uint64{}, map[[2]int]uint64{}, 0}
	for h := range n.Hosts() {
		n.Attach(h, r)
	}
	return r
}

func (r *rig) Head(*Packet) {}

func (r *rig) Tail(p *Packet) bool {
	pair := [2]int{p.Src, p.Dst}
	if number := p.Payload.(uint64); number != r.last[pair] {
		r.t.Fatalf("packet %d from %d to %d came where %d was due", number, p.Src, p.Dst, r.last[pair])
	}
	r.last[pair]++
	r.sum += p.Arrived - p.Born
	return true
}

func (r *rig) send(src, dst, bytes int) *Packet {
	r.t.Helper()
	pair := [2]int{src, dst}
	p := &Packet{ID: r.next[pair], Src: src, Dst: dst, Bytes: bytes, Payload: r.next[pair]}
	r.next[pair]++
	if err := r.Send(p); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// fill has every host send a number of packets to others, all at the same time.
func (r *rig) fill(packets int, seed uint64) {
	draw := rand.New(rand.NewPCG(seed, 3))
	for range packets {
		for src := range r.Hosts() {
			r.send(src, (src+1+draw.IntN(r.Hosts()-1))%r.Hosts(), draw.IntN(r.s.mtu+1))
		}
	}
}

// drain runs until nothing moves; every packet must have arrived, no link can have sent for more
// than the whole time, no buffer can have held more than its size, and the integral of the packets
// inside is the sum of latencies (Little's law).
func (r *rig) drain() {
	r.t.Helper()
	if err := r.k.Run(50_000_000); err != nil {
		r.t.Fatal(err)
	}
	c := r.Counts()
	if c.Sent != c.Delivered || r.Stuck() || r.Inside().Level() != 0 {
		r.t.Fatalf("%d packets sent, %d delivered", c.Sent, c.Delivered)
	}
	for pair, n := range r.next {
		if r.last[pair] != n {
			r.t.Fatalf("%d of %d packets from %d to %d", r.last[pair], n, pair[0], pair[1])
		}
	}
	for _, w := range r.Wires() {
		if w.Utilisation < 0 || w.Utilisation > 1 || w.Buffered > int64(r.s.buffer) || w.OutOfOrder > 0 {
			r.t.Fatalf("%+v with a buffer of %d", w, r.s.buffer)
		}
	}
	if in := r.Inside().Integral(r.k.Now()); in != float64(c.Latency) || c.Latency != r.sum {
		r.t.Fatalf("integral of packets inside %v, sum of latencies %d", in, c.Latency)
	}
}

// TestLatencyOfOnePacket: the time of one packet is that of its flits on the link, of the medium,
// and of the switches that read its header (martini, sections 1.2, 1.5, 12.1).
func TestLatencyOfOnePacket(t *testing.T) {
	flits := 5 + 256
	flit := vtime.Time(flits) * 80 * vtime.Second / 6e9 // 13.33 ns each
	for topology, want := range map[string]vtime.Time{
		"pair": flit + 10*vtime.Nanosecond,
	} {
		r := newRig(t, generate(t, topology), parameters(t, "rhinet2"), 1)
		p := r.send(0, 1, 2048)
		r.drain()
		if p.Arrived != want || p.Hops != 1 {
			t.Errorf("%s: %v after %d links; want %v", topology, p.Arrived, p.Hops, want)
		}
	}
	// A switch adds less than a packet's time, because it cuts through. Every switch adds the same,
	// up to the link's clock: header, 10 ns of medium, route, cross.
	before := flit + 10*vtime.Nanosecond
	for n := 1; n <= 4; n++ {
		r := newRig(t, generate(t, fmt.Sprintf("line:%dx2", n)), parameters(t, "rhinet2"), 1)
		p := r.send(0, r.Hosts()-1, 2048)
		r.drain()
		more := p.Arrived - before
		if least := 143 * vtime.Nanosecond; more < least || more > least+2*14*vtime.Nanosecond || p.Hops != n+1 {
			t.Errorf("%d switches: %v, that is %v more", n, p.Arrived, more)
		}
		before = p.Arrived
	}
}

// TestOneStreamFillsTheLink: a single sender fills its link, with any flow control, also over
// hundreds of metres.
func TestOneStreamFillsTheLink(t *testing.T) {
	for _, c := range []struct {
		design string
		set    []string
	}{{"rhinet2", nil}, {"rhinet3", nil}, {"rhinet2", []string{"link.length=200"}}, {"rhinet3", []string{"link.length=500", "switch.buffer=16384", "link.sequence-bits=10"}},
		{"rhinet3", []string{"link.bit-errors=1e-12", "link.length=150"}}} {
		r := newRig(t, generate(t, "line:2x1"), parameters(t, c.design, c.set...), 1)
		for range 200 {
			r.send(0, 1, 2048)
		}
		r.drain()
		got := float64(r.Counts().Bytes) * 261 / 256 / r.k.Now().Seconds()
		if got < 0.97*r.DataRate() || got > r.DataRate() {
			t.Errorf("%s %v: %.1f of %.1f Mbyte/s", c.design, c.set, got/1e6, r.DataRate()/1e6)
		}
	}
	// On 1 km more flits are in flight than 8 bits can number: 255 in a round trip of 10 us and one
	// flit. 11 bits are enough.
	for bits, want := range map[int]float64{8: 255 * 8 / 10.016e-6, 11: 1e9} {
		r := newRig(t, generate(t, "pair"), parameters(t, "rhinet3", "link.length=1000", "switch.buffer=32768", fmt.Sprintf("link.sequence-bits=%d", bits)), 1)
		for range 1000 {
			r.send(0, 1, 2048)
		}
		r.drain()
		if got := float64(r.Counts().Bytes) * 261 / 256 / r.k.Now().Seconds(); got < 0.98*want || got > 1.01*want {
			t.Errorf("%d bits: %.1f Mbyte/s; want %.1f", bits, got/1e6, want/1e6)
		}
	}
	r := newRig(t, generate(t, "pair"), parameters(t, "rhinet2"), 1)
	if rate := r.DataRate(); rate != 600e6 {
		t.Errorf("the data rate is %v; the specification has 600 Mbyte/s", rate)
	}
}

// TestFullNetworksDrain: full networks of several kinds drain; each packet arrives once and in
// order.
func TestFullNetworksDrain(t *testing.T) {
	for _, design := range []string{"rhinet2", "rhinet3"} {
		for _, topology := range []string{"pair", "one:7", "line:5x3", "ring:6x3", "full:4x4", "tree:3x2x2", "random:10x2x5"} {
			for _, set := range [][]string{nil, {"switch.arbitration=oldest", "network.method=full", "switch.inputs=2"}} {
				r := newRig(t, generate(t, topology), parameters(t, design, append(set, "switch.channels=10", "switch.buffer=7400")...), 1)
				r.fill(20, 1)
				r.drain()
			}
		}
	}
}

// TestBitErrors: with 10^-4 wrong bits, RHiNET-3 loses, duplicates, reorders and damages nothing:
// one flit in 126 is wrong. ECC corrects the errors of RHiNET-2.
func TestBitErrors(t *testing.T) {
	for _, c := range []struct{ design, errors string }{{"rhinet3", "1e-4"}, {"rhinet3", "1e-3"}, {"rhinet3", "5e-3"}, {"rhinet2", "1e-4"}} {
		r := newRig(t, generate(t, "random:6x2x3"), parameters(t, c.design, "link.bit-errors="+c.errors), 1)
		r.fill(60, 1)
		r.drain()
		var all LinkErrors
		for _, w := range r.Wires() {
			all.Flits += w.Flits
			all.WrongFlits += w.WrongFlits
			all.Rejected += w.Rejected
			all.Corrected += w.Corrected
			all.Resent += w.Resent
			all.Unseen += w.Unseen
			all.Timeouts += w.Timeouts
		}
		share := float64(all.WrongFlits) / float64(all.Flits)
		if c.errors == "1e-4" && (share < 0.007 || share > 0.009 || r.Counts().Damaged > 0) {
			t.Errorf("%s, %s: %.2g of the flits were wrong, %d packets damaged", c.design, c.errors, share, r.Counts().Damaged)
		}
		if repaired := all.Rejected + all.Corrected + all.Unseen; repaired != all.WrongFlits || all.WrongFlits < 100 {
			t.Errorf("%s: %+v", c.design, all)
		}
		if c.design == "rhinet3" && (all.Resent < all.Rejected || all.Timeouts == 0) {
			t.Errorf("%s: %+v: what was rejected was not sent again, or no rejection was lost", c.design, all)
		}
		if c.errors == "5e-3" && r.Counts().Damaged == 0 {
			t.Error("8 bits of CRC saw all of very many errors")
		}
	}
}

// TestDeterminism: a run repeats exactly, on any number of processors, and depends on the seed of
// the errors.
func TestDeterminism(t *testing.T) {
	run := func(seed uint64) string {
		r := newRig(t, generate(t, "random:8x2x1"), parameters(t, "rhinet3", "link.bit-errors=1e-4"), seed)
		var out bytes.Buffer
		trace := vtime.NewTextTracer(&out)
		r.k.Observe(trace)
		r.fill(10, 1)
		r.drain()
		if err := trace.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	first := run(1)
	if first == run(2) || strings.Count(first, " head ") < 160 {
		t.Error("the trace does not depend on the seed, or has too little")
	}
	for _, n := range []int{1, 2} {
		before := runtime.GOMAXPROCS(n)
		again := run(1)
		runtime.GOMAXPROCS(before)
		if again != first {
			t.Errorf("another trace with GOMAXPROCS=%d", n)
		}
	}
}

// keeper keeps the packets of a host.
type keeper struct{ kept []*Packet }

func (s *keeper) Head(*Packet) {}
func (s *keeper) Tail(p *Packet) bool {
	s.kept = append(s.kept, p)
	return false
}

// TestSlowSinkHoldsBack: a host that keeps its packets blocks its sender through all buffers
// between them, and nothing is lost.
func TestSlowSinkHoldsBack(t *testing.T) {
	for _, design := range []string{"rhinet2", "rhinet3"} {
		r := newRig(t, generate(t, "line:2x1"), parameters(t, design), 1)
		s := &keeper{}
		r.Attach(1, s)
		for range 40 {
			r.send(0, 1, 2048)
		}
		if err := r.k.Run(100_000); err != nil {
			t.Fatal(err)
		}
		if n := len(s.kept); n < 2 || n > 4 || !r.Stuck() {
			t.Fatalf("%s: a buffer of %d flits holds %d packets of 261", design, r.s.buffer, n)
		}
		for i := 0; i < len(s.kept); i++ {
			r.Release(s.kept[i])
			if err := r.k.Run(100_000); err != nil {
				t.Fatal(err)
			}
		}
		if c := r.Counts(); c.Delivered != 40 || len(s.kept) != 40 || r.Stuck() {
			t.Errorf("%s: %+v, %d kept", design, c, len(s.kept))
		}
		func() {
			defer func() {
				if recover() != notKept {
					t.Error("a packet was released twice")
				}
			}()
			r.Release(s.kept[0])
		}()
	}
}

// TestPacketSentOn: a host may send a packet on as soon as it has arrived.
func TestPacketSentOn(t *testing.T) {
	r := newRig(t, generate(t, "one:3"), parameters(t, "rhinet3"), 1)
	on := &resender{r.Network, rand.New(rand.NewPCG(1, 1))}
	for h := range 3 {
		r.Attach(h, on)
	}
	on.Tail(&Packet{Dst: 1, Bytes: 64})
	for r.Counts().Delivered < 1000 && r.k.Step() {
	}
	if c := r.Counts(); c.Sent != 1001 || c.Delivered != 1000 || r.Inside().Level() != 1 || r.Inside().Most() != 1 {
		t.Errorf("%+v, %d inside, at most %d", c, r.Inside().Level(), r.Inside().Most())
	}
}

func TestWrongPackets(t *testing.T) {
	r := newRig(t, generate(t, "pair"), parameters(t, "rhinet2"), 1)
	for _, p := range []*Packet{{Src: 0, Dst: 0}, {Src: -1, Dst: 0}, {Src: 0, Dst: 2}, {Src: 0, Dst: 1, Bytes: 2049}, {Src: 0, Dst: 1, Bytes: -1}} {
		if err := r.Send(p); err == nil {
			t.Errorf("%+v was sent", p)
		}
	}
	if r.Counts() != (Counts{}) {
		t.Errorf("%+v", r.Counts())
	}
}

// TestWrongNetworks: parameters and topologies that do not fit together are refused.
func TestWrongNetworks(t *testing.T) {
	for _, c := range []struct {
		design, topology, set, want string
		kind                        error
	}{
		{"rhinet2", "pair", "link.raw-bits=40", "link.raw-bits 40 are less than link.data-bits 64", ErrParameters},
		{"rhinet3", "pair", "link.sequence-bits=14", "leave 2 bits of CRC; it takes 4 to 14", ErrParameters},
		{"rhinet3", "pair", "switch.channels=64", "switch.buffer / switch.channels is 128 flits; a packet of packet.mtu has 261", ErrParameters},
		{"rhinet2", "pair", "switch.go=900", "switch.slack and switch.go are 1348 flits; a channel has 1024", ErrParameters},
		{"rhinet2", "pair", "link.length=400", "link h0-h1 needs a switch.slack of 561 flits", ErrParameters},
		{"rhinet2", "one:9", "switch.ports=8", "switch s0 has 9 links and 8 ports", ErrTopology},
		{"rhinet2", "full:4x4", "switch.channels=1", "needs 2 virtual channels, and switch.channels is 1", ErrTopology},
	} {
		_, err := New(new(vtime.Kernel), generate(t, c.topology), parameters(t, c.design, c.set), 1)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: %v; want %s", c.topology, c.set, err, c.want)
		}
	}
	if _, err := Parameters("rhinet9"); !errors.Is(err, ErrParameters) || !strings.Contains(err.Error(), "there is rhinet2, rhinet3") {
		t.Error(err)
	}
}

// TestNoAllocations: in steady state the network allocates nothing.
func TestNoAllocations(t *testing.T) {
	for _, design := range []string{"rhinet2", "rhinet3"} {
		r := newRig(t, generate(t, "full:4x2"), parameters(t, design), 1)
		packets := make([]*Packet, r.Hosts())
		for h := range packets {
			r.Attach(h, nil)
			packets[h] = &Packet{Src: h, Dst: (h + 3) % r.Hosts(), Bytes: 512}
		}
		step := func() {
			for _, p := range packets {
				if err := r.Send(p); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.k.Run(100_000); err != nil {
				t.Fatal(err)
			}
		}
		step()
		if n := testing.AllocsPerRun(50, step); n != 0 {
			t.Errorf("%s: %v allocations for %d packets", design, n, len(packets))
		}
	}
}

// BenchmarkFull has 16 hosts on four switches send at random; one operation is one event.
func BenchmarkFull(b *testing.B) {
	var k vtime.Kernel
	p, err := Parameters("rhinet2")
	if err != nil {
		b.Fatal(err)
	}
	n, err := New(&k, generate(b, "full:4x4"), p, 1)
	if err != nil {
		b.Fatal(err)
	}
	draw := rand.New(rand.NewPCG(1, 1))
	again := &resender{n, draw}
	for h := range n.Hosts() {
		n.Attach(h, again)
		for range 4 {
			again.Tail(&Packet{Dst: h, Bytes: 512})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		k.Step()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(n.Counts().Delivered)/float64(b.N), "packets/event")
}

// resender sends its packets on to a random host.
type resender struct {
	n *Network
	r *rand.Rand
}

func (r *resender) Head(*Packet) {}
func (r *resender) Tail(p *Packet) bool {
	p.Src, p.Dst = p.Dst, (p.Dst+1+r.r.IntN(r.n.Hosts()-1))%r.n.Hosts()
	if err := r.n.Send(p); err != nil {
		panic(err)
	}
	return true
}
