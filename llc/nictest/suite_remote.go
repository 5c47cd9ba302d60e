package nictest

import (
	"bytes"
	"math"

	"rhinet/llc/ir"
)

// expose registers data at peer for another one and returns its segment.
func (r *rig) expose(peer, other int, data []byte) ir.Segment {
	r.Helper()
	ev := r.answer(peer, r.post(peer, ir.Command{Op: ir.Expose, Peer: int32(other), Data: data}), ir.Exposed)
	if ev.Segment == 0 {
		r.Fatal("segment 0 names nothing")
	}
	return ev.Segment
}

// testLend: memory that is lent at once is reached like memory that Expose has exposed, until Conceal.
func testLend(r *rig) {
	a := ir.AbilitiesOf(r.ts[0])
	if l := a.Lender; l == nil || !r.caps(0, 1).Remote || a.Router != nil && a.Router.NIC(1) != 0 {
		r.Skip("nothing is lent at once")
	}
	mem := payload(1, 10_000)
	seg, err := a.Lender.Lend(mem)
	if err != nil || seg == 0 {
		r.Fatalf("segment %d, %v", seg, err)
	}
	got := make([]byte, len(mem)-3)
	if r.answer(1, r.post(1, ir.Command{Op: ir.Pull, Segment: seg, Offset: 3, Data: got}), ir.Pulled); !bytes.Equal(got, mem[3:]) {
		r.Error("a pull of what is lent brought other bytes")
	}
	r.ts[0].Post(&ir.Command{Op: ir.Conceal, Peer: 1, Segment: seg})
	r.answer(1, r.post(1, ir.Command{Op: ir.Pull, Segment: seg, Data: got}), ir.Failed)
}

// testPorts moves a part by each injection port at the same time, and one part is refused: the others still
// come.
func testPorts(r *rig) {
	in := ir.AbilitiesOf(r.ts[1]).Injector
	if in == nil || !r.caps(0, 1).Remote {
		r.Skip("one injection port")
	}
	ports := in.Ports()
	for i, t := range r.ts {
		if other := ir.AbilitiesOf(t).Injector; ports < 1 || other == nil || other.Ports() != ports {
			r.Fatalf("peer 1 has %d injection ports, peer %d %v", ports, i, other)
		}
	}
	const part = 10_000
	mem := payload(1, ports*part)
	seg := r.expose(0, 1, mem)
	for _, op := range []ir.Op{ir.Pull, ir.Push} {
		for refused := -1; refused < ports; refused++ {
			want, parts, tokens := bytes.Clone(mem), make([][]byte, ports), make([]uint64, ports)
			for port := range ports {
				at := port * part
				parts[port] = payload(port+refused+3, part)
				switch {
				case port == refused:
					at = len(mem)
				case op == ir.Push:
					copy(want[at:], parts[port])
				}
				tokens[port] = r.post(1, ir.Command{Op: op, Port: uint8(port), Segment: seg, Offset: uint64(at), Data: parts[port]})
			}
			for port, token := range tokens {
				kind := ir.Pulled
				if op == ir.Push {
					kind = ir.Pushed
				}
				if port == refused {
					kind = ir.Failed
				}
				r.answer(1, token, kind)
				if op == ir.Pull && port != refused && !bytes.Equal(parts[port], mem[port*part:(port+1)*part]) {
					r.Fatalf("pull by port %d of %d brought other bytes", port, ports)
				}
			}
			if !bytes.Equal(mem, want) {
				r.Fatalf("push by %d ports, of which %d is refused, left other memory", ports, refused)
			}
		}
	}
}

