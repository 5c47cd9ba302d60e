package stepped

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"rhinet/nicemu/dimmnet2"
)

// Each test is a line of the emulation checklist (section 13), in its order. A check that applies
// to both implementations is made on both.

// both runs a check on the fast path and on the stepped model.
func both(t *testing.T, check func(t *testing.T, x *implementation)) {
	t.Run("fast path", func(t *testing.T) { check(t, newImplementation(t, false)) })
	t.Run("stepped", func(t *testing.T) { check(t, newImplementation(t, true)) })
}

// issue has a process issue a command, after stores.
func (x *implementation) issue(t *testing.T, rank int, command []byte, stores ...store) dimmnet2.Reason {
	t.Helper()
	ends := x.run(t, []act{{rank, stores, command}})
	for _, why := range ends[:len(stores)] {
		if why != 0 {
			t.Fatal(why)
		}
	}
	return ends[len(stores)]
}

// botf has a process send a packet from its Write Window i, 0 or 1.
func (x *implementation) botf(t *testing.T, rank, i int, p *dimmnet2.Packet) dimmnet2.Reason {
	t.Helper()
	image := p.Image()
	c := dimmnet2.Command{Op: dimmnet2.OpBOTF, Window: rank%2*2 + i, Lines: (len(image) + 7) / 8}
	return x.issue(t, rank, c.Bytes(), store{x.nics[rank].WriteWindow(i), image})
}

// load returns n bytes at the beginning of the process's Prefetch Window i, 0 to 3.
func (x *implementation) load(t *testing.T, rank, i, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if err := x.nics[rank].Load(x.nics[rank].PrefetchWindow(i), b); err != nil {
		t.Fatal(err)
	}
	return b
}

// Line 1: host read of WW, host write of PW, host access to SO-DIMM: refused.
func TestHostAccess(t *testing.T) {
	n := newImplementation(t, false).nics[0]
	b := make([]byte, 8)
	for _, c := range []struct {
		err  error
		want dimmnet2.Reason
	}{
		{n.Load(n.WriteWindow(0), b), dimmnet2.WriteOnly},
		{n.Load(dimmnet2.RegIssue.At(0), b), dimmnet2.WriteOnly},
		{n.Store(n.PrefetchWindow(0), b), dimmnet2.ReadOnly},
		{n.Load(dimmnet2.SODIMM(0), b), dimmnet2.NoHostAccess},
		{n.Store(dimmnet2.SODIMM(0), b), dimmnet2.NoHostAccess},
		{n.Store(n.WriteWindow(1), b), 0},
		{n.Load(n.PrefetchWindow(3), b), 0},
	} {
		var why dimmnet2.Reason
		if errors.As(c.err, &why); why != c.want {
			t.Errorf("%v, want %v", c.err, c.want)
		}
	}
}

// Line 2: a 64-bit register write starts BOTF; other commands need 128 bits.
func TestCommandWidth(t *testing.T) {
	both(t, func(t *testing.T, x *implementation) {
		p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Node: 1, Data: []byte("8 bytes.")}
		if why := x.botf(t, 0, 0, &p); why != 0 {
			t.Error(why)
		}
		botf := (&dimmnet2.Command{Op: dimmnet2.OpBOTF, Lines: 3}).Bytes()
		if why := x.issue(t, 0, append(botf, make([]byte, 8)...)); why != dimmnet2.WrongWidth {
			t.Errorf("a BOTF of 128 bits: %v", why)
		}
		for op := dimmnet2.OpWrite; op <= dimmnet2.OpIPUSH; op++ {
			c := dimmnet2.Command{Op: op, Length: 64, Node: 1}
			if why := x.issue(t, 0, c.Bytes()); why != 0 {
				t.Errorf("%v of 128 bits: %v", op, why)
			}
			if why := x.issue(t, 0, c.Bytes()[:8]); why != dimmnet2.WrongWidth {
				t.Errorf("%v of 64 bits: %v", op, why)
			}
		}
	})
}

// rows returns the states of a module, and the clock at which each ended, in order, counted from
// the clock at which the module left Idle.
func rows(t *testing.T, x *implementation, m Module, run func()) (states []State, ends []int) {
	t.Helper()
	first := -1
	x.machine.Trace = func(e Event) {
		if e.Module != m {
			return
		}
		if e.From == Idle {
			first = e.Clock - 1
			return
		}
		states, ends = append(states, e.From), append(ends, e.Clock-first)
	}
	run()
	x.machine.Trace = nil
	return states, ends
}

