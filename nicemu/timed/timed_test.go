package timed

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// latency is a network in which every packet takes a microsecond and its bytes in
// nanoseconds.
type latency struct {
	k   *vtime.Kernel
	src vtime.Source
}

func (l *latency) Send(_, _, bytes int, to vtime.Actor, op int, arg uint64) {
	l.src.At(l.k.Now()+vtime.Microsecond+vtime.Time(bytes)*vtime.Nanosecond, to, op, arg)
}
func (l *latency) Lookahead() vtime.Time          { return vtime.Microsecond }
func (l *latency) Links(vtime.Time) []medium.Link { return nil }
func (l *latency) Costs() medium.Costs {
	each := medium.Cost{Packet: 100 * vtime.Nanosecond}
	return medium.Costs{Send: each, Receive: each, Transfer: each.Packet, Poll: 10 * vtime.Nanosecond, Packet: 1000, Eager: 1000, Remote: true}
}

// A job is a service and the nodes of its ranks.
type job struct {
	testing.TB
	f     *fabric.Fabric
	s     *Service
	nodes []*Node
	stuck chan bool
	over  chan error
	wg    sync.WaitGroup
}

func newJob(t testing.TB, ranks int, cfg Config) *job {
	return jobOn(t, ranks, cfg, func(k *vtime.Kernel) (medium.Model, error) {
		return &latency{k, k.Source("latency")}, nil
	})
}

// jobOn is newJob on any network.
func jobOn(t testing.TB, ranks int, cfg Config, attach func(*vtime.Kernel) (medium.Model, error)) *job {
	f, err := fabric.Heap(ranks, Geometry(fabric.Small()))
	if err != nil {
		t.Fatal(err)
	}
	j := &job{TB: t, f: f, stuck: make(chan bool, 100), over: make(chan error, 1)}
	j.s, err = Start(f, cfg, attach, func(sure bool) { j.stuck <- sure })
	if err != nil {
		t.Fatal(err)
	}
	for i := range ranks {
		n, err := Open(f, i)
		if err != nil {
			t.Fatal(err)
		}
		j.nodes = append(j.nodes, n)
	}
	return j
}

// local makes the ranks goroutines of the service's process.
func (j *job) local() {
	j.Helper()
	for i := range j.nodes {
		var err error
		if j.nodes[i], err = j.s.Local(i); err != nil {
			j.Fatal(err)
		}
	}
	if _, err := j.s.Local(len(j.nodes)); err == nil {
		j.Error("a rank that is none is connected")
	}
}

// run runs the service and every rank in a separate goroutine, to the end.
func (j *job) run(rank func(n *Node)) Report {
	j.Helper()
	go func() { j.over <- j.s.Run() }()
	for _, n := range j.nodes {
		j.wg.Go(func() {
			rank(n)
			n.Close()
		})
	}
	j.wg.Wait()
	if err := <-j.over; err != nil {
		j.Fatal(err)
	}
	return j.s.Report()
}

// await sleeps until there is a message.
func await(n *Node) (m Message) {
	for !n.Next(&m) {
		n.Arm()
		if n.Next(&m) {
			n.Disarm()
			return m
		}
		n.Sleep(time.Hour)
		n.Disarm()
	}
	return m
}

// TestTimes: a message, a Pull and a Push take the time of the model.
func TestTimes(t *testing.T) {
	var at [3]vtime.Time
	j := newJob(t, 2, Config{})
	r := j.run(func(n *Node) {
		if n.rank == 1 {
			if m := await(n); m.Kind != Packet || m.Peer != 0 || m.Head[2] != 3 || len(m.Data) != 50 {
				t.Errorf("%+v", m)
			}
			at[0] = n.Now()
			return
		}
		n.Send(1, &[3]uint64{1, 2, 3}, make([]byte, 50), false)
		n.Pull(1, 1000, 7)
		if m := await(n); m.Kind != Done || m.Token != 7 {
			t.Errorf("%+v", m)
		}
		at[1] = n.Now()
		n.Push(1, 1000, 8)
		if m := await(n); m.Kind != Done || m.Token != 8 {
			t.Errorf("%+v", m)
		}
		at[2] = n.Now()
	})
	want := [3]vtime.Time{100 + 1000 + 50 + 100, 200 + 1000 + 1000 + 1000, 3200 + 100 + 1000 + 1000 + 1000}
	for i := range want {
		if want[i] *= vtime.Nanosecond; at[i] != want[i] {
			t.Errorf("%d: at %v, want %v", i, at[i], want[i])
		}
	}
	if r.Time != want[2] || r.Total != (Traffic{5, 2050}) || r.Ranks[0].Call != 300*vtime.Nanosecond || r.Ranks[1].Wait() != 1150*vtime.Nanosecond {
		t.Errorf("%+v", r)
	}
}

