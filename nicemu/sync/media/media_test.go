package media

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"strings"
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
	return m
}

func TestTraffic(t *testing.T) {
	for _, settings := range [][]string{nil, {"data.slots=1", "data.hop=0"}, {"data.packet=512", "rp.event=700"}, {"network.one-switch=1"}} {
		mediumtest.Run(t, func(t testing.TB, k *vtime.Kernel, ranks int) medium.Model { return open(t, k, ranks, settings...) })
	}
}

type watch struct {
	m   *Medium
	at  []vtime.Time
	end vtime.Time
}

func (w *watch) Act(_ int, arg uint64) {
	w.at[uint32(arg)] = w.m.Now()
	w.end = w.m.Now()
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

// TestOnePacket: a line of 64 bytes with its header occupies a link of 100 Mb/s for 6.4 us, and
// forwarding takes 1.72 us at each hop. A longer packet occupies a link for longer, and its first
// data packet is ahead of the last.
func TestOnePacket(t *testing.T) {
	const (
		us    = vtime.Microsecond
		ns    = vtime.Nanosecond
		write = 500 * ns
		hop   = 1720 * ns
		line  = 6400 * ns
	)
	for _, k := range []struct {
		bytes, to int
		want      vtime.Time
	}{
		{0, 1, write + line + hop},
		{40, 1, write + line + hop},
		{41, 1, write + 2*line - (64-41)*80*ns + hop}, // the payload is one data packet more
		{40, 4, write + 2*(line+hop)},
		{448, 1, write + 8*line + hop},
		{448, 4, write + line + hop + 8*line + hop},
	} {
		if got := arrivals(t, 9, k.bytes, [2]int{0, k.to})[0]; got != k.want {
			t.Errorf("%d bytes to node %d: %v, want %v", k.bytes, k.to, got, k.want)
		}
	}
	if c := open(t, new(vtime.Kernel), 2).Costs(); c.Packet != 448 || c.Send.Of(0, true) != 1*us+640*ns || c.Remote {
		t.Errorf("%+v", c)
	}
}

// TestOneSwitch: with one switch all nodes are equally near; a packet uses two links and is
// forwarded once, and senders to the same node wait.
func TestOneSwitch(t *testing.T) {
	const (
		ns    = vtime.Nanosecond
		write = 500 * ns
		hop   = 1720 * ns
		line  = 6400 * ns
	)
	at := func(bytes int, pairs ...[2]int) []vtime.Time {
		w := watch{m: open(t, new(vtime.Kernel), 9, "network.one-switch=1"), at: make([]vtime.Time, len(pairs))}
		for i, p := range pairs {
			w.m.Send(p[0], p[1], bytes, &w, 0, uint64(i))
		}
		if err := w.m.Kernel().Run(1e6); err != nil {
			t.Fatal(err)
		}
		if links := w.m.Links(w.end); len(links) == 0 || !strings.HasSuffix(links[0].Name, "the-switch") {
			t.Errorf("%+v", links)
		}
		return w.at
	}
	const one = write + 2*line + hop
	for to := 1; to < 9; to++ {
		if got := at(0, [2]int{0, to})[0]; got != one {
			t.Errorf("to node %d: %v, want %v", to, got, one)
		}
	}
	if got := at(448, [2]int{0, 4})[0]; got != one+7*line {
		t.Errorf("a long packet: %v", got)
	}
	if got := at(0, [2]int{0, 4}, [2]int{1, 4}, [2]int{2, 5}); got[0] != one || got[1] != one+line || got[2] != one {
		t.Errorf("two to one node, one to another: %v", got)
	}
	w := &watch{m: open(t, new(vtime.Kernel), 9, "network.one-switch=1"), at: make([]vtime.Time, 1)}
	var back vtime.Time
	w.m.Pace(func(int, int) { back = w.m.Now() })
	w.m.Send(0, 8, 0, w, 0, 0)
	if err := w.m.Kernel().Run(100); err != nil {
		t.Fatal(err)
	}
	w.m.Taken(0, 8)
	if err := w.m.Kernel().Run(100); err != nil || back != w.end+write+3000*ns+1280*ns { // an event packet: one hop, and its last link
		t.Errorf("room is back %v after the packet has come, %v", back-w.end, err)
	}
}

// TestLinksAreShared: packets that use the same link wait for each other, and others do not.
func TestLinksAreShared(t *testing.T) {
	alone := arrivals(t, 9, 400, [2]int{0, 1})[0]
	two := arrivals(t, 9, 400, [2]int{0, 1}, [2]int{0, 1}, [2]int{3, 4})
	if two[0] != alone || two[1] < alone+vtime.Time(400*80)*vtime.Nanosecond || two[2] != alone {
		t.Errorf("alone %v, together %v", alone, two)
	}
}

// TestRoom: a rank may fill the receive buffers of another one; an event packet returns room when a
// packet was taken, or when the receiver leaves.
func TestRoom(t *testing.T) {
	for what, taken := range map[string]func(m *Medium){"taken": func(m *Medium) { m.Taken(0, 1) }, "left": func(m *Medium) { m.Left(1) }} {
		m := open(t, new(vtime.Kernel), 4)
		var back []vtime.Time
		if window := m.Pace(func(src, dst int) {
			if src != 0 || dst != 1 {
				t.Errorf("%s: room of %d at %d", what, src, dst)
			}
			back = append(back, m.Now())
		}); window != 2 {
			t.Errorf("%d packets", window)
		}
		w := &watch{m: m, at: make([]vtime.Time, 1)}
		m.Send(0, 1, 100, w, 0, 0)
		if err := m.Kernel().Run(100); err != nil || len(back) > 0 {
			t.Fatal(back, err)
		}
		taken(m)
		if err := m.Kernel().Run(100); err != nil || len(back) != 1 || back[0] != w.end+3500*vtime.Nanosecond {
			t.Errorf("%s: %v after %v, %v", what, back, w.end, err)
		}
		if m.Left(1); len(back) != 1 {
			t.Errorf("%s: room for nothing", what)
		}
	}
}

// A round of codes: ranks execute them at random moments.
type round struct {
	t        *testing.T
	m        *Medium
	rng      *rand.Rand
	members  uint64
	executed [64]int
	passed   [64]int
	latest   map[int]vtime.Time // when a member executed a code last
	ends     []vtime.Time
}

const lastCode = 20

const (
	opExecute = iota
	opPassed
)

func (r *round) Act(op int, arg uint64) {
	at, of := medium.OfMember(arg)
	if op == opExecute {
		r.latest[r.executed[at]] = r.m.Now()
		r.executed[at]++
		r.m.Code(at, 3, r.members, 7, r, opPassed, 99)
		return
	}
	place := r.passed[at]
	if r.passed[at]++; of != 99 {
		r.t.Errorf("argument %d", of)
	}
	for left := r.members; left != 0; left &= left - 1 {
		if who := bits.TrailingZeros64(left); r.executed[who] < place {
			r.t.Errorf("code %d of %d is passed, and %d has executed %d", place, at, who, r.executed[who])
		}
	}
	if took := r.m.Now() - r.latest[place]; took < 0 {
		r.t.Error(took)
	}
	if before := r.latest[place-1]; place > 0 && r.m.Now()-before < r.m.Lookahead() {
		r.t.Errorf("code %d is passed %v after the last one before it", place, r.m.Now()-before)
	}
	r.ends = append(r.ends, r.m.Now())
	if r.executed[at] < lastCode {
		r.m.After(vtime.Time(r.rng.IntN(9000))*vtime.Nanosecond, r, opExecute, medium.AtMember(at, 0))
	}
}

// TestCodes: a code is passed when all members have executed the earlier ones, and not before; two
// runs are the same; a sequence that begins again, with other members or at another place, is
// independent of the one before.
func TestCodes(t *testing.T) {
	m := open(t, new(vtime.Kernel), 64)
	var first []vtime.Time
	for _, k := range []struct {
		m       *Medium
		members uint64
	}{{m, 1<<63 | 0b10110}, {open(t, new(vtime.Kernel), 64), 1<<63 | 0b10110}, {m, 0b111}, {m, ^uint64(0)}} {
		r := &round{t: t, m: k.m, rng: rand.New(rand.NewPCG(1, 2)), members: k.members, latest: map[int]vtime.Time{}}
		for left := k.members; left != 0; left &= left - 1 {
			r.m.After(vtime.Time(r.rng.IntN(9000))*vtime.Nanosecond, r, opExecute, medium.AtMember(bits.TrailingZeros64(left), 0))
		}
		if err := r.m.Kernel().Run(1e6); err != nil {
			t.Fatal(err)
		}
		if want := lastCode * bits.OnesCount64(k.members); len(r.ends) != want {
			t.Errorf("%d codes of %d are passed", len(r.ends), want)
		}
		if first == nil {
			first = r.ends
		}
	}
	if len(m.sequences) != 1 {
		t.Errorf("%d sequences are kept", len(m.sequences))
	}
	if n := open(t, new(vtime.Kernel), 65).Sequences(); n != 0 {
		t.Errorf("%d sequences of 65 ranks", n)
	}
}

// TestBarrierOfCodes: two codes take the time of their path (sync-controller, 6), for any number of
// nodes.
func TestBarrierOfCodes(t *testing.T) {
	for _, ranks := range []int{2, 36} {
		m := open(t, new(vtime.Kernel), ranks)
		w := &watch{m: m, at: make([]vtime.Time, 2)}
		members := uint64(1)<<ranks - 1
		for code := range uint32(2) {
			for r := range ranks {
				m.Code(r, 0, members, 1, w, 0, code)
			}
			if err := m.Kernel().Run(1e4); err != nil {
				t.Fatal(err)
			}
		}
		// write, decode, a clock of the rules, two interrupts, wake: and the head gives way in one more clock
		const code = (500 + 100 + 30 + 100 + 500 + 5000) * vtime.Nanosecond
		if w.at[0] != code || w.at[1] < 2*code || w.at[1] > 2*code+60*vtime.Nanosecond {
			t.Errorf("%d ranks: codes are passed at %v, one takes %v", ranks, w.at, code)
		}
	}
}

// TestCosts: each parameter is in the time of a packet or a code, or in the costs of processors.
func TestCosts(t *testing.T) {
	if _, err := New(new(vtime.Kernel), 4, func() *param.Table {
		p := Parameters()
		if err := p.SetAll([]string{"event.hop=1"}); err != nil {
			t.Fatal(err)
		}
		return p
	}()); err == nil {
		t.Error("an event packet that is forwarded before it is there")
	}
	if err := Parameters().Set("pe.byte=-1"); !errors.Is(err, param.ErrSetting) {
		t.Error(err)
	}
	c := open(t, new(vtime.Kernel), 4, "pe.byte=1", "pe.command=100", "mpi.call=7").Costs()
	if got := c.Send.Of(10, false); got != (64+100+7+10)*vtime.Nanosecond || c.Receive.Of(10, false) != got || c.Poll != 100*vtime.Nanosecond || c.Code != 107*vtime.Nanosecond {
		t.Errorf("%+v", c)
	}
}
