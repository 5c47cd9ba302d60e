package stepped

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

// The emulation checklist (cenju4, section 13), line by line, on the fast path and on the stepped
// model; the two lines about concurrent parcels only on the stepped model.

// both runs a test on either implementation, with the given number of nodes.
func both(t *testing.T, ranks int, test func(t *testing.T, x *implementation)) {
	for _, name := range []string{"fast", "stepped"} {
		t.Run(name, func(t *testing.T) { test(t, jobOf(t, ranks, name == "stepped")) })
	}
}

func jobOf(t *testing.T, ranks int, stepped bool) *implementation {
	t.Helper()
	g := fabric.Small()
	g.Shared.Lines, g.Rings, g.Device = 64, 2, 0
	f, err := fabric.Heap(ranks, cenju4.Geometry(g, bootstrap))
	if err != nil {
		t.Fatal(err)
	}
	x := &implementation{f: f}
	machine := x.start(t)
	if stepped {
		x.machine = machine
	}
	return x
}

// one posts a parcel and returns why it was refused.
func (x *implementation) one(t *testing.T, rank int, p cenju4.Parcel, lent []byte) cenju4.Reason {
	t.Helper()
	if x.machine == nil {
		var why cenju4.Reason
		if err := x.nics[rank].Post(&p, lent); err != nil && !errors.As(err, &why) {
			t.Fatal(err)
		}
		return why
	}
	it := x.machine.Post(rank, p, lent)
	x.machine.Run()
	var why cenju4.Reason
	err, done := it.Done()
	if err != nil && !errors.As(err, &why) || !done {
		t.Fatal(err, done)
	}
	return why
}

// dma returns a remote DMA of lent memory.
func dma(to int, dst cenju4.Address, n int) cenju4.Parcel {
	return cenju4.Parcel{Protocol: cenju4.RemoteDMA, Dest: uint16(to), Length: uint32(n), Words: [3]uint64{uint64(cenju4.LentFor(dst)), uint64(dst)}}
}

// sent returns the numbers of packets and read requests that have left a node.
func (x *implementation) sent(rank int) (all [3]uint64) {
	for i, c := range []cenju4.Count{cenju4.Packets, cenju4.Coherent, cenju4.NonCoherent} {
		all[i] = x.nics[rank].Sent(c)
	}
	return all
}

