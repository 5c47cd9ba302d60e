package media

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/medium/mediumtest"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

func open(t testing.TB, k *vtime.Kernel, ranks int, settings ...string) *Medium {
	t.Helper()
	p := Parameters()
	if err := p.SetAll(settings); err != nil {
		t.Fatal(err)
	}
	m, err := New(k, ranks, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func TestTraffic(t *testing.T) {
	for _, settings := range [][]string{nil, {"switch.level=1", "sender.registers=1", "receiver.fifo=1"}} {
		mediumtest.Run(t, func(t testing.TB, k *vtime.Kernel, ranks int) medium.Model { return open(t, k, ranks, settings...) })
	}
}

// took returns when an operation that begins at 0 is complete.
func took(t testing.TB, begin func(m *Medium, to vtime.Actor), settings ...string) vtime.Time {
	t.Helper()
	w := watch{m: open(t, new(vtime.Kernel), 2, settings...), at: -1}
	begin(w.m, &w)
	if err := w.m.Kernel().Run(1e6); err != nil || w.at < 0 {
		t.Fatal(w.at, err)
	}
	return w.at
}

type watch struct {
	m  *Medium
	at vtime.Time
}

func (w *watch) Act(int, uint64) { w.at = w.m.Now() }

func sends(bytes int) func(m *Medium, to vtime.Actor) {
	return func(m *Medium, to vtime.Actor) { m.Send(0, 1, bytes, to, 0, 0) }
}

// TestWhatMessagesTake: a short packet is one line; a longer one needs another parcel; a remote
// read takes longer than the remote DMA that answers it by its request; a push takes a word back.
func TestWhatMessagesTake(t *testing.T) {
	line, long := took(t, sends(inLine)), took(t, sends(inLine+1))
	if line != took(t, sends(0)) || long <= line {
		t.Errorf("a line takes %v, more %v", line, long)
	}
	read := took(t, func(m *Medium, to vtime.Actor) { m.Pull(0, 1, 1<<20, to, 0, 0) })
	written := took(t, func(m *Medium, to vtime.Actor) { m.Push(0, 1, 1<<20, to, 0, 0) })
	const rate = 183 // Mbyte/s: the machine's rate, see docs/fidelity.md
	for _, d := range []vtime.Time{read, written} {
		if got := float64(1<<20) / d.Microseconds(); got < rate-3 || got > rate+3 {
			t.Errorf("%.0f Mbyte/s", got)
		}
	}
	if told := took(t, func(m *Medium, to vtime.Actor) { m.Push(0, 1, 8, to, 0, 0) }); told <= line {
		t.Errorf("8 bytes there and a word back take %v, a line %v", told, line)
	}
	own := took(t, func(m *Medium, to vtime.Actor) { m.Pull(1, 1, 1500, to, 0, 0) })
	if want := 10 * vtime.Microsecond; own < want || own > want+2*vtime.Microsecond {
		t.Errorf("1500 bytes of its own memory took %v", own) // at 150 Mbyte/s
	}
}

// TestCosts: each software parameter is in one of the costs, and the others change the time of a
// packet.
func TestCosts(t *testing.T) {
	figure := func(settings ...string) string {
		m := open(t, new(vtime.Kernel), 2, settings...)
		return fmt.Sprint(m.Costs(), m.Lookahead(), took(t, sends(1000), settings...))
	}
	before := figure()
	for _, set := range []string{"mpi.eager=512", "mpi.call=1", "paralib.send=1", "paralib.receive=1", "paralib.again=1", "host.copy=1", "switch.single=1", "memory.dirty=1"} {
		if figure(set) == before {
			t.Errorf("%s changes nothing", set)
		}
	}
	c := open(t, new(vtime.Kernel), 2).Costs()
	if got, want := c.Send.Of(150, false), vtime.Time(3000+1500+300+1000)*vtime.Nanosecond; got != want {
		t.Errorf("a packet of 150 bytes costs its sender %v, want %v", got, want)
	}
	if !c.Remote || c.Eager != 1024 || c.Packet != c.Eager {
		t.Errorf("%+v", c)
	}
}

func TestRefusals(t *testing.T) {
	if _, err := New(new(vtime.Kernel), 1025, Parameters()); err == nil {
		t.Error("1025 nodes")
	}
	if err := Parameters().Set("mpi.eager=16385"); !errors.Is(err, param.ErrSetting) {
		t.Error(err)
	}
}
