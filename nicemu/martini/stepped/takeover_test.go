package stepped

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"rhinet/nicemu/martini"
)

// visited records the states that a module of a node goes through.
func visited(o *Options, node int, mod Module) *[]State {
	var all []State
	before := o.Observe
	o.Observe = func(e Event) {
		if e.Node == node && e.Module == mod && e.From != e.To {
			if len(all) == 0 {
				all = append(all, e.From)
			}
			all = append(all, e.To)
		}
		if before != nil {
			before(e)
		}
	}
	return &all
}

// TestPATLBMissResumesInIPA checks the states of the Initiator in a miss (martini, section 10.7).
func TestPATLBMissResumesInIPA(t *testing.T) {
	o := Options{}
	got := visited(&o, 0, Initiator)
	w := newWorld(t, 2, 1, o)
	push := func() { w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: w.seg[1], Flag: 1}, w.areas[0][:100])) }
	push()
	want := []State{IDLE, PGID, IPA, IPA2, MISS, IPA, IPA2, CHK1, CHK2, CONT, IDLE}
	if !slices.Equal(*got, want) {
		t.Errorf("with a miss:\n%v, want\n%v", *got, want)
	}
	*got = nil
	push()
	want = []State{IDLE, PGID, IPA, IPA2, CHK1, CHK2, CONT, IDLE}
	if !slices.Equal(*got, want) {
		t.Errorf("without:\n%v, want\n%v", *got, want)
	}
}

// TestRVAMissResumesInRVACHK2 checks the states of RFend (martini, section 10.8).
func TestRVAMissResumesInRVACHK2(t *testing.T) {
	o := Options{}
	got := visited(&o, 1, RFend)
	w := newWorld(t, 2, 1, o)
	push := func() { w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: w.seg[1]}, w.areas[0][:100])) }
	push()
	want := []State{IDLE, FLIT0, FLIT1, FLIT2, FLIT3, RVACHK, RVA, MISS, RVACHK2, RVA, SET1, SET2, SET3, SET4, IDLE}
	if !slices.Equal(*got, want) {
		t.Errorf("with a miss:\n%v, want\n%v", *got, want)
	}
	*got = nil
	push()
	want = []State{IDLE, FLIT0, FLIT1, FLIT2, FLIT3, RVACHK, RVA, SET1, SET2, SET3, SET4, IDLE}
	if !slices.Equal(*got, want) {
		t.Errorf("without:\n%v, want\n%v", *got, want)
	}
}

// TestWritingIDLEWithoutCancellingLoops is the test case that the
// specification proposes (martini, section 10.7).
func TestWritingIDLEWithoutCancellingLoops(t *testing.T) {
	o := Options{}
	got := visited(&o, 0, Initiator)
	w := newWorld(t, 2, 1, o)
	rounds := 0
	w.m.Handle(0, Initiator, IPA2, func(f *Firmware) bool {
		if rounds++; rounds > 50 {
			return (*Firmware).initiatorMiss(f) // finally it cancels
		}
		f.Resume(Initiator, IDLE)
		return true
	})
	if _, err := w.m.Push(0, 0, martini.Request{Node: 1, Segment: w.seg[1]}, pages(1)); err != nil {
		t.Fatal(err)
	}
	// Node 1 can still push: only one module of node 0 is stopped.
	if _, err := w.m.Push(1, 0, martini.Request{Node: 0, Segment: w.seg[0]}, w.areas[1][:64]); err != nil {
		t.Fatal(err)
	}
	w.run()
	if rounds != 51 || w.last() != martini.NotPinned {
		t.Errorf("%d rounds", rounds)
	}
	loop := []State{IDLE, PGID, IPA, IPA2, MISS}
	for i := range 5 * 50 {
		if (*got)[i] != loop[i%5] {
			t.Fatalf("state %d is %v: %v", i, (*got)[i], (*got)[:i+1])
		}
	}
	if !bytes.Equal(w.areas[0][:64], w.areas[1][:64]) || w.nics[0].Window(0).Contflag() != 1 {
		t.Error("node 0 does not receive, or its Window is not given back")
	}
}

