package cenju4

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
)

// A victim is a node with memory that others may access, and memory that they may not.
type victim struct {
	*NIC
	mem                       []byte // open is its middle part
	open, stale, read, nobody Address
}

func newVictim(t *testing.T, n *NIC) *victim {
	t.Helper()
	v := &victim{NIC: n, mem: pattern(6<<10, 1)}
	v.open = mapTo(t, n, v.mem[1<<10:5<<10+8], MayRead|MayWrite|MayUpdate) // words of a process cannot be updated, in spite of the right
	v.read = mapTo(t, n, v.mem[:1<<10], MayRead)
	v.nobody = mapTo(t, n, v.mem[5<<10+8:], 0)
	v.stale = mapTo(t, n, v.mem[1<<10:2<<10], MayRead|MayWrite)
	if err := n.Unmap(v.stale); err != nil {
		t.Fatal(err)
	}
	return v
}

// memory returns everything that another rank could change: the victim's own memory, and its part
// of the job's memory, except the counts of refusals.
func (v *victim) memory() []byte {
	all := slices.Clone(v.mem)
	for _, a := range []fabric.Area{fabric.Device, fabric.Public, fabric.Control, fabric.Shared, fabric.Rings} {
		b := v.f.Bytes(v.rank, a)
		if a == fabric.Public {
			b = b[pubInterrupts*8:]
		}
		all = append(all, b[:min(len(b), regPages*8+64<<10)]...)
	}
	return append(all, fabric.LineBytes(&v.f.Flags()[fabric.FlagFront*1])[:]...)
}

type attack struct {
	p    Parcel
	want Reason
}

// attacks lists parcels that are refused, with the reasons. Parcels with data lend 16 bytes.
func (v *victim) attacks() map[string]attack {
	to := func(a Address) Parcel {
		return Parcel{Protocol: RemoteDMA, Dest: 1, Length: 16, Words: [3]uint64{uint64(LentFor(a)), uint64(a)}}
	}
	from := func(a Address) Parcel {
		return Parcel{Protocol: RemoteRead, Dest: 1, Length: 16, Words: [3]uint64{uint64(a), uint64(LentFor(a))}}
	}
	add := func(a Address) Parcel {
		return Parcel{Protocol: AtomicAdd, Dest: 1, Length: 8, Words: [3]uint64{1, uint64(a)}}
	}
	with := func(p Parcel, change func(p *Parcel)) Parcel { change(&p); return p }
	end := v.open + 4<<10 + 8
	return map[string]attack{
		"no protocol":           {with(to(v.open), func(p *Parcel) { p.Protocol = 0 }), NoProtocol},
		"unknown protocol":      {with(to(v.open), func(p *Parcel) { p.Protocol = numProtocols }), NoProtocol},
		"unknown type":          {with(to(v.open), func(p *Parcel) { p.Type = numPacketTypes }), NoProtocol},
		"unknown flag":          {with(to(v.open), func(p *Parcel) { p.Flags = 1 << 7 }), NoProtocol},
		"read from many":        {with(from(v.open), func(p *Parcel) { p.Type = Multicast }), NoProtocol},
		"inline read":           {with(from(v.open), func(p *Parcel) { p.Flags = Inline }), NoProtocol},
		"supervisor":            {with(to(v.open), func(p *Parcel) { p.Flags = Supervisor }), Privileged},
		"too long":              {with(to(v.open), func(p *Parcel) { p.Length = MaxParcel + 1 }), WrongLength},
		"too long inline":       {with(to(v.open), func(p *Parcel) { p.Flags, p.Length = Inline, 9 }), WrongLength},
		"too long a message":    {with(to(0), func(p *Parcel) { p.Protocol, p.Length = Message0, 257 }), WrongLength},
		"half a word":           {with(add(ControlAt), func(p *Parcel) { p.Length = 4 }), WrongLength},
		"askew word":            {add(ControlAt + 4), Misplaced},
		"askew destination":     {to(v.open + 4), Misplaced},
		"askew source":          {with(to(v.open), func(p *Parcel) { p.Words[0]++ }), Misplaced},
		"askew notice":          {with(to(v.open), func(p *Parcel) { p.Words[2] = 4 }), Misplaced},
		"message over a page":   {with(to(0), func(p *Parcel) { p.Protocol, p.Words[0] = Message1, uint64(LentFor(PageBytes-8)) }), Misplaced},
		"beyond the node table": {with(to(v.open), func(p *Parcel) { p.Dest = 3 }), BeyondTable},
		"no such set":           {with(to(v.open), func(p *Parcel) { p.Type = Multicast }), BeyondTable},
		"no such sync":          {with(to(v.open), func(p *Parcel) { p.Type = Synchronization }), BeyondTable},
		"word of a process":     {add(v.open), NoRight},
		"word of rings":         {add(RingsAt), NoRight},
		"swap of flags":         {Parcel{Protocol: Swap, Dest: 1, Length: 8, Words: [3]uint64{uint64(FlagsAt), 1, uint64(LentFor(0))}}, NoRight},
		"write on flags":        {to(FlagsAt), NoRight},
		"write on control":      {to(ControlAt), NoRight},
		"write on buffers":      {to(BuffersAt), NoRight},
		"write on read":         {to(v.read), NoRight},
		"read of nobody's":      {from(v.nobody), NoRight},
		"write on nobody's":     {to(v.nobody), NoRight},
		"unmapped":              {to(v.stale), Stale},
		"read of unmapped":      {from(v.stale), Stale},
		"next generation":       {to(v.open + 1<<genShift), Stale},
		"generation 0":          {to(v.open & (1<<genShift - 1)), Stale},
		"never mapped":          {to(MakeAddress(Mapped, 500*PageBytes) | 1<<genShift), NoPage},
		"beyond the segment":    {to(MakeAddress(Mapped, 1<<37)), NoSegment},
		"empty segment":         {to(MakeAddress(NoneYet, 0)), NoSegment},
		"lent there":            {to(MakeAddress(Lent, 0)), NoSegment},
		"nothing":               {to(0), NoSegment},
		"at the end":            {to(end), Beyond},
		"across the end":        {to(end - 8), Beyond},
		"read across the end":   {from(end - 8), Beyond},
		"far away":              {to(RingsAt + 1<<31), Beyond},
		"word beyond":           {add(ControlAt + Address(len(v.f.Bytes(0, fabric.Control)))), Beyond},
		"more than was lent":    {with(to(v.open), func(p *Parcel) { p.Length = 24 }), Beyond},
		"source beyond":         {with(to(v.open), func(p *Parcel) { p.Words[0] = 0 }), NoSegment},
		"notice to nowhere":     {with(to(v.open), func(p *Parcel) { p.Words[2] = 8 }), NoSegment},
	}
}