func minus(a, b [3]uint64) [3]uint64 { return [3]uint64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// Line 1: a parcel of 512 KByte is accepted, a larger one refused.
func TestLine1LongestParcel(t *testing.T) {
	both(t, 2, func(t *testing.T, x *implementation) {
		mem := make([]byte, cenju4.MaxParcel+8)
		a := x.mapPages(t, 1, mem, nil, cenju4.MayWrite)
		data := bytes.Repeat([]byte("parcel! "), len(mem)/8)
		if why := x.one(t, 0, dma(1, a, cenju4.MaxParcel), data[:cenju4.MaxParcel]); why != 0 || !bytes.Equal(mem[:cenju4.MaxParcel], data[:cenju4.MaxParcel]) || mem[cenju4.MaxParcel] != 0 {
			t.Error(why)
		}
		before := x.sent(0)
		if why := x.one(t, 0, dma(1, a, cenju4.MaxParcel+8), data); why != cenju4.WrongLength || x.sent(0) != before {
			t.Error(why)
		}
	})
}

// Line 2: the first packet of a parcel of 1000 bytes to a line + 40 ends on a line boundary, and
// all others start on one.
func TestLine2PacketsEndOnLines(t *testing.T) {
	p := dma(0, 3*128+40, 1000)
	cuts := p.Cutter()
	var sizes []int
	for {
		cut, ok := cuts.Next(len(sizes) == 0)
		if !ok {
			break
		}
		sizes = append(sizes, cut.Bytes)
	}
	if !slices.Equal(sizes, []int{216, 256, 256, 256, 16}) {
		t.Error(sizes)
	}
	both(t, 2, func(t *testing.T, x *implementation) {
		if why := x.one(t, 0, dma(1, cenju4.BootstrapAt+3*128+40, 1000), make([]byte, 1000)); why != 0 || x.sent(0)[0] != 5 {
			t.Error(why, x.sent(0))
		}
	})
}

// Line 3: requests per packet in the steady state: 2 coherent; 3 coherent; 1 non-coherent and 2
// coherent; and 3 coherent where source and destination differ by a word.
func TestLine3ReadRequests(t *testing.T) {
	both(t, 2, func(t *testing.T, x *implementation) {
		for _, c := range []struct {
			off  int // offset of the source in its line
			flag cenju4.Flags
			want [3]uint64 // for each packet except the first
		}{
			{0, 0, [3]uint64{6, 12, 0}},
			{40, cenju4.NotOptimised, [3]uint64{6, 18, 0}},
			{40, 0, [3]uint64{6, 12, 6}},
			{4, 0, [3]uint64{6, 18, 0}},
			{12, 0, [3]uint64{6, 12, 6}},
		} {
			n := uint32(7 * cenju4.MaxPacket)
			p := cenju4.Parcel{Protocol: cenju4.RemoteDMA, Flags: c.flag, Dest: 1, Length: n, Words: [3]uint64{uint64(x.own[0]) + uint64(c.off), uint64(cenju4.BootstrapAt)}}
			before := x.sent(0)
			if why := x.one(t, 0, p, nil); why != 0 {
				t.Fatal(why)
			}
			all := minus(x.sent(0), before)
			before = x.sent(0)
			p.Length = cenju4.MaxPacket
			if why := x.one(t, 0, p, nil); why != 0 {
				t.Fatal(why)
			}
			if got := minus(all, minus(x.sent(0), before)); got != c.want {
				t.Errorf("source at %d, flags %d: %v, want %v", c.off, c.flag, got, c.want)
			}
		}
	})
}

// Line 4: shifted words across pages: a wrong word without the repair parcel, the right words with
// it.
func TestLine4WrongWordAcrossPages(t *testing.T) {
	both(t, 2, func(t *testing.T, x *implementation) {
		// Logical pages 0, 1, 2 are physical pages 2, 0, 1: page 1 follows page 0 physically.
		mem := make([]byte, 3*cenju4.PageBytes)
		for i := range mem {
			mem[i] = byte(i*7) + byte(i>>8)
		}
		order := []int{2, 0, 1}
		var logical []byte
		for _, page := range order {
			logical = append(logical, mem[page*cenju4.PageBytes:][:cenju4.PageBytes]...)
		}
		src, n := x.mapPages(t, 0, mem, order, 0)+4, 2*cenju4.PageBytes+100
		want := logical[4 : 4+n]
		p := cenju4.Parcel{Protocol: cenju4.RemoteDMA, Dest: 1, Length: uint32(n), Words: [3]uint64{uint64(src), uint64(cenju4.BootstrapAt)}}
		if why := x.one(t, 0, p, nil); why != 0 {
			t.Fatal(why)
		}
		got := slices.Clone(x.nics[1].Bootstrap()[:n])
		const at = cenju4.PageBytes - 4 // place of the first word of logical page 1, after which there is no memory of the task
		if !bytes.Equal(got[at:at+4], []byte{0, 0, 0, 0}) {
			t.Errorf("the word of the wrong page is %x", got[at:at+4])
		}
		copy(got[at:], want[at:at+4])
		if !bytes.Equal(got, want) {
			t.Error("more than the first word of the page is wrong")
		}
		repair := cenju4.Parcel{Protocol: cenju4.RemoteDMA, Dest: 1, Length: 4, Words: [3]uint64{uint64(src) + at, uint64(cenju4.BootstrapAt) + at}}
		if why := x.one(t, 0, repair, nil); why != 0 || !bytes.Equal(x.nics[1].Bootstrap()[:n], want) {
			t.Error("not right with the repair parcel", why)
		}
	})
}

// Line 5: a destination beyond the maximum of its table is an error, and nothing is sent.
func TestLine5BeyondTheTable(t *testing.T) {
	both(t, 2, func(t *testing.T, x *implementation) {
		before := x.sent(0)
		for _, kind := range []cenju4.PacketType{cenju4.Singlecast, cenju4.Multicast, cenju4.Synchronization} {
			p := dma(2, cenju4.BootstrapAt, 8)
			p.Type = kind
			if why := x.one(t, 0, p, make([]byte, 8)); why != cenju4.BeyondTable {
				t.Error(kind, why)
			}
		}
		if x.sent(0) != before {
			t.Error("something was sent")
		}
	})
}

// Line 6: a page outside the limits of its segment is an interrupt to the OS, on the side that
// looks it up.
func TestLine6OutsideTheSegment(t *testing.T) {
	both(t, 2, func(t *testing.T, x *implementation) {
		for _, a := range []cenju4.Address{
			0, cenju4.BuffersAt + 1<<32, cenju4.MakeAddress(cenju4.Mapped, 1<<37), cenju4.MakeAddress(cenju4.NoneYet, 0), cenju4.MakeAddress(cenju4.Lent, 0),
		} {
			_, before := x.nics[1].Refused(cenju4.NoSegment)
			if why := x.one(t, 0, dma(1, a, 8), make([]byte, 8)); why != cenju4.NoSegment {
				t.Error(a, why)
			}
			if _, after := x.nics[1].Refused(cenju4.NoSegment); after != before+1 {
				t.Error("not counted at the Receiver")
			}
			if a.Segment() == cenju4.Lent {
				continue
			}
			p := dma(1, cenju4.BootstrapAt, 8)
			p.Words[0] = uint64(a)
			own, _ := x.nics[0].Refused(cenju4.NoSegment)
			if why := x.one(t, 0, p, nil); why != cenju4.NoSegment {
				t.Error(a, why)
			}
			if now, _ := x.nics[0].Refused(cenju4.NoSegment); now != own+1 {
				t.Error("not counted at the Sender")
			}
		}
	})
}

// Line 7: no task can write the buffer table, its own or that of another node.
func TestLine7BufferTableIsReadOnly(t *testing.T) {
	both(t, 2, func(t *testing.T, x *implementation) {
		before := x.nics[1].BufferTable()
		for rank := range 2 {
			for _, p := range []cenju4.Parcel{
				dma(1, cenju4.BuffersAt+64, 64),
				{Protocol: cenju4.AtomicAdd, Dest: 1, Length: 8, Words: [3]uint64{1, uint64(cenju4.BuffersAt) + 64}},
				{Protocol: cenju4.Swap, Dest: 1, Length: 8, Words: [3]uint64{uint64(cenju4.BuffersAt) + 80, 1, uint64(x.words[rank])}},
			} {
				if why := x.one(t, rank, p, make([]byte, 64)); why != cenju4.NoRight {
					t.Error(rank, p, why)
				}
			}
		}
		if x.nics[1].BufferTable() != before {
			t.Error("it has changed")
		}
	})
}

// Line 8: a multicast to some nodes of a group reaches exactly those, with one copy each.
func TestLine8MulticastToASubset(t *testing.T) {
	const ranks = 70 // 4 stages, two groups
	both(t, ranks, func(t *testing.T, x *implementation) {
		for _, members := range [][]int{{0}, {1, 2, 3}, {0, 5, 17, 33, 63}, {64, 69}, {65}} {
			dest, err := x.nics[3].RegisterMulticast(members)
			if err != nil {
				t.Fatal(err)
			}
			before := make([]uint64, ranks)
			for i, n := range x.nics {
				before[i] = n.BufferTable()[cenju4.MessagePointer1]
			}
			p := cenju4.Parcel{Type: cenju4.Multicast, Protocol: cenju4.Message1, Flags: cenju4.Inline, Dest: dest, Length: 8}
			if why := x.one(t, 3, p, nil); why != 0 {
				t.Fatal(why)
			}
			for i, n := range x.nics {
				want := before[i]
				if slices.Contains(members, i) {
					want += 64 // one line
				}
				if got := n.BufferTable()[cenju4.MessagePointer1]; got != want {
					t.Errorf("%v: node %d has %d bytes more", members, i, got-before[i])
				}
			}
		}
		if _, err := x.nics[3].RegisterMulticast([]int{63, 64}); !errors.Is(err, cenju4.OtherGroup) {
			t.Error(err)
		}
	})
}

// Line 9: synchronization headers are refused on systems of more than 64 nodes.
func TestLine9SynchronizationOfLargeSystems(t *testing.T) {
	for ranks, want := range map[int]error{64: nil, 65: cenju4.TooLarge} {
		if _, err := jobOf(t, ranks, false).nics[1].RegisterSynchronization([]int{0, 1}, 5); !errors.Is(err, want) {
			t.Error(ranks, err)
		}
	}
}

// Line 10: with 4 header registers a blocked destination does not stop parcels to others.
func TestLine10BlockedDestination(t *testing.T) {
	x := jobOf(t, 8, true)
	x.machine.Block(1, true)
	var stuck []Pending
	for range 3 {
		stuck = append(stuck, x.machine.Post(0, dma(1, cenju4.BootstrapAt, 2000), make([]byte, 2000)))
	}
	free := x.machine.Post(0, dma(4, cenju4.BootstrapAt, 2000), bytes.Repeat([]byte{7}, 2000))
	for range 2000 {
		x.machine.Step()
	}
	if _, done := free.Done(); !done || x.nics[4].Bootstrap()[1999] != 7 {
		t.Error("the parcel to another node has not arrived")
	}
	for _, p := range stuck {
		if _, done := p.Done(); done {
			t.Error("a parcel to the blocked node has arrived")
		}
	}
	x.machine.Block(1, false)
	x.machine.Run()
	for _, p := range stuck {
		if _, done := p.Done(); !done {
			t.Error("a parcel has not arrived")
		}
	}
}

// Line 11: when all nodes flood one with remote reads, its reply queue never overflows.
func TestLine11RemoteReadFlood(t *testing.T) {
	const ranks, each = 17, 66
	x := jobOf(t, ranks, true)
	copy(x.nics[9].Bootstrap(), "flood")
	var all []Pending
	var into [][]byte
	for i := range each * ranks {
		lent := make([]byte, 5)
		p := cenju4.Parcel{Protocol: cenju4.RemoteRead, Dest: 9, Rrid: uint8(i / ranks), Length: 5, Words: [3]uint64{uint64(cenju4.BootstrapAt), uint64(cenju4.LentFor(0))}}
		all, into = append(all, x.machine.Post(i%ranks, p, lent)), append(into, lent)
	}
	x.machine.Run()
	for i, p := range all {
		if err, done := p.Done(); err != nil || !done || string(into[i]) != "flood" {
			t.Fatal(i, err, done, into[i])
		}
	}
	if most := x.machine.Waiting(9); most > cenju4.ReplyParcels || most < ranks/2 {
		t.Errorf("%d headers have waited", most)
	}
	for nodes, want := range map[int]int{8: 64, 64: 32, 1024: 2, 4096: 1} {
		if got := cenju4.ReplyLimit(nodes); got != want {
			t.Errorf("%d nodes: %d under way, want %d", nodes, got, want)
		}
	}
}

// Line 12: barriers that use one sid after the other do not mix.
func TestLine12SidReuse(t *testing.T) {
	const ranks, sid = 20, 7
	both(t, ranks, func(t *testing.T, x *implementation) {
		members := []int{0, 3, 4, 15, 16, 19}
		var dest [ranks]uint16
		for _, m := range members {
			var err error
			if dest[m], err = x.nics[m].RegisterSynchronization(members, sid); err != nil {
				t.Fatal(err)
			}
		}
		for episode := range 5 {
			for i := range members {
				m := members[(i*5+episode)%len(members)]
				if why := x.one(t, m, cenju4.Parcel{Type: cenju4.Synchronization, Dest: dest[m]}, nil); why != 0 {
					t.Fatal(why)
				}
				if i < len(members)-1 { // repeated before all have arrived: it must not mix with the next barrier
					if why := x.one(t, m, cenju4.Parcel{Type: cenju4.Synchronization, Dest: dest[m]}, nil); why != cenju4.Pending {
						t.Fatal(why)
					}
				}
				for rank, n := range x.nics {
					want := episode
					if i == len(members)-1 && slices.Contains(members, rank) {
						want++
					}
					if got := n.Synchronized(sid); slices.Contains(members, rank) && got != uint64(want) || !slices.Contains(members, rank) && got != 0 {
						t.Fatalf("episode %d, %d have come: node %d has %d packets", episode, i+1, rank, got)
					}
				}
			}
		}
		if _, err := x.nics[1].RegisterSynchronization([]int{1, 2}, sid); !errors.Is(err, cenju4.SidTaken) {
			t.Error(err)
		}
	})
}
