package stepped

import (
	"bytes"
	"encoding/binary"
	"errors"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// wires are what the fast path opens once and then uses with only a check of a few words of the
// tables: packet rings, VPUSH rings, flag arrays. The stepped side sends the same packets as PUSH
// packets by BOTF. All use one Window of each node, which belongs to the node, to another job, or
// to nobody in turn.
type wires struct {
	w           *pair
	channels    [pairNodes][pairNodes]*martini.Channel
	mails       [pairNodes][pairNodes]*martini.Mailbox
	flagWriters [pairNodes]*martini.FlagWriter
	readers     [pairNodes][pairNodes][2]*ring.Reader // by receiver, sender, side
	slot        [pairNodes][pairNodes]uint64
	pos         [pairNodes][pairNodes]uint64
	seq         [pairNodes]uint32
	scratch     [2][]byte // rings of zeros and of ones
}

// wiresBy is the Window for wires only.
const wiresBy = 15

// flagArraySegment is the flag arrays' place in the I/O space of every node.
const flagArraySegment = martini.Segment(1<<32 | 3)

// joined reports whether two nodes belong to one job.
func joined(from, to int) bool { return (from == pairNodes-1) == (to == pairNodes-1) }

func newWires(w *pair) *wires {
	x := &wires{w: w}
	g := w.fast.f.Geometry()
	for from, n := range w.fast.nics {
		win := n.Window(wiresBy)
		var err error
		x.flagWriters[from], err = n.FlagWriter(win)
		for to := range w.fast.nics {
			if !joined(from, to) {
				continue
			}
			var err1, err2 error
			x.channels[from][to], err1 = n.Channel(win, to, from)
			x.mails[from][to], err2 = n.Mailbox(win, to)
			err = errors.Join(err, err1, err2)
			x.readers[to][from] = [2]*ring.Reader{w.fast.nics[to].RingReader(from), w.slow.nics[to].RingReader(from)}
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	for i := range x.scratch {
		x.scratch[i] = ring.Memory(g.Ring.Size())
	}
	return x
}

// drive draws one of these operations, or none.
func (x *wires) drive() {
	if x == nil {
		return
	}
	switch x.w.pick(24) {
	case 0:
		x.mail()
	case 1:
		x.packet()
	case 2:
		x.flag()
	case 3:
		if x.w.pick(4) == 0 {
			x.flip()
		}
	}
}

// flip gives the Window of a node to another job, or back.
func (x *wires) flip() {
	w, i := x.w, x.w.pick(pairNodes)
	to := w.pick(4)
	for _, s := range []*side{&w.fast, &w.slow} {
		switch to {
		case 0:
			must(w.t, s.boss.Invalidate(i, wiresBy))
		case 1:
			must(w.t, s.boss.Assign(i, wiresBy, 0xdead, i))
		default:
			must(w.t, s.boss.Assign(i, wiresBy, s.pgid(i), i))
		}
	}
}

// pair draws a sender and a receiver between which the fast path has wires.
func (x *wires) pair() (from, to int) {
	if x.w.pick(8) == 0 {
		return pairNodes - 1, pairNodes - 1
	}
	return x.w.pick(pairNodes - 1), x.w.pick(pairNodes - 1)
}

func (x *wires) bytes(n int) []byte {
	b := make([]byte, n)
	seed := byte(x.w.pick(256))
	for i := range b {
		b[i] = seed + byte(i)*3
	}
	return b
}

// pushed sends b to a segment on the stepped side and returns why not.
func (x *wires) pushed(from, to, flag int, seg martini.Segment, off uint64, b []byte) martini.Reason {
	w := x.w
	w.forget()
	p := martini.Packet{Type: martini.PacketPush, Node: to, PID: to, Segment: seg, Offset: off, Flag: flag, Payload: b}
	if _, err := w.m.Botf(from, wiresBy, &p); err != nil {
		w.t.Fatal(err)
	}
	if err := w.m.Run(stepLimit); err != nil {
		w.t.Fatal(err)
	}
	if len(w.refused) > 1 {
		w.t.Fatalf("refused more than once: %v", w.refused)
	}
	for _, r := range w.refused {
		return r.Reason
	}
	return 0
}

// same compares two results.
func (x *wires) same(name string, from, to int, got martini.Reason, err error) (ok bool) {
	w := x.w
	w.ops++
	w.drawn[name]++
	var want martini.Reason
	errors.As(err, &want)
	if got != want {
		w.t.Fatalf("operation %d, %s from %d to %d: stepped %v, fast %v", w.ops, name, from, to, got, err)
	}
	return want == 0
}

// mail appends to a VPUSH ring.
func (x *wires) mail() {
	from, to := x.pair()
	b := x.bytes(x.w.pick([]int{41, 200, vpushMost + 1}[x.w.pick(3)]))
	if x.w.pick(16) == 0 {
		b = x.bytes(MTU + 1)
	}
	ok, err := x.mails[from][to].Append(&[3]uint64{}, b)
	if !ok && err == nil {
		x.w.t.Fatal("no room in a ring that is nearly empty")
	}
	if x.same("Mailbox", from, to, x.pushed(from, to, 1, VPushSegment, 0, b), err) {
		x.w.mail[to] = append(x.w.mail[to], letter{from, b})
		x.w.takeOut(to, 4, x.w.t.Fatalf)
	}
}

// packet writes a packet ring and reads it.
func (x *wires) packet() {
	w := x.w
	from, to := x.pair()
	slot, pos := x.slot[to][from], x.pos[to][from]
	b := x.bytes(w.pick([]int{41, 300, 3000}[w.pick(3)]))
	head := [3]uint64{uint64(w.pick(1<<20)) << 32, uint64(w.pick(1<<20)) << 32, uint64(w.pick(1 << 20))}
	err := x.channels[from][to].Put(slot, pos, &head, b)
	why := x.put(from, to, slot, pos, &head, b)
	if !x.same("Channel", from, to, why, err) {
		for _, r := range x.readers[to][from] {
			if r.Ready() {
				w.t.Fatal("a refused packet has arrived")
			}
		}
		return
	}
	l := w.fast.f.Geometry().Ring
	_, x.pos[to][from] = ring.Place(pos, uint64(l.Bytes), len(b), l.Spread)
	x.slot[to][from]++
	for _, r := range x.readers[to][from] {
		var p ring.Packet
		ok, err := r.Poll(&p)
		if !ok || err != nil || !bytes.Equal(p.Data, b) || p.Head[2] != head[2] || p.Head[0]>>32 != head[0]>>32 {
			w.t.Fatalf("packet %d from %d to %d: %v, %v, %d bytes of %d", slot, from, to, ok, err, len(p.Data), len(b))
		}
		r.Consume()
	}
	at := from * w.fast.f.RingStride()
	mem := func(s *side) []byte { return s.f.Bytes(to, fabric.Rings)[at : at+l.Size()] }
	if !bytes.Equal(mem(&w.fast), mem(&w.slow)) {
		w.t.Fatalf("packet %d from %d to %d: the rings differ", slot, from, to)
	}
}

// put sends the bytes that a packet changes in its ring: the payload first, the line last. Rings of
// zeros and of ones show which bytes these are.
func (x *wires) put(from, to int, slot, pos uint64, head *[3]uint64, b []byte) martini.Reason {
	l := x.w.fast.f.Geometry().Ring
	for i, mem := range x.scratch {
		for k := range mem {
			mem[k] = byte(-i)
		}
		r := ring.Open(mem, l)
		r.Put(slot, pos, head, b)
	}
	changed := func(i int) bool { return x.scratch[0][i] != 0 || x.scratch[1][i] != 0xff }
	base := uint64(from * x.w.fast.f.RingStride())
	line, lineEnd := -1, 0
	for i := 0; i < len(x.scratch[0]); {
		if !changed(i) {
			i++
			continue
		}
		end := i
		for end < len(x.scratch[0]) && end-i < martini.MaxImage && changed(end) {
			end++
		}
		if part := x.scratch[0][i:end]; line < 0 && end-i >= ring.HeadBytes && uint32(binary.NativeEndian.Uint64(part)) == ring.Seq(slot) && i/ring.LineBytes == x.lineAt(slot) {
			line, lineEnd = i, end
		} else if why := x.pushed(from, to, 0, martini.CommonSegment, base+uint64(i), part); why != 0 {
			return why
		}
		i = end
	}
	return x.pushed(from, to, 0, martini.CommonSegment, base+uint64(line), x.scratch[0][line:lineEnd])
}

// lineAt returns the line of a ring's memory that a slot is in.
func (x *wires) lineAt(slot uint64) int {
	l := x.w.fast.f.Geometry().Ring
	mem := ring.Memory(l.Size())
	r := ring.Open(mem, l)
	r.Put(slot, 0, &[3]uint64{}, nil)
	for i := 0; i < len(mem); i += ring.LineBytes {
		if binary.NativeEndian.Uint32(mem[i:]) != 0 {
			return i / ring.LineBytes
		}
	}
	panic("no line")
}

// flagPushed writes a flag with a payload in the order of the fast path: first the pieces that are not
// in the line.
func (x *wires) flagPushed(from, flagArray int, seq uint32, line, payload []byte) martini.Reason {
	flagArrays := x.w.fast.f.Geometry().FlagArrays
	_, end := x.w.fast.f.FlagSpan()
	at := uint64((flagArray*fabric.FlagLines+fabric.FlagPlace(seq))*pairNodes + from)
	if flagArray == flagArrays {
		return x.pushed(from, from, 0, flagArraySegment, end, line)
	}
	if len(payload) > fabric.FlagInline {
		binary.NativeEndian.PutUint64(line[8:], uint64(len(payload)))
		flags, rest, before := uint64(flagArrays*fabric.FlagLines*pairNodes), payload[fabric.FlagInline:], uint64(fabric.FlagFront*ring.LineBytes)
		for _, piece := range fabric.FlagPieces() {
			place := flags*before + at*uint64(piece)
			if len(payload) <= fabric.FlagPair {
				place = (at*fabric.FlagFront + 1) * ring.LineBytes
			}
			now := rest[:min(len(rest), piece)]
			for off := 0; off < len(now); off += martini.MaxImage {
				part := now[off:min(off+martini.MaxImage, len(now))]
				if why := x.pushed(from, from, 0, flagArraySegment, place+uint64(off), part); why != 0 {
					return why
				}
			}
			rest, before = rest[len(now):], before+uint64(piece)
		}
	}
	return x.pushed(from, from, 0, flagArraySegment, at*fabric.FlagFront*ring.LineBytes, line)
}

// flag raises a flag, which all nodes read.
func (x *wires) flag() {
	w, from := x.w, x.w.pick(pairNodes)
	flagArray := w.pick(w.fast.f.Geometry().FlagArrays + 1)
	x.seq[from]++
	seq, b := x.seq[from], x.bytes([]int{0, 8, 1 + w.pick(martini.FlagBytes)}[w.pick(3)])
	mark := uint32(w.pick(1 << 30))
	err := x.flagWriters[from].Raise(flagArray, seq, mark, b)
	line := make([]byte, ring.LineBytes)
	binary.NativeEndian.PutUint64(line, uint64(seq)|uint64(mark)<<32)
	copy(line[ring.LineBytes-fabric.FlagInline:], b)
	ok := x.same("flag", from, from, x.flagPushed(from, flagArray, seq, line, b), err)
	for _, s := range []*side{&w.fast, &w.slow} {
		for _, n := range s.nics {
			got := make([]byte, len(b))
			if m, up := n.Raised(n.Flags(), flagArray, from, seq, got); up != ok || up && (m != mark || !bytes.Equal(got, b)) {
				w.t.Fatalf("flag %d of node %d on flag array %d: %v, want %v", seq, from, flagArray, up, ok)
			}
		}
	}
}
