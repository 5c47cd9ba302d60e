package stepped

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/nicemu/martini"
)

// TestJointShiftsToAnyPlace compares J-joint with a plain copy, in bursts and at once, and checks
// that no byte around it changes (martini, section 7.2).
func TestJointShiftsToAnyPlace(t *testing.T) {
	src := make([]byte, 3*burst)
	fill(src, 3)
	for shift := range 8 {
		for _, size := range []int{1, 2, 7, 8, 9, 15, 16, 17, 63, 100, burst - 1, burst, burst + 1, 2*burst + 5} {
			mem := bytes.Repeat([]byte{0xcc}, size+32)
			want := bytes.Clone(mem)
			copy(want[8+shift:], src[:size])
			j := joint{shift: uint(shift)}
			dst := mem[8+shift : 8+shift+size : 8+shift+size]
			for at := 0; at < size; at += burst {
				j.pass(dst, at, src[at:min(at+burst, size)])
			}
			if !bytes.Equal(mem, want) {
				t.Errorf("shift %d, %d bytes: memory differs", shift, size)
			}
		}
	}
}

// TestMasterBeforeSlave checks the rule for master and slave, and that transfers without a common
// end run concurrently while others wait (martini, section 7.3).
func TestMasterBeforeSlave(t *testing.T) {
	both := 0
	var m *Machine
	o := Options{Observe: func(e Event) {
		n := m.nodes[0]
		used, running := map[target]int{}, 0
		for i := range n.engines {
			if s := n.regs[PCIDMAC+Module(i)].state; s == DATA {
				running++
				used[target(i)]++
				used[n.engines[i].now.slave]++
			} else if s == SREQ {
				used[target(i)]++
			}
		}
		for at, times := range used {
			if at < buffers && times > 1 {
				t.Errorf("step %d: target %d has %d transfers", e.Step, at, times)
			}
		}
		if running > 1 {
			both++
		}
	}}
	w := newWorld(t, 1, 4, o)
	m = w.m
	n := m.nodes[0]
	frame, ok := n.nic.Frame(keyOf(n), addr(w.areas[0])/pageBytes, 0, pageBytes)
	if !ok {
		t.Fatal("no frame")
	}
	p := m.packet(MTU)
	for range 4 {
		if !frame.Hold() {
			t.Fatal("no hold")
		}
		n.ask(fromInitiator, transfer{master: pci, slave: buffers, kind: fetchPayload, frame: frame, size: MTU / 4, packet: p})
		n.ask(fromCPU, transfer{master: dimm, slave: sram, kind: readTable, size: 4 * burst})
		n.ask(fromRBend, transfer{master: pci, slave: sram, kind: readTable, size: 2 * burst})
		n.ask(fromReplier, transfer{master: sram, slave: buffers, kind: readTable, size: 3 * burst})
	}
	n.busy = true
	w.run()
	if both == 0 {
		t.Error("transfers without a common end never ran at once")
	}
	if n.served != 4 {
		t.Errorf("%d of 4 requests of firmware ended", n.served)
	}
}

func keyOf(n *node) uint64 {
	key, _ := n.nic.Owner(0)
	return key
}

// TestReceptionIsNotPipelined checks that RFend begins no packet before the payload of the previous
// one has left the receive FIFO (martini, section 7.2).
func TestReceptionIsNotPipelined(t *testing.T) {
	var m *Machine
	began := 0
	o := Options{Observe: func(e Event) {
		if e.Node == 1 && e.Module == RFend && e.To == FLIT0 {
			began++
			if m.nodes[1].rb.start {
				t.Error("RFend began while RBend had a payload")
			}
		}
	}}
	w := newWorld(t, 2, 8, o)
	m = w.m
	for i := range 4 {
		if _, err := m.Push(0, i, martini.Request{Node: 1, Segment: w.seg[1]}, w.areas[0]); err != nil {
			t.Fatal(err)
		}
	}
	w.run()
	if want := 4 * 8 * pageBytes / MTU; began != want {
		t.Errorf("%d packets, want %d", began, want)
	}
}