// Line 3: clock totals, 9 for sending and 13 for receiving 8 bytes; row by row of the
// tables of sections 7.2 and 8.2.
func TestClocks(t *testing.T) {
	p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Node: 1, Data: []byte("8 bytes.")}
	for _, c := range []struct {
		module Module
		states []State
		ends   []int
	}{
		{WindowController, []State{Obtain, Identify, Start, ReadWindow, Header1, Header2, FirstData, Pass}, []int{2, 3, 4, 5, 6, 7, 8, 9}},
		{ReceiveController,
			[]State{RequestHeader, Header1, Header2, StartWrite, RequestRight, AcquireRight, RequestData, WriteData, ReleaseRight, RequestStatus},
			[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{StatusWriteUnit, []State{WriteStatus}, []int{4}}, // 3 after the clock of the request
	} {
		x := newImplementation(t, true)
		states, ends := rows(t, x, c.module, func() { x.botf(t, 0, 0, &p) })
		if !slices.Equal(states, c.states) || !slices.Equal(ends, c.ends) {
			t.Errorf("%v: %v %v, want %v %v", c.module, states, ends, c.states, c.ends)
		}
	}
	x := newImplementation(t, true)
	x.botf(t, 0, 0, &p)
	if n := x.machine.Clock(); n != 9+13 {
		t.Errorf("%d clocks, want 9 and 13", n)
	}
}

// Line 4: a BOTF of 496 bytes of data is accepted, one of 504 is refused.
func TestBOTFLimit(t *testing.T) {
	both(t, func(t *testing.T, x *implementation) {
		p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Memory: dimmnet2.InDIMM, Node: 1, Data: make([]byte, 496)}
		if why := x.botf(t, 0, 0, &p); why != 0 {
			t.Errorf("496: %v", why)
		}
		p.Data = make([]byte, 504)
		image := p.Image()
		if err := x.nics[0].Store(dimmnet2.WriteWindow(0), image); !errors.Is(err, dimmnet2.NotMapped) {
			t.Errorf("504 bytes into a window: %v", err)
		}
		for lines, want := range map[int]dimmnet2.Reason{65: dimmnet2.WrongLength, 64: dimmnet2.BadImage} {
			c := dimmnet2.Command{Op: dimmnet2.OpBOTF, Lines: lines}
			if why := x.issue(t, 0, c.Bytes(), store{dimmnet2.WriteWindow(0), image[:512]}); why != want {
				t.Errorf("504, %d lines: %v", lines, why)
			}
		}
	})
}

// Line 5: a forged PGID in the image is replaced by the register's value.
func TestForgedPGID(t *testing.T) {
	both(t, func(t *testing.T, x *implementation) {
		x.boss.Group(4, 1234)
		p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Node: 2, Group: 1234, From: 5, Data: []byte("8 bytes.")}
		if why := x.botf(t, 0, 0, &p); why != dimmnet2.WrongGroup {
			t.Errorf("with the PGID of a foreign group: %v", why)
		}
		if b := x.load(t, 4, 0, 8); !bytes.Equal(b, make([]byte, 8)) {
			t.Errorf("%q has come", b)
		}
		p.Node = 1
		if why := x.botf(t, 0, 0, &p); why != 0 {
			t.Errorf("with a PGID of nobody: %v", why)
		}
		if s, ok := x.nics[2].Poll(); !ok || s.From != 0 {
			t.Errorf("%+v %v; the source is entered as well", s, ok)
		}
	})
}

