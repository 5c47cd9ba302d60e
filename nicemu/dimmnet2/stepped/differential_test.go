package stepped

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
)

const (
	ranks  = 7 // the last board has one process
	module = 3 * fabric.PageBytes
)

// An implementation is the fast path or the stepped model, with its own job.
type implementation struct {
	f       *fabric.Fabric
	boss    *dimmnet2.Manager
	nics    []*dimmnet2.NIC
	machine *Machine // nil: the fast path
	records []*ring.SharedReader
}

func newImplementation(t *testing.T, stepped bool) *implementation {
	t.Helper()
	f, err := fabric.Heap(ranks, dimmnet2.Geometry(fabric.Small(), module))
	if err != nil {
		t.Fatal(err)
	}
	x := &implementation{f: f}
	if x.boss, err = dimmnet2.Manage(f); err != nil {
		t.Fatal(err)
	}
	var inside []*dimmnet2.Hardware
	for rank := range ranks {
		x.boss.Group(rank, 77)
		n, err := dimmnet2.Open(f, rank)
		if err != nil {
			t.Fatal(err)
		}
		hw, err := x.boss.Hardware(n)
		if err != nil {
			t.Fatal(err)
		}
		x.nics, inside, x.records = append(x.nics, n), append(inside, hw), append(x.records, n.Records())
	}
	if stepped {
		if x.machine, err = New(inside); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// String describes the command, and the packet of a BOTF.
func (a act) String() string {
	c, _ := dimmnet2.ParseCommand(append(slices.Clone(a.command), make([]byte, 8)...)[:max(len(a.command), 8)])
	s := fmt.Sprintf("rank %d: %+v", a.rank, c)
	if last := len(a.stores) - 1; c.Op == dimmnet2.OpBOTF && last >= 0 {
		p, ok := dimmnet2.ParsePacket(a.stores[last].b)
		p.Data = p.Data[:min(len(p.Data), 8)]
		s += fmt.Sprintf(" %+v %v", p, ok)
	}
	return s
}

// An act is an action of a process: stores, and then a command.
type act struct {
	rank    int
	stores  []store
	command []byte
}

// A store is one of the host; with an address beyond all resources it is a flush.
type store struct {
	at dimmnet2.Address
	b  []byte
}

// run carries out acts, and returns the result of each store and command.
func (x *implementation) run(t *testing.T, acts []act) (ends []dimmnet2.Reason) {
	t.Helper()
	end := func(err error) {
		var why dimmnet2.Reason
		if err != nil && !errors.As(err, &why) {
			t.Fatal(err)
		}
		ends = append(ends, why)
	}
	var under []Pending
	for _, a := range acts {
		n := x.nics[a.rank]
		for _, s := range a.stores {
			end(n.Store(s.at, s.b))
		}
		if x.machine == nil {
			end(n.Store(dimmnet2.RegIssue.At(n.Process()), a.command))
			continue
		}
		under = append(under, x.machine.Issue(a.rank, a.command))
		ends = append(ends, 0)
	}
	if x.machine == nil {
		return ends
	}
	x.machine.Run()
	i := -1
	for k, a := range acts {
		i += len(a.stores) + 1
		err, done := under[k].Done()
		if !done {
			t.Fatalf("%v is not done", a)
		}
		if err != nil && !errors.As(err, &ends[i]) {
			t.Fatal(err)
		}
	}
	return ends
}

// differ returns a part of the state in which the implementations differ, or "".
func (x *implementation) differ(y *implementation) string {
	for rank := range ranks {
		for _, a := range []fabric.Area{fabric.Device, fabric.Public} {
			if p, q := x.f.Bytes(rank, a), y.f.Bytes(rank, a); !bytes.Equal(p, q) {
				at := 0
				for p[at] == q[at] {
					at++
				}
				return fmt.Sprintf("area %d of rank %d at %d", a, rank, at)
			}
		}
	}
	return ""
}

// TestOneNIC gives the fast path and the stepped model the same commands, valid and hostile, one
// after the other and several at once, and compares registers, windows, memory, rings and counters.
func TestOneNIC(t *testing.T) {
	rounds := 33_000
	if testing.Short() {
		rounds = 3000
	}
	fast, slow := newImplementation(t, false), newImplementation(t, true)
	g := generator{Rand: rand.New(rand.NewPCG(21, 22))}
	met, commands := map[dimmnet2.Reason]int{}, 0
	taken := map[transition]bool{}
	slow.machine.Trace = func(e Event) { taken[transition{e.Module, e.From, e.To}] = true }
	for round := range rounds {
		acts := g.acts()
		commands += len(acts)
		want, got := fast.run(t, acts), slow.run(t, acts)
		if !slices.Equal(want, got) {
			t.Fatalf("round %d: %v\n%v, stepped %v", round, acts, want, got)
		}
		for _, why := range want {
			met[why]++
		}
		if g.IntN(150) == 0 {
			g.read(t, fast, slow)
		}
		if g.IntN(500) == 0 {
			g.regroup(fast, slow)
		}
		if round%50 != 0 && round != rounds-1 {
			continue
		}
		if part := fast.differ(slow); part != "" {
			t.Fatalf("round %d: other %s; %v", round, part, acts)
		}
	}
	if commands < 100_000 && !testing.Short() {
		t.Errorf("only %d commands", commands)
	}
	t.Logf("%d commands: %v", commands, met)
	for way, text := range transitions {
		if !taken[way] && !testing.Short() {
			t.Errorf("%v never went from %v to %v (%s)", way.module, way.from, way.to, text)
		}
	}
	for _, why := range []dimmnet2.Reason{
		0, dimmnet2.NotMapped, dimmnet2.NoHostAccess, dimmnet2.ReadOnly, dimmnet2.Privileged, dimmnet2.WrongWidth, dimmnet2.NotYours, dimmnet2.NoCommand,
		dimmnet2.WrongLength, dimmnet2.BadImage, dimmnet2.OutOfReach, dimmnet2.NoNode, dimmnet2.WrongGroup, dimmnet2.NoOperation, dimmnet2.BadRequest,
		dimmnet2.Outside, dimmnet2.StatusFull, dimmnet2.RingFull,
	} {
		if met[why] < rounds/3000 {
			t.Errorf("%q came up %d times", why, met[why])
		}
	}
}

// A generator makes acts for both implementations.
type generator struct {
	*rand.Rand
	alone bool // one command at a time, which may concern any process
}

// acts returns actions of pairs of processes, which do not affect other pairs.
func (g *generator) acts() (all []act) {
	order := g.Perm(ranks)
	pairs := 1 + g.IntN(3)
	g.alone = pairs == 1 && g.IntN(2) == 0
	for pair := range pairs {
		from, to, turns := order[2*pair], order[2*pair+1], 2 // one for each window
		if g.IntN(8) == 0 {
			to = from
		}
		if g.alone || to == from {
			turns = 1
		}
		for turn := range turns {
			a, read := g.act(from, to, turn)
			if all = append(all, a); read {
				break // the next command must not overtake the answer
			}
		}
	}
	return all
}

// act returns one command of a process that concerns another, and whether it requests remote
// memory. In its second turn a process does not change memory that the first command may still
// read.
func (g *generator) act(from, to, turn int) (a act, read bool) {
	a.rank = from
	process := from % 2
	if turn == 0 && g.IntN(3) == 0 {
		a.stores = append(a.stores, g.mode(process)...)
	}
	if turn == 0 && g.IntN(15) == 0 {
		a.stores = append(a.stores, store{g.address(), g.bytes([]int{8, 8, g.IntN(20)}[g.IntN(3)])})
	}
	if g.IntN(2) == 0 {
		p := g.packet(to)
		window := process*2 + turn
		image := p.Image()
		if len(image) > dimmnet2.WindowBytes {
			image = image[:dimmnet2.WindowBytes]
		}
		c := dimmnet2.Command{Op: dimmnet2.OpBOTF, Window: window, Lines: (len(image) + 7) / 8}
		g.spoil(&c, image)
		a.stores = append(a.stores, store{dimmnet2.WriteWindow(window), image})
		a.command = c.Bytes()
		return a, p.Op == dimmnet2.PacketRead
	}
	c := dimmnet2.Command{
		Op: dimmnet2.OpWrite + dimmnet2.Op(g.IntN(7)), Pattern: dimmnet2.Pattern(g.IntN(3)), Node: to / 2, Process: to % 2, Flags: uint8(g.IntN(2)),
		Length: g.length(), Local: g.dimm(from), Remote: g.dimm(to),
	}
	c.Window = process*2 + turn
	switch c.Op {
	case dimmnet2.OpRead, dimmnet2.OpRemoteRead:
		c.Window = process*4 + g.IntN(4)
	case dimmnet2.OpSend:
		c.Remote = uint32(g.IntN(2100))
	}
	if (c.Op == dimmnet2.OpPush || c.Op == dimmnet2.OpPull) && to != from { // within one process the parts may overlap
		c.Length = []int{c.Length, g.IntN(module/8) * 8, 8 * g.IntN(600)}[g.IntN(3)]
	}
	if c.Pattern == dimmnet2.List && g.IntN(20) > 0 {
		c.Length = g.IntN(dimmnet2.ListElements+1) * 4 &^ 7
	}
	g.spoil(&c, nil)
	if a.command = c.Bytes(); g.IntN(100) == 0 {
		a.command = a.command[:8]
	}
	return a, c.Op == dimmnet2.OpRemoteRead || c.Op == dimmnet2.OpPull
}

// spoil turns a few commands into ones that no correct process issues.
func (g *generator) spoil(c *dimmnet2.Command, image []byte) {
	switch g.IntN(80) {
	case 0:
		c.Op = dimmnet2.Op([]int{0, 9 + g.IntN(247)}[g.IntN(2)])
	case 1:
		if g.alone {
			c.Window = g.IntN(16)
		}
	case 2:
		c.Lines = g.IntN(256)
	case 3:
		c.Node = ranks + g.IntN(4000)
	case 4:
		c.Process = 2 + g.IntN(14)
	case 5:
		c.Length = g.IntN(1<<24) | dimmnet2.WindowBytes*module
	case 6:
		c.Pattern = dimmnet2.Pattern(g.IntN(16))
	case 7, 8, 9, 10, 11, 12:
		if at := g.IntN(24); at < len(image) && (g.alone || at != 4 && at != 5) {
			image[at] ^= 1 << g.IntN(8)
		}
	case 13:
		c.Length++
	}
}

// mode returns stores into mode registers, and into the list.
func (g *generator) mode(process int) (all []store) {
	at := uint64(g.IntN(dimmnet2.BuffersEnd-500)&^7) | dimmnet2.ListInLLCM
	if g.IntN(3) == 0 {
		at = uint64(process*dimmnet2.ModuleBytes + g.IntN(module)&^7)
	}
	if g.IntN(40) == 0 {
		at = g.Uint64()
	}
	list := make([]byte, 0, 4*dimmnet2.ListElements)
	for range dimmnet2.ListElements {
		list = binary.LittleEndian.AppendUint32(list, uint32(g.IntN(2)*dimmnet2.ModuleBytes+g.IntN(module-8)))
	}
	if g.IntN(3) > 0 { // all elements belong to one process
		for i := 3; i < len(list); i += 4 {
			list[i] = byte(process) << 4
		}
	}
	all = append(all,
		store{dimmnet2.RegStride.At(process), word([]uint64{8, 12, 24, 100, uint64(g.IntN(1 << 20)), 1 << 33}[g.IntN(6)])},
		store{dimmnet2.RegElement.At(process), word([]uint64{4, 8, 8, 4, 5}[g.IntN(5)])},
		store{dimmnet2.RegList.At(process), word(at)},
	)
	if at&dimmnet2.ListInLLCM != 0 && at&^uint64(dimmnet2.ListInLLCM) >= dimmnet2.BuffersAt && at&^uint64(dimmnet2.ListInLLCM) < dimmnet2.BuffersEnd-500 {
		all = append(all, store{dimmnet2.LLCM(process, uint32(at)), list})
	}
	return all
}

func (g *generator) packet(to int) dimmnet2.Packet {
	p := dimmnet2.Packet{
		Op: dimmnet2.PacketOp(1 + g.IntN(4)), Memory: dimmnet2.Memory(g.IntN(3)), Quiet: g.IntN(4) == 0, Node: to / 2, Process: to % 2,
		Group: uint16(g.Uint32()), From: g.IntN(4096), Tag: uint16(g.Uint32()), Data: g.bytes(g.length()),
	}
	switch p.Memory {
	case dimmnet2.InPW:
		p.Address = uint32(g.IntN(4)*dimmnet2.WindowBytes + g.IntN(40)*g.IntN(2))
	case dimmnet2.InDIMM:
		p.Address = g.dimm(to)
	case dimmnet2.InLLCM:
		p.Address = uint32(dimmnet2.BuffersAt + g.IntN(dimmnet2.BuffersEnd-dimmnet2.BuffersAt))
	}
	if g.IntN(60) == 0 {
		p.Address = g.Uint32() >> g.IntN(32)
	}
	if !p.Op.Third() {
		return p
	}
	p.Request = dimmnet2.Request{
		Length: g.length(), Pattern: dimmnet2.Pattern(g.IntN(3)), Element: []int{4, 8}[g.IntN(2)], Memory: dimmnet2.Memory(g.IntN(3)),
		Reply: uint32(g.IntN(4) * dimmnet2.WindowBytes),
	}
	if g.IntN(3) > 0 {
		p.Memory, p.Address = dimmnet2.InDIMM, g.dimm(to)
	}
	p.Data = nil
	switch p.Request.Pattern {
	case dimmnet2.Strided:
		p.Data = word(uint64(g.IntN(60)))
	case dimmnet2.List:
		p.Request.Length = g.IntN(100) * p.Request.Element
		for range p.Request.Length / p.Request.Element {
			p.Data = binary.LittleEndian.AppendUint32(p.Data, g.dimm(to))
		}
	}
	if p.Op == dimmnet2.PacketScatter {
		p.Request.Length = min(p.Request.Length, 40*p.Request.Element) // the image fits a window
		if p.Request.Pattern == dimmnet2.List {
			p.Data = p.Data[:4*(p.Request.Length/p.Request.Element)]
		}
		p.Data = append(p.Data, g.bytes(p.Request.Length)...)
	}
	if g.IntN(30) == 0 {
		p.Data = g.bytes(g.IntN(30))
	}
	return p
}

// length returns the length of a packet or command.
func (g *generator) length() int {
	return []int{8 * g.IntN(8), 8 * g.IntN(62), g.IntN(496), 496, 8 * g.IntN(66), 24 + g.IntN(100)}[g.IntN(6)]
}

// dimm returns an address that mostly belongs to a process.
func (g *generator) dimm(rank int) uint32 {
	if g.IntN(60) == 0 {
		return g.Uint32() >> g.IntN(32)
	}
	return uint32(rank%2*dimmnet2.ModuleBytes + g.IntN(module*9/10))
}

func (g *generator) bytes(n int) []byte {
	b, x := make([]byte, n), g.Uint32()
	for i := range b {
		b[i] = byte(x) + byte(i*7)
	}
	return b
}

func (g *generator) address() dimmnet2.Address {
	switch g.IntN(6) {
	case 0:
		return dimmnet2.SODIMM(g.Uint32() >> 4)
	case 1:
		return dimmnet2.PrefetchWindow(g.IntN(8))
	case 2:
		return dimmnet2.Register(g.IntN(10) * 16).At(g.IntN(2))
	case 3:
		return dimmnet2.LLCM(g.IntN(2), uint32(dimmnet2.BuffersAt+g.IntN(1000)))
	case 4:
		return dimmnet2.WriteWindow(g.IntN(4)) + dimmnet2.Address(g.IntN(520))
	}
	return dimmnet2.Address(g.Uint32())
}

func word(w uint64) []byte { return binary.LittleEndian.AppendUint64(nil, w) }

// regroup gives a process another PGID, or the common one, in both implementations.
func (g *generator) regroup(implementations ...*implementation) {
	rank, group := g.IntN(ranks), uint16(77+g.IntN(2)*g.IntN(2))
	for _, x := range implementations {
		x.boss.Group(rank, group)
	}
}

// read takes status entries and records, and loads windows, in both implementations.
func (g *generator) read(t *testing.T, implementations ...*implementation) {
	t.Helper()
	rank, entries, records := g.IntN(ranks), g.IntN(80), g.IntN(30)
	at, n := dimmnet2.PrefetchWindow(g.IntN(8))+dimmnet2.Address(g.IntN(100)), g.IntN(520)
	flush := g.IntN(2) == 0
	var seen []string
	for _, x := range implementations {
		var s string
		for range entries {
			e, ok := x.nics[rank].Poll()
			s += fmt.Sprint(e, ok)
		}
		for range records {
			var p ring.Packet
			ok, err := x.records[rank].Poll(&p)
			if s += fmt.Sprint(p.Head, p.Peer, p.Data, ok, err); ok {
				x.records[rank].Consume()
			}
		}
		if flush {
			s += fmt.Sprint(x.nics[rank].Flush(at, n))
		}
		b := make([]byte, n)
		s += fmt.Sprint(x.nics[rank].Load(at, b), b, x.nics[rank].Cached())
		seen = append(seen, s)
	}
	if seen[0] != seen[1] {
		t.Fatalf("rank %d reads\n%s\nstepped\n%s", rank, seen[0], seen[1])
	}
}
