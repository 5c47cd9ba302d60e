package network

import (
	"fmt"
	"testing"

	"rhinet/nicemu/vtime"
)

// TestLastFlitWaits: the last flit of a packet does not leave a switch before it has arrived there.
func TestLastFlitWaits(t *testing.T) {
	r := newRig(t, generate(t, "line:2x1"), parameters(t, "rhinet3"), 1)
	o := r.crossbars[0].outputs[1]
	late := 100 * vtime.Microsecond
	v := &visit{p: &Packet{}, w: r.wires[0], in: r.crossbars[0].inputs[0], flits: 10, tail: late}
	first, end := o.w.send(v)
	leaves := late + r.s.route + r.s.cross
	if first > vtime.Microsecond || end < leaves+r.s.flit.Span(1) || end > leaves+2*r.s.flit.Span(1)+1 {
		t.Errorf("first flit at %v, end at %v; the last one came at %v", first, end, late)
	}
	if far := *o.w.heads.At(0); far.tail != end+o.w.delay {
		t.Errorf("the last flit arrives at %v; it left at %v", far.tail, end)
	}
}

// TestLinesOfTheCrossbar: an input sends as many packets through the crossbar at the same time as
// it has lines, and an output one; the packets of a wire follow one another.
func TestLinesOfTheCrossbar(t *testing.T) {
	for lines := 1; lines <= 2; lines++ {
		r := newRig(t, generate(t, "ring:7x2"), parameters(t, "rhinet3", "network.method=full", fmt.Sprintf("switch.inputs=%d", lines)), 1)
		r.fill(40, 1)
		most := 0
		ends := make([]int64, len(r.wires))
		for r.k.Step() {
			for _, x := range r.crossbars {
				busy := map[*input]int{}
				for _, o := range x.outputs {
					if o.w.busy {
						busy[o.w.cur.in]++
					}
				}
				for in, n := range busy {
					if most = max(most, n); n != in.lines {
						t.Fatalf("%d packets cross from an input that counts %d", n, in.lines)
					}
				}
			}
			for i, w := range r.wires {
				if w.slot != ends[i] && w.clock.Index(w.first) < ends[i] {
					t.Fatalf("%s: a packet begins at slot %d, the one before ends at %d", w.name, w.clock.Index(w.first), ends[i])
				}
				ends[i] = w.slot
			}
		}
		if most != lines {
			t.Errorf("%d packets crossed from one input at once; it has %d lines", most, lines)
		}
		r.drain()
	}
}

// TestArbitrationIsFair: packets that compete for one output get equal shares of it.
func TestArbitrationIsFair(t *testing.T) {
	for _, order := range arbitrations {
		r := newRig(t, generate(t, "one:5"), parameters(t, "rhinet2", "switch.arbitration="+order), 1)
		for src := 1; src < 5; src++ {
			for range 100 {
				r.send(src, 0, 512)
			}
		}
		for r.Counts().Delivered < 200 && r.k.Step() {
		}
		for src := 1; src < 5; src++ {
			if n := r.last[[2]int{src, 0}]; n < 48 || n > 52 {
				t.Errorf("%s: %d of 200 packets from host %d of 4", order, n, src)
			}
		}
	}
}