// TestSoftwareContinuation has firmware do the whole rest of a PUSH after a miss, which must have
// the same result as resuming the hardware (martini, section 13, E7).
func TestSoftwareContinuation(t *testing.T) {
	for _, size := range []int{1, 100, MTU, 5000, 3 * pageBytes} {
		var steps [2]uint64
		for i := range 2 {
			w := newWorld(t, 2, 5, Options{})
			w.m.Software(0, i == 1)
			from := w.m.Clock()
			serial := w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: w.seg[1], Offset: 9, Flag: 2}, w.areas[0][3:3+size]))
			steps[i] = w.m.Clock() - from
			if !bytes.Equal(w.areas[1][9:9+size], w.areas[0][3:3+size]) {
				t.Fatalf("%d bytes, software %d: memory differs", size, i)
			}
			if win := w.nics[0].Window(0); win.Contflag() != serial || win.Flag(2) != serial {
				t.Errorf("%d bytes, software %d: contflag %d, flag %d", size, i, win.Contflag(), win.Flag(2))
			}
		}
		if steps[1] <= steps[0] {
			t.Errorf("%d bytes: software takes %d steps, hardware %d", size, steps[1], steps[0])
		}
	}
	// A hole in the source: cancelled by the same firmware.
	w := newWorld(t, 2, 1, Options{})
	w.m.Software(0, true)
	w.must(w.m.Request(0, 0, martini.CommandPush, martini.Request{Node: 1, Segment: w.seg[1]}, addr(w.areas[0]), 2*pageBytes))
	if w.last() == 0 || w.nics[0].Window(0).Contflag() != 1 {
		t.Error("a longer source than pinned")
	}
}

// TestOneModuleStopsOthersGoOn checks the purpose of taking-over (martini, section 10.1): while
// RFend of node 1 is suspended, its Initiator works.
func TestOneModuleStopsOthersGoOn(t *testing.T) {
	w := newWorld(t, 2, 2, Options{})
	if err := w.m.Break(1, RFend, FLIT2); err != nil {
		t.Fatal(err)
	}
	if _, err := w.m.Botf(0, 0, &martini.Packet{Type: martini.PacketPush, Node: 1, PID: 1, Segment: w.seg[1], Payload: []byte("held up")}); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		w.m.Step()
	}
	if w.m.State(1, RFend) != MISS || w.m.Before(1, RFend) != FLIT2 {
		t.Fatalf("RFend is in %v, before in %v", w.m.State(1, RFend), w.m.Before(1, RFend))
	}
	if _, err := w.m.Push(1, 0, martini.Request{Node: 0, Segment: w.seg[0]}, w.areas[1][:500]); err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		w.m.Step()
	}
	if !bytes.Equal(w.areas[0][:500], w.areas[1][:500]) || w.nics[1].Window(0).Contflag() != 1 {
		t.Fatal("the Initiator of node 1 did not go on")
	}
	if w.m.State(1, RFend) != MISS {
		t.Fatal("a suspended module left MISS by itself")
	}
	w.m.ClearBreak(1, RFend)
	if err := w.m.Resume(1, RFend, FLIT2); err != nil {
		t.Fatal(err)
	}
	w.run()
	if string(w.areas[1][:7]) != "held up" {
		t.Error("the packet was lost")
	}
	if err := w.m.Resume(1, RFend, FLIT2); err == nil {
		t.Error("a module that is not suspended was resumed")
	}
	if err := w.m.Break(0, RFend, PGID); err == nil {
		t.Error("a break point where there is no state")
	}
	if err := w.m.Break(0, Sender, JOIN); err == nil {
		t.Error("a break point in a module that cannot be taken over")
	}
}

// TestBreakPointsOnSuspendableStates suspends and resumes in each state from
// which a module raises exceptions: nothing is lost (martini, section 10.3).
func TestBreakPointsOnSuspendableStates(t *testing.T) {
	for mod := range Modules {
		for s := range States {
			if !mod.TakenOver() || !Suspendable(mod, s) || s == IDLE {
				continue
			}
			w := newWorld(t, 2, 3, Options{})
			stops := 0
			for node := range 2 {
				if err := w.m.Break(node, mod, s); err != nil {
					t.Fatal(err)
				}
				usual := w.m.nodes[node].cpu.handlers[exception{mod, s}]
				w.m.Handle(node, mod, s, func(f *Firmware) bool {
					if stops++; !f.n.regs[mod].brk {
						return usual(f) // a true miss
					}
					f.Clear(mod)
					f.Resume(mod, s)
					return true
				})
			}
			r := martini.Request{Node: 1, Segment: w.seg[1], Offset: 4001, Flag: 1}
			for k := range 2 {
				local := w.areas[0][:5000]
				kick := w.m.Push
				if k == 1 {
					kick = w.m.Pull
					fill(w.areas[1], 200)
				}
				if _, err := kick(0, k, r, local); err != nil {
					t.Fatal(err)
				}
				w.run()
				if !bytes.Equal(local, w.areas[1][4001:9001]) || w.nics[0].Window(k).Flag(1) != 1 {
					t.Errorf("%v %v: request %d is lost", mod, s, k)
				}
			}
			if stops == 0 {
				t.Errorf("%v never came to %v", mod, s)
			}
		}
	}
}

