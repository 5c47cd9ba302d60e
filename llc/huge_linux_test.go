package llc_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/sim"
)

// reserve returns bytes that must not be touched: address space without memory.
func reserve(t *testing.T, n int) []byte {
	t.Helper()
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(b) })
	return b
}

// A span is a part of a message that a copy engine was told to move.
type span struct{ lo, hi uint64 }

// A mover drives two engines and, instead of moving messages, records what should have been moved.
type mover struct {
	*testing.T
	net     *sim.Net
	engines [2]*llc.Engine
	moved   [2][]ir.Event // answers to Pull and Push that are due
	spans   []span
	pushed  int
}

func newMover(t *testing.T, caps ir.Caps) *mover {
	m := &mover{T: t, net: sim.NewNet(2, caps, 8, nil)}
	for i := range m.engines {
		m.engines[i] = llc.New(llc.Config{Self: i, Peers: 2, Caps: caps})
	}
	return m
}

func (m *mover) turn(i int) {
	m.Helper()
	e := m.engines[i]
	var ev ir.Event
	if list := m.moved[i]; len(list) > 0 {
		ev, m.moved[i] = list[0], list[1:]
	} else if !m.net.Poll(i, &ev) {
		e.Retry()
	}
	if ev.Kind != 0 {
		if err := e.Step(&ev); err != nil {
			m.Fatal(err)
		}
	}
	cmds := e.Take()
	for k := range cmds {
		c := &cmds[k]
		if c.Op != ir.Pull && c.Op != ir.Push {
			m.net.Post(i, c)
			continue
		}
		answer := ir.Event{Kind: ir.Pulled, Peer: c.Peer, Token: c.Token}
		if c.Op == ir.Push {
			answer.Kind = ir.Pushed
			m.pushed++
		}
		m.spans = append(m.spans, span{c.Offset, c.Offset + uint64(len(c.Data))})
		m.moved[i] = append(m.moved[i], answer)
	}
	if len(m.net.Broken) > 0 {
		m.Fatal(m.net.Broken[0])
	}
}

func (m *mover) finish(s, r *llc.Request) {
	m.Helper()
	for i := 0; !s.Done() || !r.Done(); i++ {
		if i > 1<<20 {
			m.Fatal("no end")
		}
		m.turn(i % 2)
	}
}

// whole fails unless every byte of n was moved once.
func (m *mover) whole(n uint64) {
	m.Helper()
	slices.SortFunc(m.spans, func(a, b span) int { return int(a.lo>>1) - int(b.lo>>1) })
	at := uint64(0)
	for _, s := range m.spans {
		if s.lo != at || s.hi <= s.lo {
			m.Fatalf("%+v where %d bytes had been moved", s, at)
		}
		at = s.hi
	}
	if at != n {
		m.Fatalf("%d of %d bytes moved", at, n)
	}
}

// TestMessageOf3GiB: no length loses a bit on its way, whichever protocol moves the message, and whether the
// receive has room for all of it, most, or little.
func TestMessageOf3GiB(t *testing.T) {
	const n = 3<<30 + 12345
	buf := reserve(t, n)
	for name, split := range map[string]int{"pull": 0, "split": 64 << 10} {
		t.Run(name, func(t *testing.T) {
			for _, room := range []int{n, 1<<31 + 1, 1 << 20} {
				m := newMover(t, ir.Caps{
					Remote: true, Rings: 2, Slots: 8, Bytes: 4096, Words: 2, Fragment: 1024, Eager: 4096,
					Split: split, SplitUnit: 128 << 10,
				})
				s := &llc.Request{Peer: 1, Tag: 7, Buf: buf}
				r := &llc.Request{Peer: 0, Tag: 7, Buf: buf[:room]}
				m.engines[0].Send(s)
				for range 8 {
					m.turn(0)
					m.turn(1)
				}
				if st, ok := m.engines[1].Probe(0, llc.AnyPeer, llc.AnyTag); !ok || st.Bytes != n {
					t.Fatalf("probe: %+v, %v", st, ok)
				}
				m.engines[1].Recv(r)
				m.finish(s, r)
				m.whole(uint64(room))
				if s.Status.Err != nil || r.Status.Bytes != n {
					t.Fatalf("send %+v, receive %+v", s.Status, r.Status)
				}
				if split != 0 && m.pushed == 0 {
					t.Fatal("the sender took no part")
				}
				var short *llc.TruncatedError
				if room == n {
					if r.Status.Err != nil {
						t.Fatal(r.Status.Err)
					}
				} else if !errors.As(r.Status.Err, &short) || short.Bytes != n || short.Room != int64(room) {
					t.Fatalf("%+v", r.Status)
				}
			}
		})
	}
}

// TestStreamOf3GiB: the beginning of such a message is streamed to a receive
// that has room for no more.
func TestStreamOf3GiB(t *testing.T) {
	const n, room = 3<<30 + 12345, 5000
	all := reserve(t, n)
	if err := syscall.Mprotect(all[:1<<16], syscall.PROT_READ); err != nil {
		t.Fatal(err)
	}
	m := newMover(t, ir.Caps{Rings: 2, Slots: 8, Bytes: 4096, Fragment: 1024, Eager: 4096})
	s := &llc.Request{Peer: 1, Tag: 7, Buf: all}
	r := &llc.Request{Peer: 0, Tag: 7, Buf: make([]byte, room)}
	m.engines[1].Recv(r)
	m.engines[0].Send(s)
	m.finish(s, r)
	var short *llc.TruncatedError
	if s.Status.Err != nil || !errors.As(r.Status.Err, &short) || short.Bytes != n || short.Room != room {
		t.Fatalf("send %+v, receive %+v", s.Status, r.Status)
	}
}
