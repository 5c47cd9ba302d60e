package pm

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// A node is either implementation.
type node interface {
	Messages
	Source() int
	Counters() Counters
	Close() error
}

// A kind opens nodes of one implementation.
type kind struct {
	name string
	open func(*martini.NIC) (node, error)
}

func rhinet(o Options) func(*martini.NIC) (node, error) {
	return func(n *martini.NIC) (node, error) { return NewRHiNET(n, o) }
}

func vp(n *martini.NIC) (node, error) { return NewVP(n), nil }

func kinds() []kind {
	return []kind{
		{"RHiNET", rhinet(Options{})},
		{"RHiNET throttled by destination", rhinet(Options{Throttle: PerDestination})},
		{"RHiNET throttled, from ring 0", rhinet(Options{Throttle: Global, FromZero: true})},
		{"VP", vp},
	}
}

// open returns the nodes of a job of goroutines.
func open(t testing.TB, n int, make func(*martini.NIC) (node, error)) []node {
	t.Helper()
	_, _, all := openJob(t, n, make)
	return all
}

// openJob is open for tests that access memory below the layer.
func openJob(t testing.TB, n int, make func(*martini.NIC) (node, error)) (*fabric.Fabric, *martini.Manager, []node) {
	t.Helper()
	f, err := fabric.Heap(n, Geometry(fabric.Small(), n))
	if err != nil {
		t.Fatal(err)
	}
	boss, err := martini.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []node
	for i := range n {
		nic, err := martini.Open(f, i, martini.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := make(nic)
		if err != nil {
			t.Fatal(err)
		}
		if p.Self() != i || p.Nodes() != n {
			t.Fatalf("node %d of %d calls itself %d of %d", i, n, p.Self(), p.Nodes())
		}
		t.Cleanup(func() { _ = errors.Join(p.Close(), nic.Close()) })
		all = append(all, p)
	}
	return f, boss, all
}

// send sends data to dst, or returns why it cannot.
func send(p Messages, dst int, data []byte) error {
	buf, err := p.GetSendBuffer(dst, len(data))
	if err != nil {
		return err
	}
	copy(buf, data)
	return p.Send()
}

// must sends where there must be room.
func must(t testing.TB, p Messages, dst int, data []byte) {
	t.Helper()
	if err := send(p, dst, data); err != nil {
		t.Fatal(err)
	}
}

// expect receives the next message and releases it.
func expect(t testing.TB, p node, source int, want []byte) {
	t.Helper()
	got, err := p.Receive()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) || p.Source() != source {
		t.Fatalf("%d bytes of %d, want %d of %d", len(got), p.Source(), len(want), source)
	}
	if err := p.ReleaseReceiveBuffer(); err != nil {
		t.Fatal(err)
	}
}

func text(seed uint64, n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// TestManyToOne is A1 and A2: order by source, contents intact; on VP messages are not interleaved
// (A9).
func TestManyToOne(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			const senders, each = 3, 3000
			all := open(t, senders+1, k.open)
			var stop atomic.Bool
			defer stop.Store(true)
			for s := 1; s <= senders; s++ {
				go func() {
					rng := rand.New(rand.NewPCG(uint64(s), 9))
					for i := range each {
						n := 1 + rng.IntN(all[s].MaxMessage())
						if i%3 != 0 {
							n = 1 + n%64
						}
						msg := bytes.Repeat([]byte{byte(i*7 + s)}, n)
						for {
							err := send(all[s], 0, msg)
							if err == nil {
								break
							}
							if !errors.Is(err, ErrNoBufs) || stop.Load() {
								t.Error(err)
								return
							}
							runtime.Gosched()
						}
					}
				}()
			}
			var next [senders + 1]int
			for got := 0; got < senders*each; {
				msg, err := all[0].Receive()
				if errors.Is(err, ErrNoMessage) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				s := all[0].Source()
				for _, b := range msg {
					if b != byte(next[s]*7+s) {
						t.Fatalf("message %d of %d carries %d", next[s], s, b)
					}
				}
				if err := all[0].ReleaseReceiveBuffer(); err != nil {
					t.Fatal(err)
				}
				next[s]++
				got++
			}
		})
	}
}

// TestAlternation is A8: a violated rule is an error and harms nothing.
func TestAlternation(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			p := open(t, 2, k.open)
			if err := p[0].Send(); !errors.Is(err, ErrNothingHeld) {
				t.Error(err)
			}
			if err := p[0].ReleaseReceiveBuffer(); !errors.Is(err, ErrNothingHeld) {
				t.Error(err)
			}
			for _, c := range []struct{ dst, n int }{{-1, 1}, {2, 1}, {1, 0}, {1, -1}, {1, p[0].MaxMessage() + 1}} {
				if _, err := p[0].GetSendBuffer(c.dst, c.n); !errors.Is(err, ErrInvalid) {
					t.Errorf("%d bytes to %d: %v", c.n, c.dst, err)
				}
			}
			if _, err := p[0].GetSendBuffer(1, 5); err != nil {
				t.Fatal(err)
			}
			if _, err := p[0].GetSendBuffer(1, 5); !errors.Is(err, ErrBusy) {
				t.Error(err)
			}
			if err := p[0].Send(); err != nil {
				t.Fatal(err)
			}
			must(t, p[0], 1, text(1, p[0].MaxMessage()))
			if _, err := p[1].Receive(); err != nil {
				t.Fatal(err)
			}
			if _, err := p[1].Receive(); !errors.Is(err, ErrBusy) {
				t.Error(err)
			}
			must(t, p[1], 1, []byte("to itself, while a message is held"))
			if err := p[1].ReleaseReceiveBuffer(); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				msg, err := p[1].Receive()
				if err != nil {
					t.Fatal(err)
				}
				if s := p[1].Source(); s == 0 && !bytes.Equal(msg, text(1, p[0].MaxMessage())) {
					t.Errorf("%d bytes of %d", len(msg), s)
				}
				if err := p[1].ReleaseReceiveBuffer(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := p[1].Receive(); !errors.Is(err, ErrNoMessage) {
				t.Error(err)
			}
		})
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for _, k := range kinds() {
		p := open(t, 2, k.open)
		msg := text(3, 100)
		if used := testing.AllocsPerRun(300, func() {
			must(t, p[0], 1, msg)
			expect(t, p[1], 0, msg)
			_, _ = p[0].Receive()
		}); used != 0 {
			t.Errorf("%s: %v allocations for a message", k.name, used)
		}
	}
}

// withdraw takes all Windows from node 0.
func withdraw(t *testing.T, boss *martini.Manager) {
	t.Helper()
	for i := range martini.Windows {
		if err := boss.Invalidate(0, i); err != nil {
			t.Fatal(err)
		}
	}
}
