package port

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"rhinet/internal/ring"
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

// processes returns two ports that are connected as two processes are.
func processes(t *testing.T, name string) [2]*Port {
	t.Helper()
	file, err := fabric.Create(2, nics.Geometry(name, fabric.Small(), 2))
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	open := func() *fabric.Fabric {
		f, err := fabric.Map(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	if err := nics.Register(name, open()); err != nil {
		t.Fatal(err)
	}
	var ps [2]*Port
	for i := range ps {
		nic, err := nics.Open(name, open(), i)
		if err != nil {
			t.Fatal(err)
		}
		p := New(Config{NIC: nic, Policy: wait.For(2, 2, false), Trouble: func(err error) { t.Errorf("port %d: %v", i, err) }})
		t.Cleanup(func() { p.Abandon(); _ = p.Close() })
		ps[i] = p
	}
	return ps
}

// exchange has each port send a message to the other one, which is there when it is received.
func exchange(t *testing.T, ps [2]*Port, tag, n int) {
	t.Helper()
	for i, p := range ps {
		send(t, p, 0, 1-i, tag, payload(tag+i, n))
		recv(t, ps[1-i], 0, i, tag, payload(tag+i, n))
	}
}

// past has two ports exchange messages until these bypass the translator.
func past(t *testing.T, ps [2]*Port) {
	t.Helper()
	eventually(t, "past the translator", func() bool {
		exchange(t, ps, 3, 8)
		for i, p := range ps {
			if l := p.eng.Lane(1 - i); l.Out == nil || l.In == nil {
				return false
			}
		}
		return true
	})
}

// TestPastTheTranslator: messages come whole and in order, whichever of them are lines.
func TestPastTheTranslator(t *testing.T) {
	for _, name := range []string{"martini", "ib"} {
		ps := processes(t, name)
		past(t, ps)
		before := ps[1].eng.Lane(0).Out.Sent()
		for i := range 2000 {
			exchange(t, ps, i%7, i*11%60)
		}
		if sent := ps[1].eng.Lane(0).Out.Sent() - before; sent < 2000 {
			t.Errorf("%s: %d packets were sent", name, sent)
		}
		for i := range 5 { // several wait
			send(t, ps[0], 0, 1, i, payload(i, 8))
		}
		for i := range 5 {
			tag := (i + 2) % 5 // others wait before
			recv(t, ps[1], 0, 0, tag, payload(tag, 8))
		}
		exchange(t, ps, 1, 8)
		buf, any := []byte("8 bytes."), make([]byte, 9)
		if used := testing.AllocsPerRun(100, func() {
			_ = ps[0].Send(0, 1, 5, llc.Standard, buf)
			_, _ = ps[1].Recv(0, 0, 5, any)
		}); used != 0 {
			t.Errorf("%s: %v allocations", name, used)
		}
		send(t, ps[0], 0, 1, 6, buf)
		if st, err := ps[1].Recv(0, 0, llc.AnyTag, any); err != nil || st.Tag != 6 || st.Bytes != 8 || st.Source != 0 || string(any[:8]) != string(buf) {
			t.Errorf("%s: %+v, %v, %q", name, st, err, any)
		}
	}
}

// TestPastTheTranslatorAfterAWait: a message in one packet comes past the translator whatever its length, also
// if the receive has waited for it; one that the receive is not for is left alone.
func TestPastTheTranslatorAfterAWait(t *testing.T) {
	for _, name := range []string{"martini", "ib"} {
		ps := processes(t, name)
		past(t, ps)
		to := ps[1]
		for i := range 300 {
			n, now := i*37%1000, i%2 > 0
			send(t, ps[0], 0, 1, i%5, payload(i, n))
			to.view, to.pollDelay = ir.View{}, pollDelay{} // no choice is due
			buf := make([]byte, n+i%3)
			size, tag, got := to.take(0, 0, i%5, buf, now)
			to.gate.leave()
			if size != n || tag != i%5 || got != n || !bytes.Equal(buf[:n], payload(i, n)) {
				t.Fatalf("%s, message %d of %d bytes: %d bytes with tag %d, of which %d are there", name, i, n, size, tag, got)
			}
			if to.view.Head != [3]uint64{} {
				t.Fatalf("%s, message %d of %d bytes went through the translator", name, i, n)
			}
		}
		for _, c := range []struct{ n, room, tag, asked int }{{100, 99, 1, 1}, {100, 100, 1, 2}, {8, 7, 1, 1}, {8, 8, 1, 2}, {100, 100, 3, llc.AnyTag}} {
			for _, now := range []bool{false, true} {
				send(t, ps[0], 0, 1, c.tag, payload(1, c.n))
				_, _, got := to.take(0, 0, c.asked, make([]byte, c.room), now)
				to.gate.leave()
				to.shun = 0
				if asked := c.asked == llc.AnyTag; asked != (got == c.n) || !asked && got != none {
					t.Errorf("%s, %+v, at once: %t: %d bytes are taken", name, c, now, got)
				}
				if got == none {
					recv(t, to, 0, 0, c.tag, payload(1, c.n))
				}
			}
		}
		for _, now := range []bool{false, true} { // one message waits before the one in the ring
			send(t, ps[0], 0, 1, 1, payload(1, 8))
			if _, there := to.ProbeUntil("Probe", 0, 0, 1, nil); !there {
				t.Fatalf("%s: no message", name)
			}
			to.lock()
			to.turn() // so that no packet is held
			to.gate.leave()
			send(t, ps[0], 0, 1, 1, payload(2, 8))
			to.shun = 0
			if _, _, got := to.take(0, 0, 1, make([]byte, 8), now); got != none {
				t.Errorf("%s, at once: %t: a message overtakes another one", name, now)
			}
			to.gate.leave()
			for i := range 2 {
				recv(t, to, 0, 0, 1, payload(1+i, 8))
			}
			to.shun = 0
		}
	}
}

// TestNoPacketPastTheTranslator: a line that no correct peer writes ends the receive that waits for it, and the
// error names the sender.
func TestNoPacketPastTheTranslator(t *testing.T) {
	for _, now := range []bool{false, true} {
		ps := processes(t, "martini")
		ps[1].trouble = func(error) {}
		past(t, ps)
		in := ps[1].eng.Lane(0).In
		ps[1].eng.Lane(0).In = nil
		exchange(t, ps, 0, 8) // leaves a view of a message with this tag
		ps[1].eng.Lane(0).In = in
		n := 33 << 10 // more than the ring has
		l := ps[0].eng.Lane(1)
		w0, w1, w2 := llc.LineWords(0, 0, n)
		if !l.Out.Line(l.Step(), w0, w1, w2, nil) {
			t.Fatal("the line does not go")
		}
		buf := make([]byte, n)
		if _, _, got := ps[1].take(0, 0, 0, buf, now); got != none {
			t.Errorf("at once: %t: %d bytes are taken", now, got)
		}
		ps[1].gate.leave()
		inTime(t, "the receive", func() {
			if _, err := ps[1].Recv(0, 0, 0, buf); !errors.Is(err, llc.ErrPeerGone) || !strings.Contains(err.Error(), "written by rank 0") && !strings.Contains(err.Error(), "peer 0") {
				t.Errorf("at once: %t: %v", now, err)
			}
		})
	}
}

// TestPastTheTranslatorToASleeper: a sleeper is also woken by a message that bypasses the translator.
func TestPastTheTranslatorToASleeper(t *testing.T) {
	ps := processes(t, "martini")
	past(t, ps) // so a sleeper need not look again by itself
	ps[1].policy.Nap = time.Hour
	for i := range 3 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			recv(t, ps[1], 0, 0, i, payload(i, 8))
		}()
		eventually(t, "asleep", func() bool { return napping(ps[1]) })
		send(t, ps[0], 0, 1, i, payload(i, 8))
		inTime(t, "the receive", func() { <-done })
	}
}

