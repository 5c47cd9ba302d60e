package llc_test

import (
	"bytes"
	"fmt"
	"testing"

	"rhinet/internal/strided"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/llc/wire"
)

// A watched translator notes what its engine has moved.
type watched struct {
	ir.Translator
	moved *[]moved
}

// A moved is n bytes that were copied between a peer and memory from at on.
type moved struct {
	at *byte
	n  int
}

func (w *watched) Post(cmd *ir.Command) {
	if cmd.Op == ir.Pull || cmd.Op == ir.Push {
		is := moved{&cmd.Data[0], len(cmd.Data)}
		if cmd.Move != nil {
			is.n = cmd.Move.Bytes
		}
		*w.moved = append(*w.moved, is)
	}
	w.Translator.Post(cmd)
}

// moves are the copies of one message, and how many bytes of them came from or to the memory of its bodies.
func moves(t *testing.T, caps ir.Caps, crowded bool, s, r *llc.Request) (n int, own int) {
	var all []moved
	nics := nictest.Loopback(2, caps)
	for i := range nics {
		nics[i] = &watched{nics[i], &all}
	}
	l := newLoopOn(t, nics, caps)
	if crowded {
		crowd(l, caps)
	}
	l.engines[1].Recv(r)
	l.engines[0].Send(s)
	l.until(s)
	l.until(r)
	l.run()
	for _, m := range all {
		if m.at == start(s) || m.at == start(r) {
			own += m.n
		}
	}
	return len(all), own
}

// start is where a request's memory begins.
func start(r *llc.Request) *byte {
	return &r.Body.(sparse)[0]
}

// A message in blocks that the NIC moves is copied once, from or to where its blocks lie, and both sides share it. What the NIC
// does not move so is a stream if a call attends to it, and a copy that the receiver pulls if none does or peers share processors.
func TestBlocksMoveFromWhereTheyLie(t *testing.T) {
	const size = 100_000
	for _, c := range []struct {
		blocks            int
		attended, crowded bool
		own               bool // all bytes move by this
		copies            bool // something is moved by the NIC
	}{
		{blocks: 1, own: true, copies: true},
		{blocks: 1, attended: true, own: true, copies: true},
		{blocks: 1, crowded: true, own: true, copies: true},
		{blocks: 2, copies: true},
		{blocks: 2, attended: true},
		{blocks: 2, attended: true, crowded: true, copies: true},
		{blocks: 0, copies: true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			caps := nictest.DefaultCaps()
			caps.Blocks = c.blocks
			want := pattern(size, 3)
			s := &llc.Request{Peer: 1, Body: body(size, want), Mode: llc.Scattered, Attended: c.attended}
			r := &llc.Request{Peer: 0, Body: body(size, nil)}
			n, own := moves(t, caps, c.crowded, s, r)
			if (n > 0) != c.copies || (own == size) != c.own || !c.own && own != 0 {
				t.Errorf("%d copies, of which %d bytes are from or to where the blocks lie", n, own)
			}
		})
	}
}

// A copy of a message in pieces is shared as a message in one piece is: both sides move a part of it, straight into a copy of the
// receiver's that has all of it or, if that would be too long, the receiver moves everything by one that has a part.
func TestCopiesAreShared(t *testing.T) {
	for _, c := range []struct {
		bytes  int
		pushes bool
	}{{3_000_000, true}, {16<<20 + 5, false}} {
		caps := nictest.DefaultCaps()
		nics, count := nictest.Loopback(2, caps), make([]int, 2)
		for i := range nics {
			nics[i] = &counted{nics[i], count}
		}
		l := newLoopOn(t, nics, caps)
		want := pattern(c.bytes, 5)
		s := &llc.Request{Peer: 1, Body: body(c.bytes, want), Mode: llc.Scattered}
		r := &llc.Request{Peer: 0, Body: body(c.bytes, nil)}
		l.engines[1].Recv(r)
		l.engines[0].Send(s)
		l.until(s)
		l.until(r)
		if pulled, pushed := count[0], count[1]; pulled+pushed != c.bytes || pulled == 0 || (pushed > 0) != c.pushes {
			t.Errorf("%d bytes: %d pulled, %d pushed", c.bytes, pulled, pushed)
		}
		if have := make([]byte, c.bytes); r.Status.Err != nil || !bytes.Equal(r.Body.(sparse).all(have), want) {
			t.Errorf("%d bytes arrived wrong: %v", c.bytes, r.Status.Err)
		}
	}
}