// Line 6: each of two processes sees 2 WW, 4 PW, 32 KByte LLCM; no access to the other's share.
func TestTwoProcesses(t *testing.T) {
	both(t, func(t *testing.T, x *implementation) {
		b := make([]byte, 8)
		reason := func(err error) (why dimmnet2.Reason) { errors.As(err, &why); return why }
		for process, n := range x.nics[:2] {
			own := func(of, i, half int) dimmnet2.Reason {
				if i/half == of {
					return 0
				}
				return dimmnet2.NotYours
			}
			for i := range 4 {
				if why := reason(n.Store(dimmnet2.WriteWindow(i), b)); why != own(process, i, 2) {
					t.Errorf("process %d, WW %d: %v", process, i, why)
				}
				c := dimmnet2.Command{Op: dimmnet2.OpWrite, Window: i, Local: uint32(process) * dimmnet2.ModuleBytes}
				if why := x.issue(t, process, c.Bytes()); why != own(process, i, 2) {
					t.Errorf("process %d writes from WW %d: %v", process, i, why)
				}
			}
			for i := range 8 {
				if why := reason(n.Load(dimmnet2.PrefetchWindow(i), b)); why != own(process, i, 4) {
					t.Errorf("process %d, PW %d: %v", process, i, why)
				}
				c := dimmnet2.Command{Op: dimmnet2.OpRead, Window: i, Local: uint32(process) * dimmnet2.ModuleBytes}
				if why := x.issue(t, process, c.Bytes()); why != own(process, i, 4) {
					t.Errorf("process %d reads to PW %d: %v", process, i, why)
				}
			}
			for at := range dimmnet2.LLCMBytes / 1024 {
				if why := reason(n.Load(dimmnet2.LLCM(0, uint32(at)*1024), b)); why != own(process, at, 32) {
					t.Errorf("process %d, KByte %d of the LLCM: %v", process, at, why)
				}
			}
			for p := range 2 {
				if why := reason(n.Load(dimmnet2.RegSent.At(p), b)); why != own(process, p, 1) {
					t.Errorf("process %d, registers of %d: %v", process, p, why)
				}
				c := dimmnet2.Command{Op: dimmnet2.OpWrite, Window: process * 2, Length: 8, Local: uint32(p) * dimmnet2.ModuleBytes}
				if why := x.issue(t, process, c.Bytes()); (why == 0) != (p == process) || why != 0 && why != dimmnet2.OutOfReach {
					t.Errorf("process %d, SO-DIMM of %d: %v", process, p, why)
				}
			}
		}
	})
}

// Line 7: reception of packet n+1 starts while status n is being written.
func TestOverlap(t *testing.T) {
	x := newImplementation(t, true)
	var begins []int
	var told []int
	x.machine.Trace = func(e Event) {
		switch {
		case e.Module == ReceiveController && e.To == RequestHeader:
			begins = append(begins, e.Clock)
		case e.Module == StatusWriteUnit && e.To == Idle:
			told = append(told, e.Clock)
		}
	}
	p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Node: 1, Data: []byte("8 bytes.")}
	image := p.Image()
	var acts []act
	for i := range 2 { // from two boards, so that both packets have arrived when the first is received
		rank := 4 * i
		acts = append(acts, act{rank, []store{{x.nics[rank].WriteWindow(0), image}}, (&dimmnet2.Command{Op: dimmnet2.OpBOTF, Lines: 3}).Bytes()})
	}
	x.run(t, acts)
	if len(begins) != 2 || len(told) != 2 || begins[1]-begins[0] != 10 || told[0]-begins[0] != 12 || begins[1] > told[0] {
		t.Errorf("receptions begin at %v, statuses are written at %v: occupied for 10 of 13 clocks", begins, told)
	}
}

// Line 8: without CLFLUSH a load returns stale data from PW.
func TestStaleLines(t *testing.T) {
	both(t, func(t *testing.T, x *implementation) {
		n := x.nics[2]
		send := func(text string) {
			p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Node: 1, Address: 60, Data: []byte(text)}
			if why := x.botf(t, 0, 0, &p); why != 0 {
				t.Fatal(why)
			}
		}
		seen := func() string { return string(x.load(t, 2, 0, 128)[60:68]) }
		send("old data")
		if s := seen(); s != "old data" {
			t.Fatalf("%q", s)
		}
		if send("new data"); seen() != "old data" {
			t.Errorf("%q, though both lines are in the cache", seen())
		}
		if err := n.Flush(n.PrefetchWindow(0)+64, 1); err != nil {
			t.Fatal(err)
		}
		if seen() != "old data"[:4]+"new data"[4:] {
			t.Errorf("%q, though only the second line was flushed", seen())
		}
		if err := n.Flush(n.PrefetchWindow(0), dimmnet2.WindowBytes); err != nil {
			t.Fatal(err)
		}
		if seen() != "new data" {
			t.Errorf("%q after the flush", seen())
		}
	})
}

