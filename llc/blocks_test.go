package llc_test

import (
	"bytes"
	"fmt"
	"slices"
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

// moves returns the copies of one message, and how many bytes of them came from or to the memory of its
// bodies.
func moves(t *testing.T, caps ir.Caps, oversubscribed bool, s, r *llc.Request) (n int, own int) {
	var all []moved
	nics := nictest.Loopback(2, caps)
	for i := range nics {
		nics[i] = &watched{nics[i], &all}
	}
	l := newLoopOn(t, nics, caps)
	if oversubscribed {
		oversubscribe(l, caps)
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

// A message in blocks that the NIC moves is copied once, from or to the places of its blocks, and both sides
// share it. Otherwise the message is a stream if a call attends to it, or else, or if peers share processors,
// a copy that the receiver pulls.
func TestBlocksMoveFromWhereTheyLie(t *testing.T) {
	const size = 100_000
	for _, c := range []struct {
		blocks                   int
		attended, oversubscribed bool
		own                      bool // all bytes are moved in place
		copies                   bool // something is moved by the NIC
	}{
		{blocks: 1, own: true, copies: true},
		{blocks: 1, attended: true, own: true, copies: true},
		{blocks: 1, oversubscribed: true, own: true, copies: true},
		{blocks: 2, copies: true},
		{blocks: 2, attended: true},
		{blocks: 2, attended: true, oversubscribed: true, copies: true},
		{blocks: 0, copies: true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			caps := nictest.DefaultCaps()
			caps.Blocks = c.blocks
			want := pattern(size, 3)
			s := &llc.Request{Peer: 1, Body: body(size, want), Mode: llc.Scattered, Attended: c.attended}
			r := &llc.Request{Peer: 0, Body: body(size, nil)}
			n, own := moves(t, caps, c.oversubscribed, s, r)
			if (n > 0) != c.copies || (own == size) != c.own || !c.own && own != 0 {
				t.Errorf("%d copies, of which %d bytes are from or to where the blocks lie", n, own)
			}
		})
	}
}

// A copy of a noncontiguous message is shared as a contiguous message is: both sides move a part of it,
// straight into the receiver's whole copy. If that would be too large, the receiver moves everything through
// a partial copy.
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

// If a peer did not run for a while during two long streams in a row, the next long messages are copied, and
// go on without the peer. One such stream, or several that are not in a row, change nothing; nor does waiting,
// however often, as long as there is room in between.
func TestSlowReadersGetCopies(t *testing.T) {
	for _, c := range []struct {
		size, pause, pauses int
		slow                []int // messages during which the reader pauses
	}{
		{1<<20 + 1, 0, 1, []int{0, 1}}, {1<<20 + 1, llc.SlowReader / 2, 8, []int{0, 1}}, {1<<20 + 1, 2 * llc.SlowReader, 1, []int{0, 1}},
		{1<<20 + 1, 2 * llc.SlowReader, 1, []int{0, 2}}, {1 << 20, 2 * llc.SlowReader, 1, []int{0, 1}},
	} {
		caps := nictest.DefaultCaps()
		caps.Slots, caps.Bytes, caps.Fragment = 256, 1<<18, 1<<13
		nics, count := nictest.Loopback(2, caps), make([]int, 2)
		for i := range nics {
			nics[i] = &counted{nics[i], count}
		}
		l := newLoopOn(t, nics, caps)
		streams, copies := 0, 0
		for k := range 3 + llc.CopiesForSlow {
			want := pattern(c.size, k)
			s := &llc.Request{Peer: 1, Tag: k, Body: body(c.size, want), Mode: llc.Scattered, Attended: true}
			r := &llc.Request{Peer: 0, Tag: k, Body: body(c.size, nil)}
			count[0], count[1] = 0, 0
			l.engines[1].Recv(r)
			l.engines[0].Send(s)
			for i := 0; slices.Contains(c.slow, k) && i < c.pauses; i++ {
				for range 40 { // the reader takes some packets
					l.turn(0)
					l.turn(1)
				}
				for range 2 * c.pause { // one turn asks, the next one gets the answer
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
		if c.pause > llc.SlowReader && c.size > 1<<20 && c.slow[1] == 1 {
			want = llc.CopiesForSlow
		}
		if copies != want {
			t.Errorf("%d bytes, %d pauses of %d turns in messages %v: %d streams, %d copies, want %d", c.size, c.pauses, c.pause, c.slow, streams, copies, want)
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

// An impossible description of blocks is refused, and any description where the NIC moves none. For a
// possible one that is not exposed the NIC refuses, and the receive fails.
func TestProtocolErrorsAboutBlocks(t *testing.T) {
	good := strided.Blocks{Block: 64, Stride: 100}
	none := newHarness(t)
	none.connect()
	none.refuses("RTS of 32 bytes", says(wire.RTS, 5000, blocked(5000, encodeRTS(5000, 1, 1), good)...))

	c := newHarnessOf(t, func(caps *ir.Caps) { caps.Blocks = 64 })
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