func testMove(r *rig) {
	if !r.caps(0, 1).Remote || !r.caps(0, 2).Remote {
		r.Skip("no remote memory")
	}
	const size = 300_000
	mem := payload(1, size)
	segs, others := [3]ir.Segment{}, [3]ir.Segment{}
	for by := 1; by < 3; by++ {
		segs[by], others[by] = r.expose(0, by, mem), r.expose(0, by, make([]byte, 64))
		if segs[by] == others[by] {
			r.Fatal("two registrations share a segment")
		}
	}
	for _, c := range []struct{ at, n int }{{0, 1}, {1, 4095}, {4096, 4096}, {5, 100_000}, {0, size}, {size, 0}, {size - 1, 1}} {
		into := make([]byte, c.n)
		cmd := ir.Command{Op: ir.Pull, Segment: segs[1], Offset: uint64(c.at), Data: into}
		r.answer(1, r.post(1, cmd), ir.Pulled)
		if !bytes.Equal(into, mem[c.at:c.at+c.n]) {
			r.Fatalf("pull of %d bytes at %d brought others", c.n, c.at)
		}
		want := bytes.Clone(mem)
		from := payload(c.at+2, c.n)
		copy(want[c.at:], from)
		cmd = ir.Command{Op: ir.Push, Segment: segs[2], Offset: uint64(c.at), Data: from}
		r.answer(2, r.post(2, cmd), ir.Pushed)
		if !bytes.Equal(mem, want) {
			r.Fatalf("push of %d bytes at %d left other memory", c.n, c.at)
		}
	}
	// Several at once, from both others.
	parts := make([][]byte, 8)
	var tokens []uint64
	for i := range parts {
		parts[i] = make([]byte, 10_000)
		cmd := ir.Command{Op: ir.Pull, Segment: segs[1+i%2], Offset: uint64(i * 10_000), Data: parts[i]}
		tokens = append(tokens, r.post(1+i%2, cmd))
	}
	for i, token := range tokens {
		r.answer(1+i%2, token, ir.Pulled)
		if !bytes.Equal(parts[i], mem[i*10_000:(i+1)*10_000]) {
			r.Fatalf("part %d is wrong", i)
		}
	}
	for by := 1; by < 3; by++ {
		for _, seg := range []ir.Segment{segs[by], others[by]} {
			r.post(0, ir.Command{Op: ir.Conceal, Peer: int32(by), Segment: seg})
		}
	}
	r.quiet()
}

// testRefusals asks for memory that is out of reach: each request fails and moves nothing.
func testRefusals(r *rig) {
	if !r.caps(0, 1).Remote {
		r.Skip("no remote memory")
	}
	mem := payload(1, 4096)
	keep := bytes.Clone(mem)
	seg, gone := r.expose(0, 1, mem), r.expose(0, 1, mem[:64])
	r.post(0, ir.Command{Op: ir.Conceal, Peer: 1, Segment: gone})
	if again := r.expose(0, 1, mem[:64]); again == gone {
		r.Fatal("a new registration revives the name of an old one")
	}
	for name, c := range map[string]struct {
		seg ir.Segment
		at  uint64
		n   int
	}{
		"beyond the end":  {seg, 4096, 1},
		"across the end":  {seg, 4000, 97},
		"longer than all": {seg, 0, 5000},
		"wrapping around": {seg, math.MaxUint64 - 7, 16},
		"far away":        {seg, 1 << 40, 1},
		"withdrawn":       {gone, 0, 8},
		"never exposed":   {seg + 1<<20, 0, 8},
		"nothing":         {0, 0, 8},
	} {
		for _, op := range []ir.Op{ir.Pull, ir.Push} {
			data := payload(9, c.n)
			token := r.post(1, ir.Command{Op: op, Segment: c.seg, Offset: c.at, Data: data})
			ev := r.await(1, "refusal", func(ev *ir.Event) bool { return ev.Token == token })
			if ev.Kind != ir.Failed || ev.Err == nil || ev.Peer != 0 {
				r.Errorf("%s, op %d: %+v", name, op, ev)
			}
			if !bytes.Equal(mem, keep) || !bytes.Equal(data, payload(9, c.n)) {
				r.Fatalf("%s, op %d: bytes moved", name, op)
			}
		}
	}
	r.quiet()
}

func testSwap(r *rig) {
	for at := range r.ts {
		for to := range r.ts {
			if r.caps(at, to).Words == 0 {
				r.Skip("no control area")
			}
		}
	}
	last := uint64(r.caps(0, 1).Words - 1)
	swap := func(at, to int, word, old, now uint64) uint64 {
		cmd := ir.Command{Op: ir.Swap, Peer: int32(to), Offset: word, Old: old, New: now}
		return r.answer(at, r.post(at, cmd), ir.Swapped).Old
	}
	for to := range r.ts {
		if old := swap(1, to, last, 0, 5); old != 0 {
			r.Fatalf("peer %d: a new word holds %d", to, old)
		}
		if old := swap(2, to, last, 0, 6); old != 5 {
			r.Fatalf("peer %d: a swap that failed saw %d", to, old)
		}
		if old := swap(0, to, last, 5, math.MaxUint64); old != 5 {
			r.Fatalf("peer %d: saw %d", to, old)
		}
		if old := swap(to, to, last, math.MaxUint64, 0); old != math.MaxUint64 {
			r.Fatalf("peer %d: saw %d in its own word", to, old)
		}
	}
	for _, word := range []uint64{last + 1, math.MaxUint64} {
		ev := r.answer(1, r.post(1, ir.Command{Op: ir.Swap, Offset: word}), ir.Failed)
		if ev.Err == nil {
			r.Errorf("word %d: no error", word)
		}
	}
	r.quiet()
}