// TestAckOnlyInTheLastPacket checks section 4.4.
func TestAckOnlyInTheLastPacket(t *testing.T) {
	acks, headers := 0, 0
	w := newWorld(t, 2, 8, Options{Observe: func(e Event) {
		if e.Module == Replier && e.From == ACK && e.To == IDLE {
			acks++
		}
		if e.Module == Header && e.From == BUILD {
			headers++
		}
	}})
	w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: w.seg[1], Flag: 1}, w.areas[0][5:5+5*MTU+1]))
	if acks != 1 || headers != 6 {
		t.Errorf("%d acks for %d packets", acks, headers)
	}
}

// TestTLBGeometry checks the real sizes (martini, section 5.1): entries that fit stay, and of those
// that conflict the least recently used is replaced.
func TestTLBGeometry(t *testing.T) {
	for _, g := range []Geometry{Host32, Host64} {
		c := newTLB[segment](g)
		for i := range uint64(g.Sets * g.Ways) {
			c.replace(7, i, segment{start: i})
		}
		for i := range uint64(g.Sets * g.Ways) {
			if v := c.find(7, i); v == nil || v.start != i {
				t.Fatalf("%v: entry %d of %d is gone", g, i, g.Sets*g.Ways)
			}
		}
		c.find(7, 0)
		c.replace(7, uint64(g.Sets*g.Ways), segment{})
		if kept := c.find(7, 0) != nil; kept != (g.Ways > 1) {
			t.Errorf("%v: the entry used last is kept: %v", g, kept)
		}
		if c.find(8, 1) != nil {
			t.Error("another key hits")
		}
	}
}