// TestOrder: ranks that compute for random times and send to random others receive the same at the
// same times, on any number of processors.
func TestOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []string
	for i, processors := range []int{1, 2, 4, 2, 1, 2} {
		runtime.GOMAXPROCS(processors)
		const ranks, each = 6, 40
		logs := make([][]string, ranks)
		j := newJob(t, ranks, Config{Window: ranks * each})
		if i >= 4 { // ranks that are goroutines of the service receive the same
			j.local()
		}
		j.run(func(n *Node) {
			rng := rand.New(rand.NewPCG(7, uint64(n.rank)))
			var m Message
			var latest vtime.Time
			note := func() {
				arrival := vtime.Time(m.Head[1]) + vtime.Microsecond + vtime.Time(len(m.Data))*vtime.Nanosecond
				if arrival < latest || n.Now() < arrival+100*vtime.Nanosecond {
					t.Errorf("rank %d at %v, after a packet of %v: one that arrives at %v", n.rank, n.Now(), latest, arrival)
				}
				latest = arrival
				logs[n.rank] = append(logs[n.rank], fmt.Sprint(n.Now(), m.Peer, m.Head))
			}
			for k := range each {
				n.Compute(vtime.Time(rng.IntN(3000)) * vtime.Nanosecond)
				for peer := range ranks {
					n.Send(peer, &[3]uint64{uint64(k), uint64(n.Now() + 100*vtime.Nanosecond)}, make([]byte, rng.IntN(200)), false)
				}
				for n.Next(&m) {
					note()
				}
				n.Miss()
			}
			for len(logs[n.rank]) < ranks*each {
				m = await(n)
				note()
			}
		})
		all := slices.Concat(logs...)
		if i == 0 {
			first = all
		} else if !slices.Equal(all, first) {
			t.Fatalf("%d processors: another order", processors)
		}
	}
}

// TestLookahead: a rank that polls does not run before another one that can still send it a packet,
// although none is in flight yet.
func TestLookahead(t *testing.T) {
	newJob(t, 2, Config{}).run(func(n *Node) {
		var m Message
		n.Compute(vtime.Microsecond + vtime.Time(n.rank)*vtime.Millisecond)
		if found := n.Next(&m); found != (n.rank == 1) {
			t.Errorf("rank %d found something: %v", n.rank, found)
		}
		if n.rank == 0 {
			n.Send(1, &[3]uint64{}, nil, false)
		}
	})
}

// TestWindow: a sender that is faster than its receiver is refused, wakes when there is room again,
// and everything arrives in order.
func TestWindow(t *testing.T) {
	const all, window = 200, 5
	refused := 0
	newJob(t, 2, Config{Window: window}).run(func(n *Node) {
		if n.rank == 1 {
			for i := range all {
				if m := await(n); m.Head[0] != uint64(i) {
					t.Errorf("packet %d instead of %d", m.Head[0], i)
				}
				n.Compute(vtime.Microsecond)
			}
			return
		}
		for i := range all {
			for !n.Send(1, &[3]uint64{uint64(i)}, nil, false) {
				refused++
				var m Message
				n.Arm()
				for n.Next(&m) {
					t.Errorf("%+v", m)
				}
				n.Sleep(time.Hour)
				n.Disarm()
			}
		}
	})
	if refused < all/window/2 || refused > all {
		t.Errorf("refused %d times", refused)
	}
}