// TestNoSynchronousSendPastTheTranslator: a synchronous send waits for its receive, though a standard one to the same
// peer would bypass the translator.
func TestNoSynchronousSendPastTheTranslator(t *testing.T) {
	ps := processes(t, "martini")
	past(t, ps)
	done := make(chan error)
	go func() { done <- ps[0].Send(0, 1, 4, llc.Synchronous, payload(4, 8)) }()
	eventually(t, "waiting", func() bool { return napping(ps[0]) })
	recv(t, ps[1], 0, 0, 4, payload(4, 8))
	inTime(t, "the send", func() {
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestNoWayPast: messages that may not bypass the translator any more go through it, in the same place, and
// the port does not look for arrivals where they cannot be.
func TestNoWayPast(t *testing.T) {
	ps := processes(t, "martini")
	past(t, ps)
	shut := new(ring.Outlet)
	word := new(uint64)
	shut.Open(nil, word, [...]*uint64{word, word, word}, [...]uint64{1, 1, 1})
	for i := range 3 {
		ps[0].eng.Lane(1).Out = shut
		exchange(t, ps, i, 8)
	}
	eventually(t, "past the translator again", func() bool {
		exchange(t, ps, 2, 8)
		return ps[0].eng.Lane(1).Out != shut
	})
	send(t, ps[0], 0, 1, 1, payload(1, 8))
	if err := ps[0].Close(); err != nil {
		t.Fatal(err)
	}
	if l := ps[0].eng.Lane(1); l.Out != nil || l.In != nil {
		t.Error("a port that is closed has a way past its translator")
	}
	if err := ps[0].Send(0, 1, 1, llc.Standard, make([]byte, 8)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := ps[0].Recv(0, 1, 1, make([]byte, 8)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	recv(t, ps[1], 0, 0, 1, payload(1, 8))
}

// TestPastAfterPark: a parked port has no way past its translator; after Reopen messages take it again.
func TestPastAfterPark(t *testing.T) {
	ps := processes(t, "martini")
	past(t, ps)
	if err := ps[0].Park(false); err != nil {
		t.Fatal(err)
	}
	if l := ps[0].eng.Lane(1); l.Out != nil || l.In != nil {
		t.Error("a parked port has a way past its translator")
	}
	ps[0].Reopen()
	past(t, ps)
}

// TestLanesAreAskedForNowAndThen: a translator without rings to bypass it is asked seldom, for each
// direction.
func TestLanesAreAskedForNowAndThen(t *testing.T) {
	ps := processes(t, "martini")
	exchange(t, ps, 1, 8)
	none := new(nothing)
	ps[0].lanes = none
	ps[0].eng.Lane(1).Out, ps[0].eng.Lane(1).In = nil, nil
	exchange(t, ps, 1, 8)
	*none = nothing{}
	for range 5 * asksOf {
		exchange(t, ps, 1, 8)
		ps[0].eng.Lane(1).Out, ps[0].eng.Lane(1).In = nil, nil
	}
	if all := none.outlets + none.inlets; all < 5 || all > 10 {
		t.Errorf("asked %d times for an outlet, and %d times for an inlet", none.outlets, none.inlets)
	}
}

// nothing has no rings to bypass it, and counts the calls.
type nothing struct{ outlets, inlets int }

func (n *nothing) Outlet(int) *ring.Outlet { n.outlets++; return nil }
func (n *nothing) Inlet(int) *ring.Inlet   { n.inlets++; return nil }