func TestMachinesOfImpossibleShape(t *testing.T) {
	_, boss, nics := openNICs(t, 2)
	_, _, others := openNICs(t, 2)
	for name, c := range map[string]struct {
		nics []*martini.NIC
		o    Options
	}{
		"no node":         {nil, Options{}},
		"one of two":      {nics[:1], Options{}},
		"wrong order":     {[]*martini.NIC{nics[1], nics[0]}, Options{}},
		"another job's":   {others, Options{}},
		"three sets":      {nics, Options{TLB: Geometry{3, 1}}},
		"no ways":         {nics, Options{TLB: Geometry{4, 0}}},
		"too many ways":   {nics, Options{TLB: Geometry{4, 99}}},
		"missing in line": {[]*martini.NIC{nics[0], nil}, Options{}},
	} {
		if m, err := New(boss, c.nics, c.o); err == nil || m != nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestKicksOfImpossibleShape(t *testing.T) {
	w := newWorld(t, 1, 1, Options{})
	errOf := func(_ uint64, err error) error { return err }
	for name, err := range map[string]error{
		"node":          errOf(w.m.Kick(1, 0, martini.DWKick, 1)),
		"window":        errOf(w.m.Kick(0, martini.Windows, martini.DWKick, 1)),
		"no kick":       errOf(w.m.Kick(0, 0, martini.DWLocal, 1)),
		"push window":   errOf(w.m.Push(0, -1, martini.Request{}, nil)),
		"botf no node":  errOf(w.m.Botf(7, 0, &martini.Packet{})),
		"request again": errors.Join(errOf(w.m.Push(0, 0, martini.Request{}, nil)), errOf(w.m.Botf(0, 0, &martini.Packet{}))),
		"kick again":    errOf(w.m.Kick(0, 0, martini.DWKick, 1)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w.run()
	full := 0
	for range 2 * writeDepth {
		if errors.Is(w.m.WriteAOTF(0, 0, 0), ErrFull) {
			full++
		}
	}
	w.run()
	if n, _ := w.nics[0].Refused(martini.NoHeader); full != writeDepth || n != writeDepth {
		t.Errorf("%d writes did not fit, %d found no header", full, n)
	}
	if err := w.m.WriteAOTF(1, 0, 0); err == nil {
		t.Error("an AOTF write at no node")
	}
}

// TestEventsReportWork checks that each step of a module that is not at rest names its kind of work
// (martini, section 12).
func TestEventsReportWork(t *testing.T) {
	kinds := map[Work]int{}
	bytes := 0
	w := newWorld(t, 2, 2, Options{Observe: func(e Event) {
		kinds[e.Work]++
		if e.Node == 0 && e.Module == PCIDMAC {
			bytes += e.Bytes
		}
	}})
	w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: w.seg[1]}, w.areas[0][:5000]))
	for k := range Works {
		if kinds[k] == 0 {
			t.Errorf("no step of %v", k)
		}
	}
	if bytes != 5000+8 { // and contflag
		t.Errorf("%d bytes by DMA", bytes)
	}
}

// TestRequestsFromManyAtOnce checks that concurrent requests of all nodes, on separate memory, have
// the same result as one after the other, whatever delays the packets.
func TestRequestsFromManyAtOnce(t *testing.T) {
	const ranks, part, waves = 4, 2*MTU + 77, 40
	rng := rand.New(rand.NewPCG(5, 6))
	w := newWorld(t, ranks, 12, Options{TLB: Geometry{1, 2}, Timeout: 30})
	for wave := range waves {
		want := make([][]byte, ranks)
		for i := range want {
			fill(w.areas[i], byte(wave*7+i))
			want[i] = bytes.Clone(w.areas[i])
		}
		for i := range ranks {
			for j := range ranks {
				near, far, size := j*part+rng.IntN(40), (ranks+i)*part+rng.IntN(40), rng.IntN(part-40)
				r := martini.Request{Node: j, Segment: w.seg[j], Offset: uint64(far), Flag: 1}
				kick := w.m.Push
				if rng.IntN(2) == 0 {
					kick = w.m.Pull
					copy(want[i][near:near+size], w.areas[j][far:])
				} else {
					copy(want[j][far:far+size], w.areas[i][near:])
				}
				if _, err := kick(i, j, r, w.areas[i][near:near+size:near+size]); err != nil {
					t.Fatal(err)
				}
				for range rng.IntN(100) {
					w.m.Step()
				}
			}
		}
		w.run()
		for i := range ranks {
			if !bytes.Equal(w.areas[i], want[i]) {
				t.Fatalf("wave %d: node %d differs", wave, i)
			}
			for j := range ranks {
				if win := w.nics[i].Window(j); win.Flag(1) != uint64(wave+1) || win.Contflag() != uint64(wave+1) {
					t.Fatalf("wave %d: request %d of node %d is not complete", wave, j, i)
				}
			}
		}
	}
	w.continues("all at once")
}

// TestStepsDoNotAllocate checks the warm path.
func TestStepsDoNotAllocate(t *testing.T) {
	w := newWorld(t, 2, 4, Options{})
	push := func() {
		if _, err := w.m.Push(0, 0, martini.Request{Node: 1, Segment: w.seg[1], Flag: 1}, w.areas[0][:5000]); err != nil {
			t.Fatal(err)
		}
		if err := w.m.Run(stepLimit); err != nil {
			t.Fatal(err)
		}
	}
	push()
	if n := testing.AllocsPerRun(50, push); n > 0 {
		t.Errorf("%v allocations for a PUSH", n)
	}
}

// TestTraceNamesBytes checks the lines of a trace.
func TestTraceNamesBytes(t *testing.T) {
	var out strings.Builder
	if err := Show(&out, "push", 3000); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"transfer of 2104 bytes", "transfer of 1008 bytes", "Initiator CHK2     -> IPA       request: data left"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the trace lacks %q", line)
		}
	}
}

// BenchmarkStep measures the speed of a machine of two nodes that both push.
func BenchmarkStep(b *testing.B) {
	for _, size := range []int{8, MTU, 8 * pageBytes} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			w := newWorld(b, 2, 8, Options{})
			serial := [2]uint64{}
			from := w.m.Clock()
			for w.m.Clock()-from < uint64(b.N) {
				for i := range 2 {
					if w.nics[i].Window(0).Contflag() == serial[i] {
						serial[i]++
						if _, err := w.m.Push(i, 0, martini.Request{Node: 1 - i, Segment: w.seg[1-i], Flag: 1}, w.areas[i][:size]); err != nil {
							b.Fatal(err)
						}
					}
				}
				w.m.Step()
			}
			b.ReportMetric(float64(w.m.Clock()-from)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkTrace measures the cost of tracing.
func BenchmarkTrace(b *testing.B) {
	for b.Loop() {
		if err := Show(io.Discard, "push", 8); err != nil {
			b.Fatal(err)
		}
	}
}
