package media

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func table(t testing.TB, layer string, settings ...string) *param.Table {
	t.Helper()
	p, err := Parameters(layer)
	must(t, err)
	must(t, p.SetAll(settings))
	return p
}

// open returns the medium of a layer on the default topology.
func open(t testing.TB, layer string, ranks int, settings ...string) *Medium {
	t.Helper()
	m, err := New(new(vtime.Kernel), layer, ranks, nil, table(t, layer, settings...))
	must(t, err)
	t.Cleanup(func() { must(t, m.Close()) })
	return m
}

// A load is random traffic: a sender hands over its next message when it may, and a receiver takes
// messages after a while.
type load struct {
	t       testing.TB
	m       *Medium
	rng     *rand.Rand
	sent    map[[2]int][]sending // by pair, in order
	got     map[[2]int]int
	total   int
	log     strings.Builder
	untaken int
}

type sending struct {
	number int
	at     vtime.Time
}

const (
	opArrived = iota
	opTake
	opMoved
)

// Act handles the events of the traffic; the argument packs pair and number.
func (l *load) Act(op int, arg uint64) {
	src, dst, number := int(arg>>8&0xff), int(arg&0xff), int(arg>>16)
	switch op {
	case opArrived:
		pair := [2]int{src, dst}
		first := l.sent[pair][l.got[pair]]
		if l.got[pair]++; first.number != number {
			l.t.Errorf("from %d to %d: message %d came, not %d", src, dst, number, first.number)
		}
		if d := l.m.Now() - first.at; d < l.m.Lookahead() {
			l.t.Errorf("message %d took %v, and the lookahead is %v", number, d, l.m.Lookahead())
		}
		fmt.Fprintln(&l.log, l.m.Now(), src, dst, number)
		l.untaken++
		l.m.After(vtime.Time(l.rng.IntN(20))*vtime.Microsecond, l, opTake, arg)
	case opTake:
		l.untaken--
		l.m.Taken(src, dst)
	case opMoved:
		fmt.Fprintln(&l.log, l.m.Now(), src, dst, number, "moved")
		l.total++
	}
}

func (l *load) send(src, dst, bytes int) {
	pair := [2]int{src, dst}
	l.sent[pair] = append(l.sent[pair], sending{l.total, l.m.Now()})
	l.m.Send(src, dst, bytes, l, opArrived, uint64(l.total)<<16|uint64(src<<8|dst))
	l.total++
}

// run sends so many messages, as fast as the medium allows.
func (l *load) run(ranks, messages int) {
	may := map[[2]int]int{}
	window := l.m.Pace(func(src, dst int) { may[[2]int{src, dst}]++ })
	most := l.m.Costs().Packet
	for range messages {
		src, dst := l.rng.IntN(ranks), l.rng.IntN(ranks)
		pair := [2]int{src, dst}
		for window+may[pair] == 0 {
			if !l.m.Kernel().Step() {
				l.t.Fatalf("%d may not send to %d, and nothing happens", src, dst)
			}
		}
		may[pair]--
		l.send(src, dst, []int{0, 8, 100, most / 2, most}[l.rng.IntN(5)])
	}
	must(l.t, l.m.Kernel().Run(50_000_000))
}

func newLoad(t testing.TB, m *Medium) *load {
	return &load{t: t, m: m, rng: rand.New(rand.NewPCG(5, 6)), sent: map[[2]int][]sending{}, got: map[[2]int]int{}}
}

// TestTraffic: in each layer every message arrives once, in order, and not before the lookahead; no
// link is in use for more than the whole time; and a second run is the same.
func TestTraffic(t *testing.T) {
	for _, layer := range Layers() {
		for _, settings := range [][]string{nil, {"pm.windows=3", "link.bit-errors=1e-5", "host.hold=0", "pm.ring=16384"}} {
			const ranks, messages = 5, 400
			first := ""
			for range 2 {
				m := open(t, layer, ranks, settings...)
				l := newLoad(t, m)
				l.run(ranks, messages)
				got := 0
				for pair, n := range l.got {
					if got += n; n != len(l.sent[pair]) {
						t.Errorf("%q %v: %d of %d messages", layer, pair, n, len(l.sent[pair]))
					}
				}
				if got != messages || l.untaken != 0 {
					t.Errorf("%q: %d of %d messages, %d not taken", layer, got, messages, l.untaken)
				}
				for _, end := range []vtime.Time{0, m.Now(), 2 * m.Now()} {
					for _, use := range m.Links(end) {
						if use.Used < 0 || use.Used > 1 || end > m.Now() && use.Used > 0.5 {
							t.Errorf("%q: %+v", layer, use)
						}
					}
				}
				if packets, bytes := m.Carried(); packets < messages/2 || bytes < 1000 {
					t.Errorf("%q: links carried %d packets, %d bytes", layer, packets, bytes)
				}
				for i := range m.hosts {
					if h := &m.hosts[i]; h.queue.Len() > 0 || h.unseen > 0 {
						t.Errorf("%q: rank %d has %d jobs left, %d acks to come", layer, i, h.queue.Len(), h.unseen)
					}
				}
				if first == "" {
					first = l.log.String()
				} else if l.log.String() != first {
					t.Errorf("%q: two runs differ", layer)
				}
			}
		}
	}
}

