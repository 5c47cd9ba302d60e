package port

import (
	"errors"
	"testing"

	"rhinet/internal/ring"
	"rhinet/internal/wait"
	"rhinet/llc"
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

// TestPastTheTranslatorToASleeper: a sleeper is also woken by a message that bypasses the translator.
func TestPastTheTranslatorToASleeper(t *testing.T) {
	ps := processes(t, "martini")
	past(t, ps)
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