// TestHostileParcels: each parcel that a task may not send is refused for the right reason,
// counted, and changes nothing at the victim or in the task's lent memory.
func TestHostileParcels(t *testing.T) {
	each(t, 3, func(t *testing.T, n []*NIC) {
		v, hostile := newVictim(t, n[1]), n[2]
		v.f.Flags()[fabric.FlagFront*1][3] = 77
		for name, c := range v.attacks() {
			before, lent := v.memory(), pattern(16, 99)
			if c.p.Protocol == Swap {
				lent = lent[:8]
			}
			own, _ := hostile.Refused(c.want)
			err := hostile.Post(&c.p, lent)
			var r *Refusal
			if !errors.Is(err, c.want) || !errors.As(err, &r) || r.Moved != 0 {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
			if !bytes.Equal(before, v.memory()) || !bytes.Equal(lent, pattern(16, 99)[:len(lent)]) {
				t.Fatalf("%s: bytes moved", name)
			}
			if now, _ := hostile.Refused(c.want); now != own+1 {
				t.Errorf("%s: counted %d", name, now-own)
			}
		}
	})
}

// TestForgedAddresses tries pages and generations: only mapped memory can be accessed.
func TestForgedAddresses(t *testing.T) {
	n := open(t, 2)
	v := newVictim(t, n[0])
	valid := map[Address]bool{v.open: true, v.open + PageBytes: true, v.read: true}
	for page := range uint64(minPages) {
		for _, gen := range []uint64{0, 1, 2, 3, 4, 5, pteGenMask} {
			a := MakeAddress(Mapped, page*PageBytes) | Address(gen<<genShift)
			if err := n[1].Read(0, a, make([]byte, 1)); (err == nil) != valid[a] {
				t.Fatalf("address %v: %v", a, err)
			}
		}
	}
}

// TestStaleAddressesStayStale: pages that are mapped again have another address, and no page is
// lost.
func TestStaleAddressesStayStale(t *testing.T) {
	n := open(t, 2)
	seen := map[Address]bool{}
	for range 100 {
		a := mapTo(t, n[0], make([]byte, 2*PageBytes), MayWrite)
		if seen[a] || a.Offset() != 0 {
			t.Fatalf("address %v", a)
		}
		seen[a] = true
		for _, wrong := range []Address{a + 8, a + PageBytes, a + 1<<genShift} {
			if err := n[0].Unmap(wrong); !errors.Is(err, Misuse) {
				t.Errorf("%v unmapped: %v", wrong, err)
			}
		}
		if err := n[0].Unmap(a); err != nil {
			t.Fatal(err)
		}
		if err := n[0].Unmap(a); !errors.Is(err, Misuse) {
			t.Errorf("unmapped twice: %v", err)
		}
	}
	for _, a := range []Address{0, RingsAt, MakeAddress(Mapped, 1<<37), MakeAddress(Lent, 0)} {
		if err := n[0].Unmap(a); !errors.Is(err, Misuse) {
			t.Errorf("%v unmapped: %v", a, err)
		}
	}
	n[0].generation = pteGenMask // it wraps around; 0 is never a generation
	if a := mapTo(t, n[0], make([]byte, 8), MayWrite); a.Generation() != 1 {
		t.Errorf("after the last generation: %v", a)
	}
}

// TestFullTables: all pages and all mappings can be used, but no more, and they can be reused after
// their return.
func TestFullTables(t *testing.T) {
	g := fabric.Geometry{Rings: 1, Ring: fabric.Small().Ring, Shared: fabric.Small().Shared}
	_, all := fabrictest.Heap(t, 1, Geometry(g, 0), nil, opener(Options{}))
	n := all[0]
	for _, size := range []int{1, 100 * PageBytes, minPages * PageBytes, 0} {
		mem := make([]byte, size)
		var all []Address
		for {
			a, err := n.Map(mem, MayRead)
			if errors.Is(err, TableFull) && errors.Is(err, fs.ErrPermission) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, a)
		}
		if want := min(maxMappings, minPages/max(1, size/PageBytes)); len(all) != want {
			t.Fatalf("%d mappings of %d bytes, want %d", len(all), size, want)
		}
		for _, a := range all {
			if err := n.Unmap(a); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, order := range [][]int{{0}, {0, 2}, {0, -1}, {0, 1, 1}} {
		if _, err := n.MapPages(make([]byte, 2*PageBytes), order, 0); !errors.Is(err, WrongLength) {
			t.Errorf("pages %v: %v", order, err)
		}
	}
	if _, err := n.MapPages(make([]byte, PageBytes+1), []int{0, 1}, 0); !errors.Is(err, WrongLength) {
		t.Error(err)
	}
}

// TestOverrunMessages: a full message buffer refuses messages, and its contents stay intact.
func TestOverrunMessages(t *testing.T) {
	n := open(t, 3)
	v := newVictim(t, n[0])
	r := v.Messages(1)
	for round := range uint64(3) {
		sent := 0
		for ; ; sent++ {
			p := Parcel{Protocol: Message1, Flags: Inline | Interrupt, Length: 8, Words: [3]uint64{uint64(sent)}}
			if err := n[1+sent%2].Post(&p, nil); err != nil {
				if !errors.Is(err, BufferFull) {
					t.Fatal(err)
				}
				break
			}
		}
		if sent != message1Lines {
			t.Errorf("round %d: %d messages in a buffer of %d lines", round, sent, message1Lines)
		}
		for i := range sent {
			var p ring.Packet
			if ok, err := r.Poll(&p); !ok || err != nil || p.Data[0] != byte(i) || p.Peer != 1+i%2 {
				t.Fatalf("message %d: %v, %v, %+v", i, ok, err, p)
			}
			r.Consume()
		}
	}
	if _, others := v.Refused(BufferFull); others != 3 || v.Interrupts(Arrived) != 3*message1Lines {
		t.Errorf("%d refusals, %d interrupts", others, v.Interrupts(Arrived))
	}
	v.f.Words(0, fabric.Shared)[0] = 1 << 40
	if err := n[1].Post(&Parcel{Protocol: Message0, Flags: Inline, Length: 8}, nil); !errors.Is(err, BufferBroken) {
		t.Error(err)
	}
}

// TestNoise: an owner whose tables hold noise harms only itself, and ends no other process.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 6 {
		n := open(t, 3)
		v, other := newVictim(t, n[0]), newVictim(t, n[2])
		before := slices.Clone(other.mem)
		tables := slices.Clone(other.own.tables)
		seg := v.own.segment(Mapped)
		for page := range uint64(600) {
			state := uint64(1<<genShift>>8) | rng.Uint64()>>rng.IntN(64) | pteValid | 1<<pteGen
			storePTE(v.own.entry(&seg, page), pte{rng.Uint64() >> rng.IntN(64), state})
		}
		for i := range 4 {
			v.own.tables[regSegments+rng.IntN(16)] = rng.Uint64() >> rng.IntN(64)
			v.SetAddressRegister(i%3, Address(rng.Uint64()))
		}
		for range 1500 {
			a := Address(rng.Uint64()>>rng.IntN(64))&^7&(1<<genShift-1) | 1<<genShift
			if rng.IntN(2) == 0 {
				a = MakeAddress(Mapped, rng.Uint64N(600*PageBytes)) | 1<<genShift
			}
			b := make([]byte, rng.IntN(20_000))
			_ = n[1].Read(0, a, b)
			_ = n[1].Write(0, a, nil)
			_ = n[1].Post(&Parcel{Protocol: CompSwap, Length: 8, Words: [3]uint64{uint64(a &^ 7), 1, 1}}, nil)
			_, _ = n[1].Way(0, a)
		}
		if !bytes.Equal(before, other.mem) || !slices.Equal(tables, other.own.tables) {
			t.Fatal("another rank was harmed")
		}
		for i := range v.own.tables[regSegments:regPages] { // the owner itself succeeds, or is refused
			v.own.tables[regSegments+i] = rng.Uint64() >> rng.IntN(64)
		}
		for range 50 {
			a, err := v.Map(make([]byte, rng.IntN(9000)), MayRead)
			if err != nil {
				t.Fatal(err)
			}
			_ = v.Read(rng.IntN(3), a, make([]byte, 8))
			_ = v.Post(&Parcel{Type: PacketType(rng.IntN(3)), Protocol: Message0, Flags: Inline, Dest: uint16(rng.IntN(300))}, nil)
			_, _ = v.RegisterMulticast([]int{rng.IntN(3)})
			_, _ = v.RegisterSynchronization([]int{0, 1}, rng.IntN(Sids))
			if err := v.Unmap(a); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestForgedHeaders: header tables that the OS has not written.
func TestForgedHeaders(t *testing.T) {
	n := open(t, 2)
	try := func(kind PacketType, want Reason) {
		t.Helper()
		p := Parcel{Type: kind, Protocol: RemoteDMA, Flags: Inline, Dest: 1, Length: 8, Words: [3]uint64{1, uint64(BootstrapAt)}}
		if err := n[0].Post(&p, nil); !errors.Is(err, want) {
			t.Errorf("type %d: %v, want %v", kind, err, want)
		}
	}
	tables := n[0].own.tables
	tables[regNodes+1] = 0
	try(Singlecast, NoEntry)
	tables[regNodes+1] = entryValid | 7
	try(Singlecast, NoNode)
	tables[regNodes+1] = entryValid | 1 | 9<<cidShift
	try(Singlecast, NoTask)
	tables[regSetLimit], tables[regSets+2], tables[regSets+3] = math.MaxUint64, 1<<63, 15
	try(Multicast, NoNode)
	tables[regSyncLimit], tables[regSyncs+2], tables[regSyncs+3] = 2, 2, 5
	try(Synchronization, NoSet) // without this node
	tables[regSyncs+2] = 3
	try(Synchronization, NoSet) // the set does not have the sid
	if _, err := n[1].RegisterSynchronization([]int{0, 1}, 5); err != nil {
		t.Fatal(err)
	}
	tables[regSyncs+2] = 1
	try(Synchronization, NoSet) // a smaller set: its barrier would end that of the others early
	if n[1].Synchronized(5) != 0 {
		t.Error("a barrier of others has ended")
	}
}

// TestUnmapWaits: once Unmap has returned, parcels in progress write nothing more.
func TestUnmapWaits(t *testing.T) {
	n := open(t, 2)
	mem, out := make([]byte, 4<<20), pattern(4<<20, 1)
	for range 20 {
		a := mapTo(t, n[0], mem, MayWrite)
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				if err := n[1].Write(0, a, out); err != nil {
					if !errors.Is(err, Stale) && !errors.Is(err, Beyond) { // unmapped during the look-up of its pages
						t.Error(err)
					}
					return
				}
			}
		})
		time.Sleep(time.Millisecond)
		if err := n[0].Unmap(a); err != nil {
			t.Error(err)
		}
		clear(mem)
		wg.Wait()
		if !bytes.Equal(mem, make([]byte, len(mem))) {
			t.Fatal("written after Unmap")
		}
	}
}