// TestStill: a receiver that takes no message gets as many as its ring holds: 64 messages of one
// slot (pm-messaging, section 1.10, A5). When it takes one, the sender learns that, and the next
// one arrives.
func TestStill(t *testing.T) {
	m := open(t, "pm", 2)
	l := &still{m: m}
	for range 100 {
		m.Send(0, 1, 100, l, 0, 0)
	}
	must(t, m.Kernel().Run(10_000_000))
	if l.come != 64 {
		t.Errorf("%d messages came", l.come)
	}
	m.Taken(0, 1)
	must(t, m.Kernel().Run(10_000_000))
	if l.come != 65 {
		t.Errorf("%d messages came after one was taken", l.come)
	}
	for _, layer := range []string{"vp", "vpush"} { // one ring: the NIC holds all packets back
		m := open(t, layer, 3)
		l := &still{m: m}
		most := m.Costs().Packet
		for i := range 100 {
			m.Send(2*(i%2), 1, most, l, 0, 0)
		}
		m.Kernel().RunUntil(10 * vtime.Millisecond)
		if l.come != 64 {
			t.Errorf("%s: %d messages came", layer, l.come)
		}
		for l.come < 100 {
			before := l.come
			m.Taken(2*(l.taken%2), 1)
			l.taken++
			if m.Kernel().RunUntil(m.Now() + vtime.Millisecond); l.come != before+1 {
				t.Fatalf("%s: %d messages came after %d, when one was taken", layer, l.come, before)
			}
		}
	}
}

// A still receiver counts messages and takes none.
type still struct {
	m           *Medium
	come, taken int
}

func (l *still) Act(int, uint64) { l.come++ }

// last runs until no event is pending, and returns when the last message arrived.
type last struct {
	m  *Medium
	at vtime.Time
}

func (l *last) Act(int, uint64) { l.at = l.m.Now() }

func (l *last) run(t testing.TB) vtime.Time {
	t.Helper()
	must(t, l.m.Kernel().Run(50_000_000))
	return l.at
}

// TestThrottle: the throttle makes each PUSH wait for an ack: of any rank, or of the same rank
// (pm-messaging, section 1.4.9).
func TestThrottle(t *testing.T) {
	var took []vtime.Time
	for _, throttle := range throttles() {
		l := &last{m: open(t, "pm", 3, "pm.throttle="+throttle)}
		for i := range 6 {
			l.m.Send(0, 1+i%2, 8000, l, 0, 0)
		}
		took = append(took, l.run(t))
	}
	if !(took[throttleOff] < took[throttlePeer] && took[throttlePeer] < took[throttleAll]) {
		t.Errorf("off, for each destination, for all: %v", took)
	}
}

// TestRemote: remote memory is moved by PULL and PUSH, at most at the rate of PCI, with messages in
// between.
func TestRemote(t *testing.T) {
	const bytes = 1 << 20
	for _, layer := range []string{"", "pm", "vpush"} {
		m := open(t, layer, 2, "pm.rma=on")
		if c := m.Costs(); !c.Remote || c.Eager != 16<<10 {
			t.Errorf("%q: %+v", layer, c)
		}
		var took [3]vtime.Time
		for i, move := range []func(src, dst, bytes int, to vtime.Actor, op int, arg uint64){m.Pull, m.Push} {
			l := &last{m: m}
			from := m.Now()
			move(0, 1, bytes, l, 0, 0)
			small := &last{m: m}
			m.Send(0, 1, 8, small, 0, 0)
			took[i] = l.run(t) - from
			if rate := bytes / took[i].Microseconds(); rate < 300 || rate > 528 {
				t.Errorf("%q: %d: %.0f Mbyte/s", layer, i, rate)
			}
			if small.at-from > took[i]/4 {
				t.Errorf("%q: %d: a message waited for %v of %v", layer, i, small.at-from, took[i])
			}
		}
		l := &last{m: m}
		m.Pull(1, 1, 1000, l, 0, 0) // its own memory
		m.Push(0, 1, 0, l, 0, 0)
		l.run(t)
	}
	if c := open(t, "vp", 2).Costs(); c.Remote {
		t.Error("PM/RHiNET-VP has no PULL") // pm-messaging, section 1.5.4
	}
}

