package stepped

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

const (
	nodes     = 5
	memBytes  = 10_000
	bootstrap = 3 * tofu.PacketBytes
)

// An implementation is the fast path or the stepped model, with its own job.
type implementation struct {
	f       *fabric.Fabric
	nics    []*tofu.NIC
	machine *Machine // nil: the fast path
	mem     [nodes][]byte
	tags    [nodes][]tofu.Tag // all tags registered so far
	queues  [nodes]*ring.SharedReader
}

func newImplementation(t *testing.T, stepped bool) *implementation {
	t.Helper()
	g := fabric.Small()
	g.Shared.Lines, g.Rings = 64, 2
	f, err := fabric.Heap(nodes, tofu.Geometry(g, bootstrap))
	if err != nil {
		t.Fatal(err)
	}
	boss, err := tofu.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	x := &implementation{f: f}
	var all []*tofu.Hardware
	for rank := range nodes {
		n, err := tofu.Open(f, rank, tofu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		hw, err := boss.Hardware(n)
		if err != nil {
			t.Fatal(err)
		}
		x.nics, all = append(x.nics, n), append(all, hw)
		x.mem[rank], x.queues[rank] = make([]byte, memBytes), n.Notices()
	}
	if stepped {
		if x.machine, err = New(all); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// A posting is an order, and the port at which it is posted.
type posting struct {
	rank, port int
	order      tofu.Order
}

// An end is the result of an order.
type end struct {
	seen  uint64
	why   tofu.Reason
	local string
}

// run posts orders at the same time, with fresh copies of their local memory, and returns their
// results.
func (x *implementation) run(t *testing.T, all []posting) (ends []end) {
	t.Helper()
	var under []Pending
	for i := range all {
		o := all[i].order
		o.Local = slices.Clone(o.Local)
		all[i].order = o
		if x.machine != nil {
			under = append(under, x.machine.Post(all[i].rank, all[i].port, o))
			continue
		}
		seen, err := x.nics[all[i].rank].Port(all[i].port).Post(&o)
		e := end{seen: seen, local: string(o.Local)}
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
		seen, err, done := p.Done()
		e := end{seen: seen, local: string(all[i].order.Local)}
		if err != nil && !errors.As(err, &e.why) || !done {
			t.Fatalf("%v, done %v", err, done)
		}
		ends = append(ends, e)
	}
	return ends
}

// register gives part of a node's memory a tag.
func (x *implementation) register(t *testing.T, rank, from, to int, rights tofu.Right) {
	t.Helper()
	tag, err := x.nics[rank].Register(x.mem[rank][from:to], rights)
	if err != nil {
		t.Fatal(err)
	}
	x.tags[rank] = append(x.tags[rank], tag)
}

// differ returns a part of the state in which the implementations differ, or "": it compares
// everything that does not depend on the addresses of the job's memory.
func (x *implementation) differ(y *implementation) string {
	for rank, n := range x.nics {
		other := y.nics[rank]
		for name, parts := range map[string][2][]byte{
			"memory": {x.mem[rank], y.mem[rank]}, "bootstrap area": {n.Bootstrap(), other.Bootstrap()}, "rings": {n.Rings(), other.Rings()},
			"control words": {x.f.Bytes(rank, fabric.Control), y.f.Bytes(rank, fabric.Control)},
			"notices":       {x.f.Bytes(rank, fabric.Shared), y.f.Bytes(rank, fabric.Shared)},
		} {
			if !bytes.Equal(parts[0], parts[1]) {
				return fmt.Sprintf("%s of node %d", name, rank)
			}
		}
		if a, b := counts(n), counts(other); !slices.Equal(a, b) {
			return fmt.Sprintf("counters of node %d: %v, %v", rank, a, b)
		}
	}
	return ""
}

// counts returns the counters and completions of a NIC.
func counts(n *tofu.NIC) (all []uint64) {
	for r := range tofu.Reason(40) {
		own, arrived := n.Refused(r)
		all = append(all, own, arrived)
	}
	for i := range tofu.NetworkPorts {
		all = append(all, n.Sent(i))
	}
	for i := range tofu.InjectionPorts {
		p := n.Port(i)
		all = append(all, p.Completed())
		for c := range min(p.Completed(), tofu.Completions) {
			var why tofu.Reason
			if end, ok := p.Completion(p.Completed() - c); !ok || end != nil && !errors.As(end, &why) {
				why = 99
			}
			all = append(all, uint64(why))
		}
	}
	return all
}

// TestOneNIC gives the fast path and the stepped model the same orders, valid and hostile, one
// after the other and several at once, and compares the whole state after every tenth round.
func TestOneNIC(t *testing.T) {
	rounds := 10_000
	if testing.Short() {
		rounds = 2000
	}
	fast, slow := newImplementation(t, false), newImplementation(t, true)
	rng := rand.New(rand.NewPCG(11, 12))
	g := generator{rng, fast}
	met := map[tofu.Reason]int{}
	for round := range rounds {
		if rng.IntN(30) == 0 {
			g.change(t, fast, slow)
		}
		batch := g.batch()
		want, got := fast.run(t, slices.Clone(batch)), slow.run(t, slices.Clone(batch))
		for i := range batch {
			if want[i] != got[i] {
				t.Fatalf("round %d, %+v: %v, %d; stepped %v, %d", round, batch[i], want[i].why, want[i].seen, got[i].why, got[i].seen)
			}
			met[want[i].why]++
		}
		if rng.IntN(200) == 0 {
			g.read(t, fast, slow)
		}
		if round%10 != 0 && round != rounds-1 {
			continue
		}
		if part := fast.differ(slow); part != "" {
			t.Fatalf("round %d: other %s", round, part)
		}
	}
	for _, why := range []tofu.Reason{0, tofu.NoCommand, tofu.WrongLength, tofu.Misplaced, tofu.NoNode, tofu.NoTag, tofu.Stale, tofu.NoRight, tofu.Beyond, tofu.QueueFull} {
		if met[why] < rounds/2000 {
			t.Errorf("%q came up %d times", why, met[why])
		}
	}
}

// A generator makes orders for both implementations, which have the same tags.
type generator struct {
	*rand.Rand
	of *implementation
}

// change registers or withdraws memory in both implementations.
func (g *generator) change(t *testing.T, implementations ...*implementation) {
	t.Helper()
	rank := g.IntN(nodes)
	from, rights := g.IntN(memBytes), tofu.Right(g.IntN(8))|tofu.Right(g.IntN(2))*3
	to := from + g.IntN(memBytes-from+1)
	if old := g.of.tags[rank]; len(old) > 3 {
		tag := old[g.IntN(len(old))]
		var ends []string
		for _, x := range implementations {
			ends = append(ends, fmt.Sprint(x.nics[rank].Withdraw(tag)))
		}
		if ends[0] != ends[1] {
			t.Fatalf("withdrawn: %v", ends)
		}
	}
	for _, x := range implementations {
		x.register(t, rank, from, to, rights)
	}
	if a, b := implementations[0].tags[rank], implementations[1].tags[rank]; !slices.Equal(a, b) {
		t.Fatalf("tags %v, %v", a, b)
	}
}

// read takes notices from the queues of both.
func (g *generator) read(t *testing.T, implementations ...*implementation) {
	t.Helper()
	rank, most := g.IntN(nodes), g.IntN(80)
	for range most {
		var got [2]ring.Packet
		var ok [2]bool
		for i, x := range implementations {
			var err error
			if ok[i], err = x.queues[rank].Poll(&got[i]); err != nil {
				t.Fatal(err)
			}
		}
		if ok[0] != ok[1] || ok[0] && (got[0].Head != got[1].Head || got[0].Peer != got[1].Peer || !bytes.Equal(got[0].Data, got[1].Data)) {
			t.Fatalf("notices %+v, %+v", got[0], got[1])
		}
		if !ok[0] {
			return
		}
		for _, x := range implementations {
			x.queues[rank].Consume()
		}
	}
}

// batch returns orders to different nodes, whose results do not depend on their order.
func (g *generator) batch() (all []posting) {
	for _, target := range g.Perm(nodes)[:1+g.IntN(3)] {
		all = append(all, g.posting(target))
	}
	return all
}

func (g *generator) posting(target int) posting {
	o := tofu.Order{Command: tofu.Command(1 + g.IntN(4)), Node: target, Notify: g.IntN(2) == 0, Old: uint64(g.IntN(3)), New: uint64(g.IntN(3))}
	if o.Notify && g.IntN(20) > 0 {
		o.Command = tofu.Put + 2*tofu.Command(g.IntN(2))
	}
	o.Immediate = [3]uint64{g.Uint64() << 32, g.Uint64() << 32, g.Uint64()}
	limit := []int{9, tofu.DirectBytes + 1, tofu.PacketBytes + 2, memBytes}[g.IntN(4)]
	if o.Command == tofu.Direct && g.IntN(10) > 0 {
		limit = tofu.DirectBytes + 1
	}
	o.Local = make([]byte, g.IntN(limit))
	for i, x := 0, g.Uint32(); i < len(o.Local); i++ {
		o.Local[i] = byte(x) + byte(i*7)
	}
	o.Tag, o.Offset = g.tag(target), g.offset(uint64(len(o.Local)))
	if o.Command == tofu.Swap {
		o.Local, o.Offset = nil, o.Offset&^7
		if o.Tag != tofu.TagBootstrap && g.IntN(3) > 0 {
			o.Tag, o.Offset = tofu.TagControl, uint64(g.IntN(70))*8
		}
	}
	g.spoil(&o)
	return posting{g.IntN(nodes), g.IntN(tofu.InjectionPorts), o}
}

// spoil turns a few orders into ones that no correct process posts.
func (g *generator) spoil(o *tofu.Order) {
	switch g.IntN(60) {
	case 0:
		o.Command = tofu.Command(g.IntN(10))
	case 1:
		o.Node = []int{-1, nodes, math.MaxInt, math.MinInt}[g.IntN(4)]
	case 2:
		o.Offset += uint64(g.IntN(8))
	case 3:
		o.Offset = -o.Offset
	case 4:
		o.Tag += 1 << 32
	}
}

func (g *generator) tag(target int) tofu.Tag {
	if tags := g.of.tags[target]; len(tags) > 0 && g.IntN(3) > 0 {
		return tags[max(0, len(tags)-1-g.IntN(6))]
	}
	static := []tofu.Tag{tofu.TagBootstrap, tofu.TagBootstrap, tofu.TagBootstrap, tofu.TagRings, tofu.TagRings, tofu.TagControl, tofu.TagFlagArrays, 0, 1<<32 | 9, 1<<32 | 5000}
	return static[g.IntN(len(static))]
}

func (g *generator) offset(n uint64) uint64 {
	switch g.IntN(6) {
	case 0:
		return g.Uint64() >> g.IntN(64)
	case 1:
		return uint64(g.IntN(memBytes))
	}
	return uint64(g.IntN(bootstrap/2)) / (1 + n/100)
}
