package media

import (
	"fmt"
	"testing"

	"rhinet/nicemu/dimmnet2/timed"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/medium/mediumtest"
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
	return m
}

func TestTraffic(t *testing.T) {
	for _, settings := range [][]string{nil, {"mpi.windows=1", "network.switch=1"}} {
		mediumtest.Run(t, func(t testing.TB, k *vtime.Kernel, ranks int) medium.Model { return open(t, k, ranks, settings...) })
	}
}

// arrivals sends packets of the given number of bytes at time 0, each from one rank to another, and
// returns when they arrive.
func arrivals(t testing.TB, ranks, bytes int, pairs ...[2]int) []vtime.Time {
	t.Helper()
	w := watch{m: open(t, new(vtime.Kernel), ranks), at: make([]vtime.Time, len(pairs))}
	for i, p := range pairs {
		w.m.Send(p[0], p[1], bytes, &w, 0, uint64(i))
	}
	if err := w.m.Kernel().Run(1e6); err != nil {
		t.Fatal(err)
	}
	return w.at
}

type watch struct {
	m  *Medium
	at []vtime.Time
}

func (w *watch) Act(_ int, arg uint64) { w.at[arg] = w.m.Now() }

// TestOnePacket: a packet with eight bytes of data, 24 in all, takes the times of the components of
// sections 7.3 and 8.2 after the host, plus the switch, four clocks for the check for room, and one
// for SO-DIMM.
func TestOnePacket(t *testing.T) {
	m := open(t, new(vtime.Kernel), 2, "mpi.envelope=8")
	const want = (10 + 90 + 188 + 200 + 312 + 130 + 40 + 10) * vtime.Nanosecond
	if got := m.Lookahead(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	w := watch{m: m, at: make([]vtime.Time, 1)}
	m.Send(0, 1, 0, &w, 0, 0)
	if err := m.Kernel().Run(100); err != nil || w.at[0] != want {
		t.Error(w.at, err)
	}
	c := m.Costs()
	if got := c.Send.Of(0, true) - 282*vtime.Nanosecond; got < -10 || got > 10 { // 201 + 81
		t.Errorf("the host takes %v more", got)
	}
}

// TestPartsDoOneAfterTheOther: packets of one board follow each other at the rate of the slower
// sending part, and packets that meet at a switch interface at its receiving rate; others do not
// wait.
func TestPartsDoOneAfterTheOther(t *testing.T) {
	const bytes = 400
	m := open(t, new(vtime.Kernel), 2)
	p := m.of(bytes)
	alone := arrivals(t, 4, bytes, [2]int{0, 1})[0]
	for name, c := range map[string]struct {
		pairs [2][2]int
		later vtime.Time
	}{
		"from one board": {[2][2]int{{0, 1}, {0, 2}}, max(p.Control, p.Leave)},
		"to one board":   {[2][2]int{{0, 3}, {1, 3}}, p.Enter},
		"crossing":       {[2][2]int{{0, 1}, {1, 0}}, 0},
	} {
		got := arrivals(t, 4, bytes, c.pairs[:]...)
		if got[0] != alone || got[1] != alone+c.later {
			t.Errorf("%s: %v, want %v and %v later", name, got, alone, c.later)
		}
	}
}

// TestWindowIsFree: a window is free when the Window Controller has finished with it, and not
// before, since the host then writes another packet there.
func TestWindowIsFree(t *testing.T) {
	m := open(t, new(vtime.Kernel), 3)
	var free []vtime.Time
	if n := m.Pace(func(src, dst int) {
		if src != 0 || dst != 1+len(free) {
			t.Errorf("%d to %d", src, dst)
		}
		free = append(free, m.Now())
	}); n != 2 {
		t.Errorf("%d windows", n)
	}
	w := watch{m: m, at: make([]vtime.Time, 2)}
	for i := range w.at {
		m.Send(0, 1+i, 100, &w, 0, uint64(i))
	}
	if err := m.Kernel().Run(100); err != nil {
		t.Fatal(err)
	}
	if each := m.of(100).Control; len(free) != 2 || free[0] != each || free[1] != 2*each {
		t.Errorf("free at %v, want after %v each", free, each)
	}
}

// TestEachParameterMatters: each parameter changes a cost, or the time of a packet.
func TestEachParameterMatters(t *testing.T) {
	figure := func(settings ...string) string {
		m := open(t, new(vtime.Kernel), 2, settings...)
		text := fmt.Sprint(m.Costs(), m.Pace(func(int, int) {}), *m.of(100))
		return text + fmt.Sprint(m.Lookahead())
	}
	before := figure()
	for _, p := range Parameters().All() {
		v := p.Value / 2
		if p.Name == "mpi.windows" {
			v = 3
		}
		if p.Name == "host.sample" { // on average it does not matter when a poll samples
			continue
		}
		if figure(fmt.Sprintf("%s=%v", p.Name, v)) == before {
			t.Errorf("%s changes nothing", p.Name)
		}
	}
	if c := open(t, new(vtime.Kernel), 2).Costs(); c.Remote || c.Packet != timed.MostData-24 {
		t.Errorf("%+v", c)
	}
}