// A stream to a peer that does not run for a while is the last for some long messages: those are copied, and go on without it. However often
// the sender has to wait, it is no such while as long as there is room in between.
func TestSlowReadersGetCopies(t *testing.T) {
	for _, c := range []struct{ size, pause, pauses int }{
		{1<<20 + 1, 0, 1}, {1<<20 + 1, llc.SlowReader / 2, 8}, {1<<20 + 1, 2 * llc.SlowReader, 1}, {1 << 20, 2 * llc.SlowReader, 1},
	} {
		caps := nictest.DefaultCaps()
		caps.Slots, caps.Bytes, caps.Fragment = 256, 1<<18, 1<<13
		nics, count := nictest.Loopback(2, caps), make([]int, 2)
		for i := range nics {
			nics[i] = &counted{nics[i], count}
		}
		l := newLoopOn(t, nics, caps)
		streams, copies := 0, 0
		for k := range 2 + llc.CopiesForSlow {
			want := pattern(c.size, k)
			s := &llc.Request{Peer: 1, Tag: k, Body: body(c.size, want), Mode: llc.Scattered, Attended: true}
			r := &llc.Request{Peer: 0, Tag: k, Body: body(c.size, nil)}
			count[0], count[1] = 0, 0
			l.engines[1].Recv(r)
			l.engines[0].Send(s)
			for i := 0; k == 0 && i < c.pauses; i++ {
				for range 40 { // the reader takes some packets
					l.turn(0)
					l.turn(1)
				}
				for range 2 * c.pause { // a turn asks, the next one hears
					l.turn(0)
				}
			}
			l.until(s)
			l.until(r)
			l.run()
			if have := make([]byte, c.size); !bytes.Equal(r.Body.(sparse).all(have), want) {
				t.Fatalf("message %d arrived wrong", k)
			}
			if count[0]+count[1] == 0 {
				streams++
			} else {
				copies++
			}
		}
		want := 0
		if c.pause > llc.SlowReader && c.size > 1<<20 {
			want = llc.CopiesForSlow
		}
		if copies != want {
			t.Errorf("%d bytes, %d pauses of %d turns: %d streams, %d copies, want %d", c.size, c.pauses, c.pause, streams, copies, want)
		}
	}
}

// A counted translator counts the bytes that it pulls and pushes.
type counted struct {
	ir.Translator
	n []int
}

func (c *counted) Post(cmd *ir.Command) {
	switch cmd.Op {
	case ir.Pull:
		c.n[0] += len(cmd.Data)
	case ir.Push:
		c.n[1] += len(cmd.Data)
	}
	c.Translator.Post(cmd)
}

// A NIC with several injection ports moves no blocks: its commands for one message go side by side.
func TestPortsMoveNoBlocks(t *testing.T) {
	caps := nictest.DefaultCaps()
	caps.Blocks = 1
	e := llc.New(llc.Config{Self: 0, Peers: 2, Caps: caps, Ports: 2})
	s := &llc.Request{Peer: 1, Body: body(20000, nil), Mode: llc.Scattered}
	e.Send(s)
	for _, cmd := range e.Take() {
		if cmd.Op == ir.Expose && &cmd.Data[0] == start(s) {
			t.Error("the blocks are exposed where they lie")
		}
	}
}

// blocked is a body with a description of blocks behind it, for a packet with word in its header.
func blocked(word uint64, body []byte, b strided.Blocks) []byte {
	body = append(body, make([]byte, wire.BlocksBytes)...)
	(*wire.BlocksBody)(body[len(body)-wire.BlocksBytes:]).Encode(word, b)
	return body
}

// What a peer says of blocks is refused where it cannot be, and where the NIC moves none; what can be but is not exposed
// the NIC refuses, and the receive fails.
func TestLiesAboutBlocks(t *testing.T) {
	good := strided.Blocks{Block: 64, Stride: 100}
	none := newCourt(t)
	none.connect()
	none.refuses("RTS of 32 bytes", says(wire.RTS, 5000, blocked(5000, encodeRTS(5000, 1, 1), good)...))

	c := newCourtOf(t, func(caps *ir.Caps) { caps.Blocks = 64 })
	c.connect()
	c.refuses("blocks of 64 bytes, 63 apart", says(wire.RTS, 5000, blocked(5000, encodeRTS(5000, 1, 1), strided.Blocks{Block: 64, Stride: 63})...))
	c.refuses("blocks of 0 bytes", says(wire.RTS, 5000, blocked(5000, encodeRTS(5000, 1, 1), strided.Blocks{})...))
	c.refuses("overwritten", says(wire.RTS, 5000, blocked(5001, encodeRTS(5000, 1, 1), good)...))
	c.refuses("overwritten", says(wire.RTS, 5000, blocked(5000, encodeRTS(5001, 1, 1), good)...))

	c.send(1, &llc.Request{Peer: 0, Buf: make([]byte, 4000)})
	c.run(3)
	c.refuses("blocks of 64 bytes, 63 apart", says(wire.CTSSplit, firstID, blocked(firstID, encodeCTSSplit(firstID, 1, 4000, 0, 500), strided.Blocks{Block: 64, Stride: 63})...))
	c.refuses("overwritten", says(wire.CTSSplit, firstID, blocked(firstID+1, encodeCTSSplit(firstID, 1, 4000, 0, 500), good)...))
}