// Line 9: a strided or list read is packed densely in PW, also a remote one; writes scatter.
func TestVectors(t *testing.T) {
	both(t, func(t *testing.T, x *implementation) {
		data := make([]byte, 512)
		for i := range data {
			data[i] = byte(i * 3)
		}
		write := dimmnet2.Command{Op: dimmnet2.OpWrite, Length: 512, Local: 64}
		if why := x.issue(t, 0, write.Bytes(), store{dimmnet2.WriteWindow(0), data}); why != 0 {
			t.Fatal(why)
		}
		addresses := []uint32{64 + 500, 64, 64 + 8, 64 + 100}
		var list, strided, listed []byte
		for i, a := range addresses {
			list = binary.LittleEndian.AppendUint32(list, a)
			listed = append(listed, data[a-64:][:4]...)
			strided = append(strided, data[24*i:][:4]...)
		}
		// Ranks 0 and 2 have the same SO-DIMM addresses and the same modes.
		for _, rank := range []int{0, 2} {
			mode := []store{
				{dimmnet2.RegStride.At(0), word(24)}, {dimmnet2.RegElement.At(0), word(4)}, {dimmnet2.RegList.At(0), word(dimmnet2.BuffersAt | dimmnet2.ListInLLCM)},
				{dimmnet2.LLCM(0, dimmnet2.BuffersAt), list},
			}
			op := map[int]dimmnet2.Op{0: dimmnet2.OpRead, 2: dimmnet2.OpRemoteRead}[rank]
			for pattern, want := range map[dimmnet2.Pattern][]byte{dimmnet2.Contiguous: data[:16], dimmnet2.Strided: strided, dimmnet2.List: listed} {
				c := dimmnet2.Command{Op: op, Pattern: pattern, Window: 1, Length: 16, Local: 64, Remote: 64}
				if why := x.issue(t, rank, c.Bytes(), mode...); why != 0 {
					t.Fatal(why)
				}
				if err := x.nics[rank].Flush(dimmnet2.PrefetchWindow(1), 64); err != nil {
					t.Fatal(err)
				}
				if got := x.load(t, rank, 1, 16); !bytes.Equal(got, want) {
					t.Errorf("%v by pattern %d: %v, want %v", op, pattern, got, want)
				}
			}
		}
		scatter := dimmnet2.Command{Op: dimmnet2.OpWrite, Pattern: dimmnet2.Strided, Length: 16, Local: 1024}
		read := dimmnet2.Command{Op: dimmnet2.OpRead, Window: 2, Length: 80, Local: 1024}
		if x.issue(t, 0, scatter.Bytes()) != 0 || x.issue(t, 0, read.Bytes()) != 0 {
			t.Fatal("refused")
		}
		want := make([]byte, 80)
		for i := range 4 {
			copy(want[24*i:], data[4*i:][:4])
		}
		if got := x.load(t, 0, 2, 80); !bytes.Equal(got, want) {
			t.Errorf("scattered: %v", got)
		}
	})
}

