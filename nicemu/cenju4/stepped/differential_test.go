package stepped

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

var rounds = flag.Int("rounds", 56_000, "batches of parcels that TestOneNIC gives both NICs")
var every = flag.Int("every", 50, "after so many batches TestOneNIC compares everything")

const (
	nodes      = 5
	openBytes  = 12 * cenju4.PageBytes // in mappings, for other nodes
	sourceSize = 24 * cenju4.PageBytes // only for the task
	bootstrap  = 3 * cenju4.PageBytes
	answers    = 16 // words for answers and notices
	sets       = 6
	syncs      = 4
)

// An implementation is the fast path or the stepped model, with its own job.
type implementation struct {
	f       *fabric.Fabric
	nics    []*cenju4.NIC
	machine *Machine // nil: the fast path
	open    [nodes][]byte
	source  [nodes][]byte
	answer  [nodes][]byte
	maps    [nodes][]cenju4.Address // all mappings of open so far
	own     [nodes]cenju4.Address   // of source, with its pages out of order
	words   [nodes]cenju4.Address   // of answer
	readers [nodes][2]*ring.SharedReader
}

func newImplementation(t *testing.T, stepped bool) *implementation {
	t.Helper()
	g := fabric.Small()
	g.Shared.Lines, g.Rings = 64, 2
	f, err := fabric.Heap(nodes, cenju4.Geometry(g, bootstrap))
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

// start opens the NICs of all nodes and maps their memory.
func (x *implementation) start(t *testing.T) *Machine {
	boss, err := cenju4.Manage(x.f)
	if err != nil {
		t.Fatal(err)
	}
	var all []*cenju4.Hardware
	rng := rand.New(rand.NewPCG(3, 4))
	for rank := range x.f.Ranks() {
		n, err := cenju4.Open(x.f, rank, cenju4.Options{})
		if err != nil {
			t.Fatal(err)
		}
		hw, err := boss.Hardware(n)
		if err != nil {
			t.Fatal(err)
		}
		x.nics, all = append(x.nics, n), append(all, hw)
		if rank >= nodes {
			continue
		}
		x.open[rank], x.source[rank], x.answer[rank] = make([]byte, openBytes), make([]byte, sourceSize), make([]byte, answers*8)
		for i := range x.source[rank] {
			x.source[rank][i] = byte(rng.Uint32())
		}
		x.own[rank] = x.mapPages(t, rank, x.source[rank], disorder(rng, sourceSize/cenju4.PageBytes), 0)
		x.words[rank] = x.mapPages(t, rank, x.answer[rank], nil, 0)
		for which := range 2 {
			x.readers[rank][which] = n.Messages(which)
		}
	}
	m, err := New(all)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// disorder returns a permutation of pages, some of which follow each other.
func disorder(rng *rand.Rand, pages int) (order []int) {
	for _, i := range rng.Perm(pages / 3) {
		order = append(order, 3*i, 3*i+1, 3*i+2)
	}
	return order
}

func (x *implementation) mapPages(t *testing.T, rank int, b []byte, order []int, r cenju4.Right) cenju4.Address {
	t.Helper()
	a, err := x.nics[rank].MapPages(b, order, r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A posting is a parcel, the node that posts it, and its lent memory.
type posting struct {
	rank   int
	parcel cenju4.Parcel
	lent   []byte
}

// String omits the lent memory.
func (p posting) String() string {
	return fmt.Sprintf("node %d %v %+v", p.rank, p.parcel.Protocol, p.parcel)
}

// An end is the result of a parcel.
type end struct {
	why  cenju4.Reason
	lent string
}

// run posts parcels at the same time, with fresh copies of their lent memory, and returns their
// results.
func (x *implementation) run(t *testing.T, all []posting) (ends []end) {
	t.Helper()
	var under []Pending
	for i := range all {
		all[i].lent = slices.Clone(all[i].lent)
		if x.machine != nil {
			under = append(under, x.machine.Post(all[i].rank, all[i].parcel, all[i].lent))
			continue
		}
		err := x.nics[all[i].rank].Post(&all[i].parcel, all[i].lent)
		e := end{lent: string(all[i].lent)}
		if err != nil && !errors.As(err, &e.why) {
			t.Fatal(err)
		}
		ends = append(ends, e)
	}
	if x.machine == nil {
		return ends
	}
	x.machine.Run()
	for i, p := range under {
		err, done := p.Done()
		e := end{lent: string(all[i].lent)}
		if err != nil && !errors.As(err, &e.why) || !done {
			t.Fatalf("%+v: %v, done %v", all[i].parcel, err, done)
		}
		ends = append(ends, e)
	}
	return ends
}

// differ returns a part of the state in which the implementations differ, or "": it compares
// everything that does not depend on addresses of memory.
func (x *implementation) differ(y *implementation) string {
	for rank, n := range x.nics {
		other := y.nics[rank]
		for name, parts := range map[string][2][]byte{
			"memory": {x.open[rank], y.open[rank]}, "source": {x.source[rank], y.source[rank]}, "answers": {x.answer[rank], y.answer[rank]},
			"bootstrap area": {n.Bootstrap(), other.Bootstrap()}, "rings": {n.Rings(), other.Rings()},
			"control words":    {x.f.Bytes(rank, fabric.Control), y.f.Bytes(rank, fabric.Control)},
			"message buffer 0": {x.f.Bytes(rank, fabric.Shared), y.f.Bytes(rank, fabric.Shared)},
		} {
			if !bytes.Equal(parts[0], parts[1]) {
				return fmt.Sprintf("%s of node %d", name, rank)
			}
		}
		if a, b := state(n), state(other); !slices.Equal(a, b) {
			return fmt.Sprintf("registers and counters of node %d:\n%v\n%v", rank, a, b)
		}
	}
	return ""
}

// state returns the counters of a NIC.
func state(n *cenju4.NIC) (all []uint64) {
	for r := range cenju4.Reason(60) {
		own, others := n.Refused(r)
		all = append(all, own, others)
	}
	for c := range cenju4.Count(8) {
		all = append(all, n.Sent(c))
	}
	for c := range cenju4.Cause(8) {
		all = append(all, n.Interrupts(c))
	}
	for sid := range cenju4.Sids {
		all = append(all, n.Synchronized(sid))
	}
	table := n.BufferTable()
	all = append(all, table[:5]...)
	all = append(all, table[cenju4.LogPointer])
	for i := range uint64(20) {
		r, ok := n.ReadLog(table[cenju4.LogPointer]/16 - 1 - i)
		all = append(all, uint64(r.Protocol), uint64(r.Source), uint64(r.Length), uint64(r.Address), map[bool]uint64{true: 1}[ok])
	}
	for i := range cenju4.Rrids {
		w := n.Notice(i)
		all = append(all, w.Value, uint64(w.Kind))
	}
	return all
}

// TestOneNIC gives the fast path and the stepped model the same parcels, valid and hostile, one
// after the other and several at once, and compares the whole state after every few batches. By
// default that is more than a hundred thousand parcels.
func TestOneNIC(t *testing.T) {
	batches := *rounds
	if testing.Short() {
		batches /= 5
	}
	fast, slow := newImplementation(t, false), newImplementation(t, true)
	rng := rand.New(rand.NewPCG(11, 12))
	g := generator{rng, fast}
	g.register(t, fast, slow)
	met, tried := map[cenju4.Reason]int{}, 0
	for round := range batches {
		if rng.IntN(30) == 0 {
			g.change(t, fast, slow)
		}
		batch := g.batch()
		want, got := fast.run(t, slices.Clone(batch)), slow.run(t, slices.Clone(batch))
		for i := range batch {
			if want[i] != got[i] {
				t.Fatalf("round %d, %+v: %v; stepped %v; same memory %v", round, batch[i].parcel, want[i].why, got[i].why, want[i].lent == got[i].lent)
			}
			met[want[i].why]++
		}
		tried += len(batch)
		if rng.IntN(150) == 0 {
			g.read(t, fast, slow)
		}
		if round%*every != 0 && round != batches-1 {
			continue
		}
		if part := fast.differ(slow); part != "" {
			t.Fatalf("round %d, after %v: other %s", round, batch, part)
		}
	}
	if batches >= 56_000 && tried < 100_000 {
		t.Errorf("only %d parcels", tried)
	}
	t.Logf("%d parcels; by how they ended %v", tried, met)
	for _, why := range []cenju4.Reason{
		0, cenju4.NoProtocol, cenju4.Privileged, cenju4.WrongLength, cenju4.Misplaced, cenju4.BeyondTable, cenju4.Pending, cenju4.NoSegment,
		cenju4.NoPage, cenju4.Stale, cenju4.NoRight, cenju4.Beyond, cenju4.BufferFull,
	} {
		if met[why] < batches/2000 {
			t.Errorf("%q came up %d times", why, met[why])
		}
	}
}

// A generator makes parcels for both implementations, which have the same tables.
type generator struct {
	*rand.Rand
	of *implementation
}

// register gives all nodes the same multicast and synchronization headers.
func (g *generator) register(t *testing.T, implementations ...*implementation) {
	t.Helper()
	for i := range sets {
		members := g.Perm(nodes)[:1+g.IntN(nodes)]
		for _, x := range implementations {
			for rank, n := range x.nics {
				if _, err := n.RegisterMulticast(members); err != nil {
					t.Fatal(err)
				}
				if i >= syncs {
					continue
				}
				if _, err := n.RegisterSynchronization(members, i); err != nil && slices.Contains(members, rank) {
					t.Fatal(err)
				}
			}
		}
	}
}

// change maps or unmaps memory in both implementations, and sets an address register.
func (g *generator) change(t *testing.T, implementations ...*implementation) {
	t.Helper()
	rank := g.IntN(nodes)
	from, r := g.IntN(openBytes), cenju4.Right(g.IntN(8))*cenju4.MayRead|cenju4.Right(g.IntN(2))*(cenju4.MayRead|cenju4.MayWrite)
	to := from + g.IntN(openBytes-from+1)
	var order []int
	if g.IntN(3) == 0 {
		from, to = 0, openBytes
		order = disorder(g.Rand, openBytes/cenju4.PageBytes)
	}
	if old := g.of.maps[rank]; len(old) > 3 {
		a := old[g.IntN(len(old))]
		var ends []string
		for _, x := range implementations {
			ends = append(ends, fmt.Sprint(x.nics[rank].Unmap(a)))
		}
		if ends[0] != ends[1] {
			t.Fatalf("unmapped: %v", ends)
		}
	}
	register, at := g.IntN(3), g.address(rank, 500)
	for _, x := range implementations {
		x.maps[rank] = append(x.maps[rank], x.mapPages(t, rank, x.open[rank][from:to], order, r))
		x.nics[rank].SetAddressRegister(register, at)
	}
	if a, b := implementations[0].maps[rank], implementations[1].maps[rank]; !slices.Equal(a, b) {
		t.Fatalf("mapped at %v, %v", a, b)
	}
}

// read takes messages from the buffers of both.
func (g *generator) read(t *testing.T, implementations ...*implementation) {
	t.Helper()
	rank, which := g.IntN(nodes), g.IntN(2)
	for range g.IntN(80) {
		var got [2]ring.Packet
		var ok [2]bool
		for i, x := range implementations {
			var err error
			if ok[i], err = x.readers[rank][which].Poll(&got[i]); err != nil {
				t.Fatal(err)
			}
		}
		if ok[0] != ok[1] || ok[0] && (got[0].Head != got[1].Head || got[0].Peer != got[1].Peer || !bytes.Equal(got[0].Data, got[1].Data)) {
			t.Fatalf("messages %+v, %+v", got[0], got[1])
		}
		if !ok[0] {
			return
		}
		for _, x := range implementations {
			x.readers[rank][which].Consume()
		}
	}
}

// batch returns parcels to different nodes, whose results do not depend on their order.
func (g *generator) batch() (all []posting) {
	if g.IntN(6) == 0 {
		p := g.posting(0, 0)
		p.parcel.Type, p.parcel.Dest = cenju4.Multicast, uint16(g.IntN(sets))
		if g.IntN(3) == 0 {
			p.parcel.Type, p.parcel.Dest = cenju4.Synchronization, uint16(g.IntN(syncs))
		}
		return []posting{p}
	}
	for i, target := range g.Perm(nodes)[:1+g.IntN(3)] {
		all = append(all, g.posting(target, i))
	}
	return all
}

// posting returns a parcel to a node, number i of its batch.
func (g *generator) posting(target, i int) posting {
	home := g.IntN(nodes)
	p := cenju4.Parcel{Dest: uint16(target), Rrid: uint8(i*16 + g.IntN(16)), Protocol: cenju4.Protocol(1 + g.IntN(10)), Flags: cenju4.Flags(g.IntN(4)) * cenju4.Interrupt}
	if g.IntN(3) == 0 {
		p.Protocol = cenju4.RemoteDMA
	}
	if g.IntN(4) == 0 {
		p.Flags |= cenju4.NotOptimised
	}
	limit := []int{9, 65, 257, 2000, 40_000}[g.IntN(5)]
	n := g.IntN(limit)
	if p.Protocol == cenju4.Message0 || p.Protocol == cenju4.Message1 {
		n = min(n, g.IntN(258))
	}
	post := posting{rank: home}
	word := uint64(g.of.words[home]) + uint64(i*16)
	dst := g.address(target, n)
	switch p.Protocol {
	case cenju4.AtomicAdd:
		n = 8
		p.Words = [3]uint64{g.Uint64(), uint64(dst &^ 7)}
	case cenju4.Swap:
		n = 8
		p.Words = [3]uint64{uint64(dst &^ 7), g.Uint64() % 3, word}
	case cenju4.CompSwap:
		n = 8
		p.Words = [3]uint64{uint64(dst &^ 7), g.Uint64() % 3, g.Uint64() % 3}
	default:
		n = g.place(&p, &post, dst, n)
		if g.IntN(4) == 0 {
			p.Words[2] = word + 8
		}
	}
	p.Length = uint32(n)
	g.spoil(&p)
	post.parcel = p
	return post
}

// place chooses source and destination of a parcel with data; most of them are valid together.
func (g *generator) place(p *cenju4.Parcel, post *posting, dst cenju4.Address, n int) int {
	if g.IntN(3) > 0 {
		dst &^= 7
	}
	if in := int(dst % 8); in != 0 && g.IntN(5) > 0 {
		n = min(n, 8-in)
	}
	src := g.of.own[post.rank] + cenju4.Address(g.IntN(sourceSize-min(n, sourceSize)+1))
	switch g.IntN(8) {
	case 0, 1:
		src &^= 7
	case 2, 3:
		src = src&^7 + 4
	case 4:
		src = src&^127 + dst%128 + 4*cenju4.Address(g.IntN(3))
	default:
		src = cenju4.LentFor(dst)
		if p.Protocol != cenju4.RemoteDMA && p.Protocol != cenju4.RemoteRead {
			src = cenju4.LentFor(0)
		}
		post.lent = make([]byte, n)
		for i, x := 0, g.Uint32(); i < n; i++ {
			post.lent[i] = byte(x) + byte(i*7)
		}
	}
	if n > 0 && src%8 != 0 && src%8 != 4 {
		n = min(n, 8-int(src%8))
		post.lent = post.lent[:min(len(post.lent), n)]
	}
	p.Words[0], p.Words[1] = uint64(src), uint64(dst)
	if p.Protocol == cenju4.RemoteRead {
		p.Words[0], p.Words[1] = p.Words[1], p.Words[0]
		if src.Segment() != cenju4.Lent { // an answer must not change memory that other parcels of the batch read
			p.Words[1] = uint64(g.of.words[post.rank]) + 8*(answers-1)
			n = min(n, 8)
		}
		return n
	}
	if n <= 8 && g.IntN(2) == 0 {
		p.Flags |= cenju4.Inline
		p.Words[0], post.lent = g.Uint64(), nil
	}
	return n
}

// spoil turns a few parcels into ones that no correct task posts.
func (g *generator) spoil(p *cenju4.Parcel) {
	switch g.IntN(80) {
	case 0:
		p.Protocol = cenju4.Protocol(g.IntN(16))
	case 1:
		p.Dest = uint16([]int{nodes, 17, 4095}[g.IntN(3)])
	case 2:
		p.Length += uint32(g.IntN(9))
	case 3:
		p.Words[1] = -p.Words[1]
	case 4:
		p.Flags |= cenju4.Flags(1 << g.IntN(8))
	case 5:
		p.Length = uint32(g.IntN(2 << 20))
	case 6:
		p.Words[g.IntN(3)] ^= 1 << g.IntN(64)
	case 7:
		p.Type = cenju4.PacketType(3 + g.IntN(20))
	}
}

// address returns an address of n bytes of a node, which mostly exist.
func (g *generator) address(target, n int) cenju4.Address {
	at := cenju4.Address(g.IntN(bootstrap/2)) / cenju4.Address(1+n/100)
	switch g.IntN(12) {
	case 0:
		return cenju4.Address(g.Uint64() >> g.IntN(64))
	case 1:
		return cenju4.ControlAt + at%512
	case 2:
		return []cenju4.Address{cenju4.FlagsAt, cenju4.BuffersAt, cenju4.MakeAddress(cenju4.Lent, 0), cenju4.MakeAddress(cenju4.NoneYet, 0)}[g.IntN(4)] + at
	case 3:
		return cenju4.MakeAddress(cenju4.Mapped, g.Uint64()%(100*cenju4.PageBytes))
	case 4, 5, 6:
		return cenju4.BootstrapAt + at
	}
	if all := g.of.maps[target]; len(all) > 0 {
		return all[max(0, len(all)-1-g.IntN(6))] + cenju4.Address(g.IntN(openBytes))/cenju4.Address(1+g.IntN(8))
	}
	return cenju4.RingsAt + at
}