// TestTransferThatDoesNotEnd: memory that a dead rank holds stays pinned, later waits are short,
// and the pages are not reused.
func TestTransferThatDoesNotEnd(t *testing.T) {
	n := open(t, 2)
	var stuck []Address
	for range 2 {
		a := mapTo(t, n[0], make([]byte, 8), MayWrite)
		s, why := n[0].own.find(a, 8, 0)
		if why == 0 {
			why = s.hold()
		}
		if why != 0 {
			t.Fatal(why)
		}
		stuck = append(stuck, a)
	}
	if err := n[0].Unmap(stuck[0]); !errors.Is(err, InUse) {
		t.Error(err)
	}
	start := time.Now()
	if err := n[0].Unmap(stuck[1]); !errors.Is(err, InUse) || time.Since(start) > fabric.DrainLimit/2 {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if a := mapTo(t, n[0], make([]byte, 8), MayWrite); a.Offset() == stuck[0].Offset() || a.Offset() == stuck[1].Offset() {
		t.Errorf("address %v again", a)
	}
	s, _ := n[0].own.find(mapTo(t, n[0], make([]byte, 8), MayWrite), 8, 0)
	_ = s.hold()
	if err := n[0].Close(); !errors.Is(err, InUse) {
		t.Error(err)
	}
}

// TestWithoutAttach: private memory of other processes is refused, memory of the job is not, and
// callers can tell this refusal, for which another way may work, from others.
func TestWithoutAttach(t *testing.T) {
	n := mapped(t, 2, Options{Attach: fabric.AttachOff})
	v := newVictim(t, n[0])
	before := slices.Clone(v.mem)
	for _, err := range []error{n[1].Write(0, v.open, make([]byte, 8)), n[1].Read(0, v.open, make([]byte, 8))} {
		if !errors.Is(err, NoAccess) || !errors.Is(err, fs.ErrPermission) || !bytes.Equal(before, v.mem) {
			t.Error(err)
		}
	}
	if err := errors.Join(n[1].Write(0, BootstrapAt, make([]byte, 8)), n[0].Read(0, v.open, make([]byte, 8))); err != nil {
		t.Error(err)
	}
}

// TestProcessThatHasEnded: the reason differs from that for memory that does not exist.
func TestProcessThatHasEnded(t *testing.T) {
	n := mapped(t, 2, Options{})
	if !n[0].Remote() {
		t.Skip("this kernel refuses cross-memory attach")
	}
	v := newVictim(t, n[0])
	v.f.Leave(0)
	var r *Refusal
	if err := n[1].Read(0, v.open, make([]byte, 8)); !errors.Is(err, Gone) || !errors.As(err, &r) || r.Error() == "" {
		t.Error(err)
	}
	if err := v.f.Enter(0); err != nil {
		t.Fatal(err)
	}
	seg := v.own.segment(Mapped)
	w := v.own.entry(&seg, v.read.Offset()/PageBytes)
	e := loadPTE(w)
	e.place = 1<<46 | e.place&^placeMask
	storePTE(w, e)
	if err := n[1].Read(0, v.read, make([]byte, 8)); !errors.Is(err, Fault) || !errors.As(err, &r) || r.Cause == nil || r.Moved != 0 {
		t.Error(err)
	}
}

// TestWayEndsWithItsPage: a way is valid only as long as its page.
func TestWayEndsWithItsPage(t *testing.T) {
	n := open(t, 2)
	w, err := n[1].Way(0, BootstrapAt)
	if err != nil {
		t.Fatal(err)
	}
	seg := n[0].own.segment(Static)
	entry := n[0].own.entry(&seg, areaBootstrap)
	storePTE(entry, pte{loadPTE(entry).place, pteGenMask << pteGen})
	before := slices.Clone(n[0].Bootstrap())
	for _, err := range []error{w.Line(0, &ring.Line{1}), w.Put(0, []byte{1}), second(w.Get(0))} {
		if !errors.Is(err, Stale) {
			t.Error(err)
		}
	}
	if !bytes.Equal(before, n[0].Bootstrap()) {
		t.Error("bytes moved")
	}
}

// TestTexts: every reason and protocol has a text.
func TestTexts(t *testing.T) {
	for r := range numReasons {
		if r != 0 && reasonTexts[r] == "" {
			t.Errorf("reason %d has no text", r)
		}
	}
	for p := range numProtocols {
		if protocols[p].name == "" || p.String() != protocols[p].name {
			t.Errorf("protocol %d has no name", p)
		}
	}
	if numReasons.Error() != fmt.Sprintf("reason %d", numReasons) || numProtocols.String() != "protocol 11" {
		t.Error("words for what is none")
	}
	r := Refusal{Protocol: Swap, Node: 3, Address: RingsAt + 8, Bytes: 8, Moved: 4, Reason: Fault, Cause: fs.ErrClosed}
	if got := r.Error(); got != "cenju4: swap of 8 bytes, node 3 address 0:0x100000008.0: memory is not there after 4 bytes: file already closed" {
		t.Error(got)
	}
}