// Section 4 leaves open whether a remote write may have a pattern at the receiver. Here it may: the
// elements of a packet go to the places of the stride or list, one for each clock, and memory
// between them is unchanged.
func TestRemoteScatter(t *testing.T) {
	data := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	list := halves([]uint32{64 + 40, 64, 64 + 9})
	for pattern, c := range map[dimmnet2.Pattern]struct {
		argument []byte
		at       []int
	}{
		dimmnet2.Contiguous: {nil, []int{0, 4, 8}},
		dimmnet2.Strided:    {word(20), []int{0, 20, 40}},
		dimmnet2.List:       {list, []int{40, 0, 9}},
	} {
		want := bytes.Repeat([]byte{0xaa}, 64)
		for i, at := range c.at {
			copy(want[at:], data[4*i:][:4])
		}
		p := dimmnet2.Packet{
			Op: dimmnet2.PacketScatter, Memory: dimmnet2.InDIMM, Node: 1, Address: 64, Tag: 9, Data: append(c.argument, data...),
			Request: dimmnet2.Request{Length: len(data), Pattern: pattern, Element: 4},
		}
		both(t, func(t *testing.T, x *implementation) {
			fill := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Memory: dimmnet2.InDIMM, Quiet: true, Node: 1, Address: 64, Data: bytes.Repeat([]byte{0xaa}, 64)}
			if x.botf(t, 0, 0, &fill) != 0 || x.botf(t, 0, 0, &p) != 0 {
				t.Fatal("refused")
			}
			if s, ok := x.nics[2].Poll(); !ok || s.Tag != 9 || s.Bytes != len(p.Data) || s.Memory != dimmnet2.InDIMM {
				t.Errorf("%+v, %v", s, ok)
			}
			read := dimmnet2.Command{Op: dimmnet2.OpRemoteRead, Node: 1, Length: 64, Remote: 64}
			if why := x.issue(t, 0, read.Bytes()); why != 0 {
				t.Fatal(why)
			}
			if err := x.nics[0].Flush(dimmnet2.PrefetchWindow(0), 64); err != nil {
				t.Fatal(err)
			}
			if got := x.load(t, 0, 0, 64); !bytes.Equal(got, want) {
				t.Errorf("pattern %d: %v, want %v", pattern, got, want)
			}
			for what, spoil := range map[string]func(p *dimmnet2.Packet){
				"an element outside": func(p *dimmnet2.Packet) { p.Address, p.Data = module-8, append(word(uint64(module)), data...) },
				"not SO-DIMM":        func(p *dimmnet2.Packet) { p.Memory = dimmnet2.InPW },
				"too short":          func(p *dimmnet2.Packet) { p.Data = p.Data[:len(p.Data)-1] },
			} {
				forged := p
				forged.Request.Pattern, forged.Data = dimmnet2.Strided, append(word(20), data...)
				if spoil(&forged); x.botf(t, 0, 0, &forged) == 0 {
					t.Errorf("%s: not refused", what)
				}
			}
			if x.issue(t, 0, read.Bytes()) != 0 || x.nics[0].Flush(dimmnet2.PrefetchWindow(0), 64) != nil || !bytes.Equal(x.load(t, 0, 0, 64), want) {
				t.Error("what was refused has moved bytes")
			}
		})
	}
	x := newImplementation(t, true)
	p := dimmnet2.Packet{
		Op: dimmnet2.PacketScatter, Memory: dimmnet2.InDIMM, Quiet: true, Node: 1, Address: 64, Data: append(list, data...),
		Request: dimmnet2.Request{Length: len(data), Pattern: dimmnet2.List, Element: 4},
	}
	states, ends := rows(t, x, ReceiveController, func() { x.botf(t, 0, 0, &p) })
	if !slices.Equal(states, []State{RequestHeader, Header1, Header2, Header3, StartWrite, Activate, Column, RequestData, WriteData}) || ends[8]-ends[7] != 3 {
		t.Errorf("%v, %v", states, ends)
	}
}

// Section 11: IPUSH takes 4 clocks more than a write before the data, and the receiver chooses the
// place: after earlier packets, in order of arrival.
func TestIPUSH(t *testing.T) {
	p := dimmnet2.Packet{Op: dimmnet2.PacketIPUSH, Node: 1, Data: dimmnet2.RecordImage(&[3]uint64{1 << 40, 2 << 40, 3}, []byte("message"))}
	x := newImplementation(t, true)
	states, ends := rows(t, x, ReceiveController, func() { x.botf(t, 0, 0, &p) })
	if !slices.Equal(states, []State{RequestHeader, Header1, Header2, CheckSpace, StartWrite, RequestData, WriteData}) || ends[3]-ends[2] != 4 {
		t.Errorf("%v, %v", states, ends)
	}
	both(t, func(t *testing.T, x *implementation) {
		for from := range 7 {
			p.Data[len(p.Data)-1] = byte(from)
			if why := x.botf(t, from, 0, &p); why != 0 {
				t.Fatal(why)
			}
		}
		for from := range 7 {
			got, ok := record(t, x, 2)
			if !ok || got.Peer != from || got.Head[2] != 3 || got.Head[0]>>32 != 1<<8 || string(got.Data) != "messag"+string(rune(from)) {
				t.Errorf("record %d: %+v %v", from, got, ok)
			}
		}
		if _, ok := record(t, x, 2); ok {
			t.Error("one more")
		}
	})
}