// TestStuck: stuck is called once when every rank waits, with or without certainty; another
// goroutine may continue.
func TestStuck(t *testing.T) {
	for _, others := range []bool{false, true} {
		j := newJob(t, 2, Config{})
		for _, n := range j.nodes {
			n.Others = func() bool { return others }
		}
		j.wg.Go(func() {
			if sure := <-j.stuck; sure == others {
				t.Errorf("sure: %v", sure)
			}
			j.nodes[0].Compute(vtime.Millisecond) // gets the turn back
			j.nodes[0].Send(1, &[3]uint64{9}, nil, false)
			j.nodes[0].Wake(0)
		})
		r := j.run(func(n *Node) {
			if n.rank == 1 {
				if m := await(n); m.Head[0] != 9 {
					t.Errorf("%+v", m)
				}
				n.Send(0, &[3]uint64{}, nil, false)
				return
			}
			await(n)
		})
		if r.Time < vtime.Millisecond {
			t.Errorf("it is %v", r.Time)
		}
	}
}

// TestGoroutineThatIsLate: a rank may have a goroutine that counts as waiting but is about to call.
// A call that comes soon is not reported as the end of a hang.
func TestGoroutineThatIsLate(t *testing.T) {
	defer func(d time.Duration) { certainAfter = d }(certainAfter)
	certainAfter = time.Hour
	j := newJob(t, 2, Config{})
	for _, n := range j.nodes {
		n.Others = func() bool { return false }
	}
	j.wg.Go(func() {
		for looks := 0; looks < 10; looks++ { // until the service rests with no event pending
			if uint32(atomic.LoadUint64(j.s.given)) < 2 || atomic.LoadUint64(j.s.asleep) == 0 {
				looks = 0
			}
			time.Sleep(2 * time.Millisecond)
		}
		j.nodes[0].Send(1, &[3]uint64{9}, nil, false)
		j.nodes[0].Wake(0)
	})
	j.run(func(n *Node) {
		await(n)
		n.Send(1-n.rank, &[3]uint64{}, nil, false)
	})
	if len(j.stuck) > 0 {
		t.Error("said to hang")
	}
}

// TestLeft: a sender to a rank that has left is told, once; a rank whose process has ended has
// left.
func TestLeft(t *testing.T) {
	j := newJob(t, 3, Config{})
	j.s.Ended(2)
	j.nodes = j.nodes[:2]
	j.run(func(n *Node) {
		if n.rank == 1 {
			return
		}
		n.Compute(vtime.Second)
		for peer := 1; peer < 3; peer++ {
			for range 3 {
				n.Send(peer, &[3]uint64{}, nil, false)
			}
			if m := await(n); m.Kind != Gone || m.Peer != peer {
				t.Errorf("%+v", m)
			}
		}
		n.Pull(1, 8, 1) // the bytes have been moved before
		if m := await(n); m.Kind != Done {
			t.Errorf("%+v", m)
		}
	})
}

// TestFlush: what a rank has flushed arrives, though its process ends before it leaves.
func TestFlush(t *testing.T) {
	const packets = 10
	j := newJob(t, 2, Config{})
	first := j.nodes[0]
	j.nodes = j.nodes[1:]
	j.wg.Go(func() {
		for i := range packets {
			first.Send(1, &[3]uint64{uint64(i)}, nil, false)
		}
		first.Flush()
		first.Flush() // nothing
		j.s.Ended(0)
	})
	j.run(func(n *Node) {
		for i := range uint64(packets) {
			if m := await(n); m.Kind != Packet || m.Head[0] != i {
				t.Errorf("packet %d: %+v", i, m)
			}
		}
	})
}

// TestManyRecords: more records than a mailbox holds can be sent in both directions.
func TestManyRecords(t *testing.T) {
	const packets = 3 * areaBytes / 1000
	newJob(t, 2, Config{Window: packets}).run(func(n *Node) {
		peer := 1 - n.rank
		for i := range packets {
			n.Send(peer, &[3]uint64{uint64(i)}, make([]byte, 1000), false)
		}
		n.Compute(vtime.Second)
		var m Message
		for i := range packets {
			if !n.Next(&m) || m.Head[0] != uint64(i) {
				t.Fatalf("packet %d: %+v", i, m)
			}
		}
	})
}

