package martini

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/nicemu/fabric"
)

func TestPinsAreCounted(t *testing.T) {
	n := open(t, 2)
	b := make([]byte, 3*page)
	a1, err1 := n[1].Pin(b)
	a2, err2 := n[1].Pin(b[5:100])
	if err := errors.Join(err1, err2); err != nil || a1 != a2 {
		t.Fatalf("%v, %v: %v", a1, a2, err)
	}
	s, err := n[1].Register(fabric.Address(b), uint64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	into := make([]byte, 8)
	if err := errors.Join(n[1].Unpin(a2), pulled(n[0], 1, s, 0, into)); err != nil {
		t.Fatalf("after one of two: %v", err)
	}
	if err := n[1].Unpin(a1); err != nil {
		t.Fatal(err)
	}
	if err := pulled(n[0], 1, s, 0, into); !errors.Is(err, NotPinned) {
		t.Fatalf("after both: %v", err)
	}
	for _, p := range []Pin{a1, 0, makePin(Extents, 1), makePin(Extents-1, 1)} {
		if err := n[1].Unpin(p); !errors.Is(err, Misuse) {
			t.Errorf("unpinned %x: %v", uint64(p), err)
		}
	}
	// Hold does not fix memory, so Pin makes another entry.
	h, err1 := n[1].Hold(b)
	p, err2 := n[1].Pin(b)
	if err := errors.Join(err1, err2); err != nil || h == p {
		t.Fatal(err)
	}
	if err := errors.Join(n[1].Unpin(h), pulled(n[0], 1, s, 0, into), n[1].Unpin(p), n[1].Release(s)); err != nil {
		t.Fatal(err)
	}
	if err := n[1].Release(s); !errors.Is(err, Misuse) {
		t.Fatalf("released twice: %v", err)
	}
	if err := n[1].Conceal(makeSegment(sidRings, ioGen)); !errors.Is(err, Misuse) {
		t.Fatalf("concealed the NIC's own: %v", err)
	}
}

func TestSpans(t *testing.T) {
	for _, c := range [][4]uint64{{0, 0, 0, 0}, {0, 1, 0, 1}, {page - 1, 1, 0, 1}, {page - 1, 2, 0, 2}, {2 * page, page, 2, 1}, {2*page + 1, page, 2, 2}} {
		if first, count := span(c[0], c[1]); first != c[2] || count != c[3] {
			t.Errorf("span(%d, %d) = %d, %d", c[0], c[1], first, count)
		}
	}
}

func TestTablesFillUp(t *testing.T) {
	n := open(t, 1)[0]
	var pins []Pin
	bufs := make([]byte, Extents*2)
	for i := 0; ; i++ {
		p, err := n.Pin(bufs[i : i+1])
		if errors.Is(err, TableFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		pins = append(pins, p)
	}
	if len(pins) != Extents-ownExtents {
		t.Errorf("%d extents", len(pins))
	}
	if _, err := n.Expose(make([]byte, 8)); !errors.Is(err, TableFull) {
		t.Error(err)
	}
	if _, ok := n.local(n.key, fabric.Address(bufs), 1); !ok {
		t.Error("the first of many is not found")
	}
	for _, p := range pins {
		if err := n.Unpin(p); err != nil {
			t.Fatal(err)
		}
	}
	segs := 0
	for ; ; segs++ {
		if _, err := n.Register(0, 8); errors.Is(err, TableFull) {
			break
		}
	}
	if segs != Segments-firstSID {
		t.Errorf("%d segments", segs)
	}
	if _, err := n.Expose(make([]byte, 8)); !errors.Is(err, TableFull) {
		t.Error(err)
	}
	if n.live != segs {
		t.Errorf("%d in use after a failed exposure of %d", n.live, segs)
	}
	if _, err := open(t, 1)[0].Register(^uint64(0), 8); !errors.Is(err, WrongLength) {
		t.Error(err)
	}
}

func TestGenerationIsNeverZero(t *testing.T) {
	n := open(t, 1)[0]
	e := n.own.segment(100)
	e.store(entState, 0xffffffff<<entGenShift)
	if gen := e.validate(); gen != 1 || e.load(entState) != 1<<entGenShift|entValid {
		t.Errorf("generation %d, state %x", gen, e.load(entState))
	}
}

func TestCloseWithdrawsAll(t *testing.T) {
	n := open(t, 2)
	_, r := between(t, n[1], page)
	c, err := n[0].Channel(n[0].Window(0), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := n[1].Close(); err != nil {
		t.Fatal(err)
	}
	if n[1].Close() == nil {
		t.Error("closed twice")
	}
	if n[1].live != 0 {
		t.Errorf("%d registrations left", n[1].live)
	}
	if err := pulled(n[0], 1, r.good, 0, make([]byte, 8)); !errors.Is(err, Stale) {
		t.Errorf("pull from a closed NIC: %v", err)
	}
	if err := c.Put(0, 0, &[3]uint64{}, nil); err != nil {
		t.Errorf("a late packet: %v", err)
	}
	if _, err := n[1].Pin(make([]byte, 8)); !errors.Is(err, InvalidWindow) {
		t.Errorf("pin after Close: %v", err)
	}
	if _, err := n[1].Register(0, 8); !errors.Is(err, InvalidWindow) {
		t.Errorf("register after Close: %v", err)
	}
	if err := (&Manager{n[0].f}).Admit(1, n[0].f.Job()); err != nil {
		t.Fatal(err)
	}
	again, err := Open(n[0].f, 1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	_, r2 := between(t, again, page)
	if err := pulled(n[0], 1, r2.good, 0, make([]byte, 8)); err != nil {
		t.Errorf("after a new start: %v", err)
	}
	if err := pulled(n[0], 1, r.good, 0, make([]byte, 8)); !errors.Is(err, Stale) {
		t.Errorf("a segment outlives its process: %v", err)
	}
}

// TestWithdrawalWaitsForTransfers holds an extent as a transfer does.
func TestWithdrawalWaitsForTransfers(t *testing.T) {
	t.Parallel()
	for name, withdraw := range map[string]func(*NIC, Segment) error{
		"conceal": func(n *NIC, s Segment) error { return n.Conceal(s) },
		"release": func(n *NIC, s Segment) error { return n.Release(s) },
		"unpin":   func(n *NIC, s Segment) error { return n.Unpin(makePin(n.last, 1)) },
		"close":   func(n *NIC, s Segment) error { return n.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := open(t, 1)[0]
			s, err := n.Expose(make([]byte, 8))
			if err != nil {
				t.Fatal(err)
			}
			x := n.last
			if !n.own.hold(x) {
				t.Fatal("not valid")
			}
			var ended atomic.Bool
			time.AfterFunc(20*time.Millisecond, func() { ended.Store(true); n.own.drop(x) })
			if err := withdraw(n, s); err != nil || !ended.Load() {
				t.Errorf("did not wait: %v", err)
			}
		})
		t.Run(name+" of the dead", func(t *testing.T) {
			t.Parallel()
			n := open(t, 1)[0]
			s, err := n.Expose(make([]byte, 8))
			if err != nil {
				t.Fatal(err)
			}
			n.own.hold(n.last)
			if err := withdraw(n, s); !errors.Is(err, InUse) {
				t.Errorf("a transfer that never ends: %v", err)
			}
			if _ = n.Close(); (*n.pins)[n.last].used {
				t.Error("the memory stays pinned after Close")
			}
			runtime.GC() // would find a pin that was not released
		})
	}
}

// TestNothingMovesAfterConceal has one rank withdraw and reuse memory while another keeps accessing
// it. The race detector finds violations.
func TestNothingMovesAfterConceal(t *testing.T) {
	n := open(t, 2)
	var name atomic.Uint64
	stop := make(chan struct{})
	moved := make(chan int)
	go func() {
		count, rng, b := 0, rand.New(rand.NewPCG(5, 6)), make([]byte, 2*page)
		defer func() { moved <- count }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			a := accesses()[rng.IntN(len(accesses()))]
			switch err := a.do(n[0], 1, Segment(name.Load()), uint64(rng.IntN(page)), b[:1+rng.IntN(1000)]); {
			case err == nil:
				count++
			case errors.Is(err, Stale), errors.Is(err, NoSegment), errors.Is(err, NotPinned):
			default:
				t.Error(err)
			}
		}
	}()
	mem := make([]byte, 2*page)
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 1000 {
		b := mem[:page+1000]
		if i%2 == 1 {
			b = mem[page-1000:]
		}
		s, err := n[1].Expose(b)
		if err != nil {
			t.Fatal(err)
		}
		name.Store(uint64(s))
		for range rng.IntN(4) {
			runtime.Gosched()
		}
		if err := n[1].Conceal(s); err != nil {
			t.Fatal(err)
		}
		for j := range mem {
			mem[j] = byte(i)
		}
	}
	close(stop)
	if count := <-moved; count == 0 {
		t.Log("no access met exposed memory")
	}
}

func TestMovesDoNotAllocate(t *testing.T) {
	n := open(t, 2)
	b, c := make([]byte, 10*page), make([]byte, 10*page)
	p := Packet{Type: PacketPush, Node: 1, PID: 1, Payload: c[:8]}
	used := testing.AllocsPerRun(100, func() {
		s, err1 := n[1].Expose(b)
		pin, err2 := n[0].Hold(c)
		r := Request{Node: 1, Segment: s, Flag: 1}
		p.Segment = s
		_, err3 := n[0].Next().Swap(1, 0, 0, 0)
		if err := errors.Join(
			err1, err2, err3, n[0].Move(true, r, c), n[0].Next().Pull(r, c), n[0].Next().Push(r, c), n[0].Next().Botf(&p), n[0].Unpin(pin), n[1].Conceal(s),
		); err != nil {
			t.Fatal(err)
		}
	})
	if used != 0 && !raceEnabled {
		t.Errorf("%v allocations", used)
	}
}

// TestAForgottenNICDoesNotEndTheProgram: the runtime ends a program that loses a pin.
func TestAForgottenNICDoesNotEndTheProgram(t *testing.T) {
	func() {
		f, err := fabric.Heap(1, fabric.Small())
		if err != nil {
			t.Fatal(err)
		}
		n, err := Open(f, 0, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Expose(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}()
	for range 3 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	g := fabric.Small()
	g.Device = MemoryBytes - 1
	f, err := fabric.Heap(1, g)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, 0, Options{}); err == nil || !strings.Contains(err.Error(), "NIC memory") {
		t.Error(err)
	}
	g.Device, g.Public = MemoryBytes, PublicBytes-1
	if f, err = fabric.Heap(1, g); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, 0, Options{}); err == nil || !strings.Contains(err.Error(), "all NICs write") {
		t.Error(err)
	}
	n := open(t, 2)
	if _, err := Open(n[0].f, 1, Options{}); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Error(err)
	}
}

func TestAllRanksAgreeOnAttach(t *testing.T) {
	f, err := fabric.Heap(4, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		a  Attach
		ok bool
	}{{Off, true}, {On, false}, {Auto, true}, {Off, true}} {
		n, err := Open(f, i, Options{Attach: c.a})
		if (err == nil) != c.ok || err == nil && n.Remote() {
			t.Errorf("rank %d: %v", i, err)
		}
		if err != nil && f.Process(i) != 0 {
			t.Errorf("rank %d is still registered", i)
		}
	}
}

// TestANICThatIsNotUp: only the manager starts NICs.
func TestANICThatIsNotUp(t *testing.T) {
	n := open(t, 2)
	n[1].own.tables[regPower] = stateOff
	if err := pulled(n[0], 1, makeSegment(100, 1), 0, make([]byte, 8)); !errors.Is(err, NoNode) {
		t.Error(err)
	}
	if _, err := n[0].Channel(n[0].Window(0), 1, 0); !errors.Is(err, NoNode) {
		t.Error(err)
	}
}

// TestABufferExposedTwice withdraws one exposure while a transfer of the other is in progress: that
// does not delay it.
func TestABufferExposedTwice(t *testing.T) {
	n := open(t, 2)[0]
	b := make([]byte, page)
	first, err1 := n.Expose(b)
	second, err2 := n.Expose(b)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	x := int(n.own.segment(second.SID()).load(entHint))
	if !n.own.hold(x) {
		t.Fatal("no extent")
	}
	if err := n.Conceal(first); err != nil {
		t.Error(err)
	}
	n.own.drop(x)
	if err := n.Conceal(second); err != nil {
		t.Error(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Expose(b); !errors.Is(err, InvalidWindow) {
		t.Errorf("after Close: %v", err)
	}
}
