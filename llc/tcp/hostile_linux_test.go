package tcp

import (
	"errors"
	"testing"
	"time"

	"rhinet/internal/tcp"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// soon bounds waits of tests that would never end.
const soon = 30 * time.Second

// A play has rank 0 talk to a test that claims to be rank 1.
type play struct {
	testing.TB
	t      *Translator // rank 0
	other  *Translator // rank 1, which does nothing itself
	socket tcp.Socket  // of the test
	reader tcp.Reader
	events []ir.Event
}

func newPlay(t testing.TB) *play {
	t.Helper()
	f, err := fabric.Heap(3, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	all := open(t, f, 3)
	p := &play{TB: t, t: all[0].(*Translator), other: all[1].(*Translator), reader: tcp.NewReader(longest)}
	p.socket = p.dial()
	t.Cleanup(func() {
		p.socket.Close()
		for _, tr := range all {
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return p
}

// dial makes a stream to rank 0.
func (p *play) dial() tcp.Socket {
	at, _, ok := where(p.other.Name(0))
	if !ok {
		p.Fatal("rank 0 has no name")
	}
	s, err := tcp.Dial(at)
	if err != nil {
		p.Fatal(err)
	}
	return s
}

// say sends a frame, with a header of rank 1 if its kind has one.
func (p *play) say(kind byte, n int, body []byte, words ...uint64) {
	p.Helper()
	var h tcp.Head
	if words == nil {
		p.other.lead(&h, kind, n, &ir.Header{Kind: 1, Word: p.t.word})
	} else {
		h.Put(kind, n, words...)
	}
	for all := append(h[:], body...); len(all) > 0; {
		sent, err := p.socket.Send(all)
		if err != nil {
			p.Fatal(err)
		}
		all = all[sent:]
		p.poll()
	}
}

// poll has rank 0 look.
func (p *play) poll() {
	var ev ir.Event
	for p.t.Poll(&ev) {
		ev.Data = append([]byte(nil), ev.Data...)
		p.events = append(p.events, ev)
	}
}

// until has rank 0 look until done.
func (p *play) until(what string, done func() bool) {
	p.Helper()
	for start := time.Now(); !done(); p.poll() {
		if time.Since(start) > soon {
			p.Fatalf("%s: not; events %+v", what, p.events)
		}
	}
}

// hears returns the next frame that rank 0 sends.
func (p *play) hears() (kind byte, n int, number uint64) {
	p.Helper()
	p.until("a frame", func() bool {
		p.reader.Fill(p.socket)
		return p.reader.Head() != nil
	})
	h := p.reader.Head()
	kind, n = h.About()
	number = h.Word(0)
	p.reader.Into(nil)
	return kind, n, number
}

// greet makes rank 1 known.
func (p *play) greet() {
	p.Helper()
	p.say(hello, 0, nil)
	if kind, _, _ := p.hears(); kind != welcome {
		p.Fatalf("kind %d instead of a welcome", kind)
	}
}

// lost reports whether the end of rank 1 has been reported, once.
func (p *play) lost() bool {
	n := 0
	for _, ev := range p.events {
		if ev.Kind == ir.Failed && ev.Token == 0 && ev.Peer == 1 && errors.Is(ev.Err, ir.ErrPeerGone) {
			n++
		}
	}
	return n == 1
}

// expose has rank 0 expose memory, and returns it and its key.
func (p *play) expose(n int) ([]byte, uint64) {
	p.Helper()
	memory := make([]byte, n)
	p.t.Post(&ir.Command{Op: ir.Expose, Peer: 1, Data: memory, Token: 3})
	p.poll()
	ev := p.events[len(p.events)-1]
	p.events = p.events[:len(p.events)-1]
	if ev.Kind != ir.Exposed || ev.Segment == 0 {
		p.Fatalf("%+v", ev)
	}
	return memory, uint64(ev.Segment)
}

// A stream of an unknown rank with a wrong greeting ends, and nothing comes of it.
func TestStrangers(t *testing.T) {
	for name, say := range map[string]func(p *play){
		"a packet":        func(p *play) { p.say(packet, 0, nil) },
		"a welcome":       func(p *play) { p.say(welcome, 0, nil) },
		"noise":           func(p *play) { p.say(77, 1, nil, 1, 2, 3) },
		"a long hello":    func(p *play) { p.say(hello, 1, []byte{0}) },
		"no such rank":    func(p *play) { p.say(hello, 0, nil, 1, p.t.word, 99) },
		"the rank itself": func(p *play) { p.say(hello, 0, nil, 1, p.t.word, 0) },
		"a wrong word":    func(p *play) { p.say(hello, 0, nil, 1, p.t.word+1, 1) },
		"a wrong secret":  func(p *play) { p.say(hello, 0, nil, 1, p.t.word, 1<<32|1) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			say(p)
			p.until("the end of the stream", func() bool {
				p.reader.Fill(p.socket)
				return p.reader.Over()
			})
			if p.reader.Head() != nil || len(p.events) != 0 || p.t.unknown != 0 || p.t.peers[1].link != nil {
				t.Errorf("answered %v, events %+v, %d strangers", p.reader.Head() != nil, p.events, p.t.unknown)
			}
			p.socket.Close()
			p.socket, p.reader = p.dial(), tcp.NewReader(longest)
			p.greet()
		})
	}
}

// A peer that sends impossible frames ends.
func TestWrongFrames(t *testing.T) {
	for name, say := range map[string]func(p *play, key uint64){
		"a packet that is too long":       func(p *play, _ uint64) { p.say(packet, packetBytes+1, nil) },
		"a packet of another rank":        func(p *play, _ uint64) { p.say(packet, 0, nil, 1, 0, 2) },
		"a second hello":                  func(p *play, _ uint64) { p.say(hello, 0, nil) },
		"noise":                           func(p *play, _ uint64) { p.say(99, 0, nil, 1) },
		"bytes that nobody asked for":     func(p *play, _ uint64) { p.say(data, 8, make([]byte, 8), 0, 0) },
		"bytes behind a gap":              func(p *play, _ uint64) { p.say(data, 8, make([]byte, 8), pulling(p, 16), 8) },
		"more bytes than were asked for":  func(p *play, _ uint64) { p.say(data, 24, make([]byte, 24), pulling(p, 16), 0) },
		"no bytes":                        func(p *play, _ uint64) { p.say(data, 0, nil, pulling(p, 16), 0) },
		"a push that was never made":      func(p *play, _ uint64) { p.say(done, 0, nil, 1<<40, 8) },
		"an end of a pull":                func(p *play, _ uint64) { p.say(done, 0, nil, pulling(p, 16), 16) },
		"more than was pushed":            func(p *play, _ uint64) { p.say(done, 0, nil, pushing(p, 16), 17) },
		"a refusal of what was not asked": func(p *play, _ uint64) { p.say(refused, 0, nil, 1<<40) },
		"a part that is too long":         func(p *play, key uint64) { p.say(push, part+1, nil, 0, key, 0) },
		"a part of nothing":               func(p *play, key uint64) { p.say(push, 0, nil, 0, key, 0) },
		"a long part for nowhere":         func(p *play, key uint64) { p.say(push, part+1, nil, 0, key+1, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			p.greet()
			_, key := p.expose(8)
			say(p, key)
			p.until("the end of rank 1", p.lost)
			for _, ev := range p.events {
				if ev.Kind != ir.Failed {
					t.Errorf("%+v", ev)
				}
			}
		})
	}
}

// pulling has rank 0 pull n bytes of rank 1, and returns the number of the move.
func pulling(p *play, n int) uint64 {
	p.t.Post(&ir.Command{Op: ir.Pull, Peer: 1, Segment: 5, Data: make([]byte, n), Token: 9})
	kind, asked, number := p.hears()
	if kind != pull || asked != n {
		p.Fatalf("kind %d, %d bytes", kind, asked)
	}
	return number
}

// pushing has rank 0 push n bytes to rank 1, and returns the number of the move.
func pushing(p *play, n int) uint64 {
	p.t.Post(&ir.Command{Op: ir.Push, Peer: 1, Segment: 5, Data: make([]byte, n), Token: 9})
	kind, pushed, number := p.hears()
	if kind != push || pushed != n {
		p.Fatalf("kind %d, %d bytes", kind, pushed)
	}
	return number
}

// Memory that is not exposed, or beyond what is, is refused; the peer goes on.
func TestUnreachableMemory(t *testing.T) {
	p := newPlay(t)
	p.greet()
	memory, key := p.expose(100)
	for _, c := range []struct {
		segment, offset uint64
		n               int
	}{{key + 1, 0, 8}, {0, 0, 8}, {key, 93, 8}, {key, 101, 1}, {key, 1 << 63, 8}, {key, ^uint64(0), 8}} {
		p.say(pull, c.n, nil, 70, c.segment, c.offset)
		if kind, _, number := p.hears(); kind != refused || number != 70 {
			t.Errorf("pull of %+v: kind %d, number %d", c, kind, number)
		}
		p.say(push, c.n, []byte("evilevil")[:c.n], 71, c.segment, c.offset)
		if kind, _, number := p.hears(); kind != refused || number != 71 {
			t.Errorf("push of %+v: kind %d, number %d", c, kind, number)
		}
	}
	p.say(pull, 1<<55, nil, 70, key, 0)
	if kind, _, _ := p.hears(); kind != refused {
		t.Errorf("pull of all: kind %d", kind)
	}
	for i, b := range memory {
		if b != 0 {
			t.Fatalf("byte %d has changed", i)
		}
	}
	p.say(push, 8, []byte("goodgood"), 71, key, 92)
	if kind, _, number := p.hears(); kind != done || number != 71 || string(memory[92:]) != "goodgood" {
		t.Errorf("kind %d, number %d, %q", kind, number, memory[92:])
	}
	p.say(packet, 2, []byte("hi"))
	p.until("a packet", func() bool { return len(p.events) == 1 })
	if ev := p.events[0]; ev.Kind != ir.Arrived || string(ev.Data) != "hi" || ev.Peer != 1 {
		t.Errorf("%+v", ev)
	}
}

// A peer that asks for more at a time than it may ends.
func TestTooManyQuestions(t *testing.T) {
	p := newPlay(t)
	p.greet()
	_, key := p.expose(64 << 20)
	for i := range asked + 3 {
		if p.lost() {
			t.Fatalf("lost after %d", i)
		}
		p.say(pull, 64<<20, nil, uint64(i), key, 0)
	}
	p.until("the end of rank 1", p.lost)
}

// Answers to moves that have been answered already change nothing.
func TestLateAnswers(t *testing.T) {
	p := newPlay(t)
	p.greet()
	number := pushing(p, 16)
	p.reader = tcp.NewReader(longest) // the body
	p.say(refused, 0, nil, number)
	p.say(refused, 0, nil, number)
	p.say(done, 0, nil, number, 16)
	p.say(packet, 0, nil)
	p.until("a packet", func() bool { return len(p.events) == 2 })
	if p.events[0].Kind != ir.Failed || p.events[0].Token != 9 || p.events[1].Kind != ir.Arrived {
		t.Errorf("%+v", p.events)
	}
}

// What a peer has sent before it ended comes before its end.
func TestLastWordsComeFirst(t *testing.T) {
	p := newPlay(t)
	p.greet()
	var h tcp.Head
	p.other.lead(&h, packet, 0, &ir.Header{Kind: 1})
	for range 3 {
		if n, err := p.socket.Send(h[:]); n != len(h) || err != nil {
			t.Fatal(n, err)
		}
	}
	p.socket.Close() // with the welcome unread or not: the next packet to it fails
	for i := 0; !p.lost(); i++ {
		p.t.Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1}})
		p.poll()
		if time.Sleep(time.Millisecond); i > 10000 {
			t.Fatal("the end is not told")
		}
	}
	if len(p.events) != 4 || p.events[2].Kind != ir.Arrived {
		t.Errorf("%+v", p.events)
	}
	p.socket = p.dial()
}

// Streams that say nothing keep no rank out for long.
func TestSilentStrangers(t *testing.T) {
	p := newPlay(t)
	most := len(p.t.peers) + strangers
	var silent []tcp.Socket
	for range most + 3 {
		silent = append(silent, p.dial())
	}
	p.until("all that may wait", func() bool { return p.t.unknown == most })
	for range 100 {
		p.poll()
	}
	if p.t.unknown != most {
		t.Errorf("%d strangers, at most %d may be", p.t.unknown, most)
	}
	for _, l := range p.t.links[1:] {
		l.since = l.since.Add(-2 * patience)
	}
	p.until("those that came later", func() bool { return p.t.unknown < most })
	p.socket.Close()
	p.socket, p.reader = p.dial(), tcp.NewReader(longest)
	p.greet()
	for _, s := range silent {
		s.Close()
	}
	p.until("the end of all", func() bool { return p.t.unknown == 0 })
}