// TestRoomLosesNoWakeUp: ranks that wait for room, then for their messages, never depend on the
// service's long timeout.
func TestRoomLosesNoWakeUp(t *testing.T) {
	defer func(d time.Duration) { longestWait = d }(longestWait)
	longestWait = time.Hour
	defer time.AfterFunc(5*time.Minute, func() { panic("a wake-up was lost") }).Stop()
	const packets, rounds = 2 * areaBytes / 1000, 50
	newJob(t, 2, Config{Window: packets}).run(func(n *Node) {
		peer := 1 - n.rank
		for round := range rounds {
			if round%2 == n.rank {
				for range packets {
					n.Send(peer, &[3]uint64{}, make([]byte, 1000), false)
				}
				continue
			}
			for range packets {
				await(n)
			}
		}
	})
}

// TestOverwritten: a service that finds values that no rank writes ends, and names the rank.
func TestOverwritten(t *testing.T) {
	for name, spoil := range map[string]func(w []uint64, out []byte){
		"op":       func(_ []uint64, out []byte) { out[0] = 200 },
		"peer":     func(_ []uint64, out []byte) { out[1] = 7 },
		"length":   func(_ []uint64, out []byte) { out[7] = 255 },
		"time":     func(_ []uint64, out []byte) { out[15] = 127 },
		"past":     func(_ []uint64, out []byte) { out[15] = 255 },
		"all":      func(w []uint64, _ []byte) { w[wordOut] = recordBytes - 1 },
		"clock":    func(w []uint64, _ []byte) { w[wordNow] = 1 << 63 },
		"far away": func(w []uint64, _ []byte) { w[wordNow] = 1<<63 - 1 },
	} {
		j := newJob(t, 2, Config{})
		n := j.nodes[1]
		n.Send(0, &[3]uint64{}, nil, false)
		n.mu.Lock()
		n.give(askLeave)
		spoil(n.box.words, n.box.out)
		j.nodes[0].mu.Lock()
		j.nodes[0].give(askWait) // the service waits for all ranks
		if err := j.s.Run(); !errors.Is(err, errMailbox) || err.Error()[:7] != "rank 1:" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpen(t *testing.T) {
	j := newJob(t, 1, Config{})
	for _, rank := range []int{-1, 1} {
		if _, err := Open(j.f, rank); err == nil {
			t.Errorf("opened rank %d of 1", rank)
		}
	}
	w := j.f.Words(0, fabric.Rings)
	for _, n := range []uint64{0, 1 << 20, 3} {
		w[wordConfig] = n
		if _, err := Open(j.f, 0); err == nil {
			t.Errorf("a configuration of %d bytes", n)
		}
	}
}

// TestStopWhileTheServiceLooks: ends that were reported before Stop count, even if the service has
// not polled since.
func TestStopWhileTheServiceLooks(t *testing.T) {
	j := newJob(t, 2, Config{})
	for _, n := range j.nodes {
		n.Others = func() bool { return true }
		n.give(askWait)
	}
	j.s.stuck = func(bool) {
		j.s.Ended(0)
		j.s.Ended(1)
		j.s.Stop()
	}
	if err := j.s.Run(); err != nil || j.s.present != 0 {
		t.Errorf("%v, %d ranks have not left", err, j.s.present)
	}
}

// TestStop: the last turns of ranks whose processes have ended are handled even after Stop; the
// service does not wait for a rank that has not ended.
func TestStop(t *testing.T) {
	for _, ended := range []bool{true, false} {
		j := newJob(t, 2, Config{})
		for i, n := range j.nodes {
			n.Compute(vtime.Millisecond)
			if i == 1 && !ended {
				break
			}
			n.Close()
			j.s.Ended(i)
		}
		j.s.Stop()
		if err := j.s.Run(); err != nil {
			t.Error(err)
		}
		r := j.s.Report()
		for i, a := range r.Ranks {
			if want := vtime.Millisecond; a.Time != want && (ended || i == 0) {
				t.Errorf("ended %v: rank %d at %v", ended, i, a.Time)
			}
		}
		if err := j.s.Close(); err != nil {
			t.Error(err)
		}
	}
}