// TestTimeouts checks that waiting for a suspended neighbour raises an exception, and that firmware
// resumes the wait (martini, section 10.6).
func TestTimeouts(t *testing.T) {
	seen := map[Module]int{}
	w := newWorld(t, 2, 8, Options{Timeout: 40, Trouble: func(_ int, mod Module, from State) {
		if from == CHK1 || from == IDLE || from == WAIT {
			seen[mod]++
		}
	}})
	if err := w.m.Break(1, RBend, CHK1); err != nil {
		t.Fatal(err)
	}
	// PUSHes to node 1 fill all FIFOs up to the Initiator of node 0.
	for i := range 12 {
		if _, err := w.m.Push(0, i, martini.Request{Node: 1, Segment: w.seg[1]}, w.areas[0]); err != nil {
			t.Fatal(err)
		}
	}
	for range 5000 {
		w.m.Step()
	}
	if seen[Initiator] == 0 || seen[RFend] == 0 {
		t.Errorf("timeouts: %v", seen)
	}
	w.m.ClearBreak(1, RBend)
	if err := w.m.Resume(1, RBend, CHK1); err != nil {
		t.Fatal(err)
	}
	w.run()
	if !bytes.Equal(w.areas[0], w.areas[1]) {
		t.Error("memory differs after timeouts")
	}
}

// TestUnansweredExceptionStays checks that only firmware leaves MISS (martini, section 10.2).
func TestUnansweredExceptionStays(t *testing.T) {
	w := newWorld(t, 1, 1, Options{})
	w.m.Handle(0, Initiator, PGID, nil)
	must(t, w.boss.Invalidate(0, 4))
	if _, err := w.m.Push(0, 4, martini.Request{Segment: w.seg[0]}, w.areas[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.m.Run(5000); err == nil || w.m.State(0, Initiator) != MISS {
		t.Fatalf("%v, %v", w.m.State(0, Initiator), err)
	}
	if err := w.m.Resume(0, Initiator, MISS); err == nil {
		t.Error("resumed to MISS")
	}
	if err := w.m.Resume(0, Initiator, SEND); err == nil {
		t.Error("resumed to another module's state")
	}
	if _, err := w.m.Push(0, 4, martini.Request{}, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("a Window in use was kicked: %v", err)
	}
}

// TestAcksUnderABreakPoint checks that a Replier that is stopped before an ack is not resumed to
// send it: firmware sends it (martini, section 10.9).
func TestAcksUnderABreakPoint(t *testing.T) {
	o := Options{}
	got := visited(&o, 1, Replier)
	w := newWorld(t, 2, 1, o)
	if err := w.m.Break(1, Replier, ACK); err != nil {
		t.Fatal(err)
	}
	r := martini.Request{Node: 1, Segment: w.seg[1], Flag: 4}
	for want := uint64(1); want < 4; want++ {
		w.must(w.m.Push(0, 0, r, w.areas[0][:10]))
		if w.nics[0].Window(0).Flag(4) != want {
			t.Errorf("no ack for request %d", want)
		}
	}
	serial := w.must(w.m.Pull(0, 1, r, w.areas[0][:10]))
	if w.nics[0].Window(1).Flag(4) != serial {
		t.Error("no PULL under the break point")
	}
	if slices.Contains(*got, ACK) {
		t.Errorf("the Replier sent an ack: %v", *got)
	}
	if hits, misses, _, _ := w.m.TLB(1); hits == 0 || misses == 0 {
		t.Errorf("PATLB: %d hits, %d misses", hits, misses)
	}
}