// TestCosts: with more ranks a poll for messages takes longer if each sender has a ring.
func TestCosts(t *testing.T) {
	for layer, grows := range map[string]bool{"": false, "pm": true, "vp": false, "vpush": false} {
		few, many := open(t, layer, 5).Costs(), open(t, layer, 16).Costs()
		if grows != (many.Poll > few.Poll) || grows != (many.Receive.Packet > few.Receive.Packet) {
			t.Errorf("%q: %+v, with more ranks %+v", layer, few, many)
		}
	}
	pm, vp := open(t, "pm", 2).Costs(), open(t, "vp", 2).Costs()
	if pm.Packet != 8184-32 || vp.Packet != 2040-32 || pm.Receive.PerByte <= vp.Receive.PerByte {
		t.Errorf("%+v, %+v", pm, vp)
	}
}

// TestEachParameterMatters: each parameter of a layer changes the arrival of messages, or their
// costs.
func TestEachParameterMatters(t *testing.T) {
	figure := func(layer string, settings ...string) string {
		m := open(t, layer, 6, settings...)
		l := newLoad(t, m)
		l.run(6, 300)
		return fmt.Sprint(m.Costs(), l.log.String())
	}
	for _, layer := range Layers() {
		before := figure(layer)
		l, err := find(layer)
		must(t, err)
		for _, p := range l.parameters() {
			v := fmt.Sprint(int(p.Value) / 2)
			switch {
			case p.Choices != nil:
				v = p.Choices[(int(p.Value)+1)%len(p.Choices)]
			case p.Value/2 < p.Least:
				v = fmt.Sprint(2 * p.Value)
			case p.Name == "pm.ring":
				v = fmt.Sprint(int(p.Least))
			}
			settings := []string{p.Name + "=" + v}
			if p.Name == "pm.eager" && l.remote(0)[0].Value != 1 {
				settings = append(settings, "pm.rma=on")
				if figure(layer, settings...) == figure(layer, "pm.rma=on") {
					t.Errorf("%q: %v changes nothing", layer, settings)
				}
				continue
			}
			if figure(layer, settings...) == before {
				t.Errorf("%q: %v changes nothing", layer, settings)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	if _, err := Parameters("x"); err == nil || !strings.Contains(err.Error(), "pm, vp, vpush") {
		t.Error(err)
	}
	if _, err := New(new(vtime.Kernel), "x", 2, nil, nil); err == nil {
		t.Error("a layer x")
	}
	small, err := network.Generate("one:3", 0)
	must(t, err)
	if _, err := New(new(vtime.Kernel), "pm", 4, small, table(t, "pm")); !errors.Is(err, network.ErrTopology) || !strings.Contains(err.Error(), "3 hosts; the job has 4 ranks") {
		t.Error(err)
	}
	ring, err := network.Generate("ring:4x2", 0)
	must(t, err)
	if _, err := New(new(vtime.Kernel), "", 8, ring, table(t, "", "network.method=flat")); !errors.Is(err, network.ErrDeadlock) {
		t.Error(err)
	}
	if _, err := New(new(vtime.Kernel), "", MostHosts+1, nil, table(t, "")); !errors.Is(err, network.ErrTopology) {
		t.Error(err)
	}
}

// TestClusters: there is a cluster for any number of ranks that the model supports.
func TestClusters(t *testing.T) {
	p, err := network.Parameters("rhinet2")
	must(t, err)
	for ranks := 1; ranks <= MostHosts; ranks++ {
		top, err := network.Generate(Cluster(ranks), seed)
		must(t, err)
		if len(top.Hosts) < ranks || len(top.Hosts) > MostHosts {
			t.Errorf("%d ranks: %d hosts", ranks, len(top.Hosts))
		}
		if ranks%16 == 1 {
			n, err := network.New(new(vtime.Kernel), top, p, 0)
			must(t, err)
			must(t, n.Routes().CheckDeadlock())
		}
	}
}
