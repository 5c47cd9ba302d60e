package tofu

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
)

const bootstrapBytes = 64 << 10

// open returns the NICs of a job of goroutines.
func open(t testing.TB, ranks int) []*NIC {
	t.Helper()
	_, all := fabrictest.Heap(t, ranks, Geometry(fabric.Small(), bootstrapBytes), nil, opener(Options{}))
	return all
}

// mapped returns the NICs of a job of processes.
func mapped(t testing.TB, ranks int, o Options) []*NIC {
	t.Helper()
	return fabrictest.Mapped(t, ranks, Geometry(fabric.Default(), bootstrapBytes), func(f *fabric.Fabric) error { _, err := Manage(f); return err }, opener(o))
}

func opener(o Options) func(f *fabric.Fabric, rank int) (*NIC, error) {
	return func(f *fabric.Fabric, rank int) (*NIC, error) { return Open(f, rank, o) }
}

// pattern returns n bytes that differ from place to place.
func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7) + byte(i>>8) + seed
	}
	return b
}

func post(t testing.TB, p *Port, o Order) uint64 {
	t.Helper()
	seen, err := p.Post(&o)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func register1(t testing.TB, n *NIC, b []byte, rights Right) Tag {
	t.Helper()
	tag, err := n.Register(b, rights)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

// TestOrders carries out each command, in memory of a process and of the job, between
// goroutines and between mappings.
func TestOrders(t *testing.T) {
	for name, open := range map[string]func() []*NIC{
		"goroutines": func() []*NIC { return open(t, 3) },
		"processes":  func() []*NIC { return mapped(t, 3, Options{}) },
	} {
		n := open()
		if !n[0].Remote() {
			continue
		}
		for size := range []int{0, 1, 7, 8, 64, 65, 5000, 300_000} {
			mem := make([]byte, size+16)
			tag := register1(t, n[1], mem, MayPut|MayGet)
			out, in := pattern(size, 3), make([]byte, size)
			post(t, n[0].Port(0), Order{Command: Put, Node: 1, Tag: tag, Offset: 9, Local: out})
			if want := append(append(make([]byte, 9), out...), make([]byte, 7)...); !bytes.Equal(mem, want) {
				t.Errorf("%s: put of %d bytes", name, size)
			}
			post(t, n[2].Port(3), Order{Command: Get, Node: 1, Tag: tag, Offset: 9, Local: in})
			if !bytes.Equal(in, out) {
				t.Errorf("%s: get of %d bytes", name, size)
			}
			if err := n[1].Withdraw(tag); err != nil {
				t.Error(err)
			}
		}
		post(t, n[0].Port(1), Order{Command: Direct, Node: 2, Tag: TagBootstrap, Offset: 100, Local: []byte("few")})
		if got := n[2].Bootstrap()[100:103]; string(got) != "few" {
			t.Errorf("%s: %q", name, got)
		}
		for i, want := range []uint64{0, 7, 8} {
			if seen := post(t, n[i].Port(2), Order{Command: Swap, Node: 1, Tag: TagControl, Offset: 16, Old: uint64(i * 7), New: 7 + uint64(i)}); seen != want {
				t.Errorf("%s: swap %d saw %d", name, i, seen)
			}
		}
		if w := n[0].f.Words(1, fabric.Control)[2]; w != 8 {
			t.Errorf("%s: the word is %d", name, w)
		}
	}
}

// TestNotices: each put that requests a notice gets one, in order, with its source, its target, and
// its immediate words.
func TestNotices(t *testing.T) {
	n := open(t, 3)
	r := n[2].Notices()
	for i := range 3 * n[0].f.Geometry().Shared.Lines {
		from := i % 2
		o := Order{Command: Put, Node: 2, Tag: TagBootstrap, Offset: uint64(i % 1000), Local: pattern(i%70, byte(i)), Notify: true,
			Immediate: [3]uint64{uint64(i) << 32, 5 << 32, uint64(i)}}
		if len(o.Local) <= DirectBytes && i%3 == 0 {
			o.Command = Direct
		}
		post(t, n[from].Port(i%InjectionPorts), o)
		var p ring.Packet
		if ok, err := r.Poll(&p); !ok || err != nil {
			t.Fatalf("notice %d: %v, %v", i, ok, err)
		}
		got, ok := ReadNotice(p.Data)
		if !ok || got != (Notice{TagBootstrap, o.Offset, uint64(len(o.Local))}) || p.Peer != from || p.Head[0]>>32 != uint64(i) || p.Head[1]>>32 != 5 || p.Head[2] != uint64(i) {
			t.Fatalf("notice %d: %+v, %+v", i, got, p)
		}
		if !bytes.Equal(n[2].Bootstrap()[o.Offset:][:len(o.Local)], o.Local) {
			t.Fatalf("notice %d came before its bytes", i)
		}
		r.Consume()
	}
	if lines := n[0].Noticed(2).Lines; lines != uint64(3*n[0].f.Geometry().Shared.Lines+1)/2 {
		t.Errorf("%d notices counted", lines)
	}
	text := (&Notice{TagRings, 1, 2}).text()
	for i := range text {
		text[i] ^= 0x10
		if _, ok := ReadNotice(text[:]); ok {
			t.Errorf("byte %d was overwritten", i)
		}
		text[i] ^= 0x10
	}
	for _, text := range [][]byte{nil, text[1:], make([]byte, noticeBytes+1), make([]byte, noticeBytes)} {
		if _, ok := ReadNotice(text); ok {
			t.Error("read what is no notice")
		}
	}
}

// TestCompletions: a port reports the results of its latest orders.
func TestCompletions(t *testing.T) {
	n := open(t, 2)
	p := n[0].Port(2)
	for i := range uint64(3 * Completions) {
		o := Order{Command: Put, Node: 1, Tag: TagBootstrap, Offset: i}
		if i%3 == 0 {
			o.Tag = 0
		}
		_, err := p.Post(&o)
		if (err != nil) != (i%3 == 0) || p.Completed() != i+1 {
			t.Fatalf("order %d: %v, %d completed", i, err, p.Completed())
		}
	}
	for i := range uint64(3*Completions + 2) {
		end, ok := p.Completion(i)
		if ok != (i > 2*Completions && i <= 3*Completions) || ok && errors.Is(end, NoTag) != (i%3 == 1) || ok && (end == nil) != (i%3 != 1) {
			t.Errorf("completion %d: %v, %v", i, end, ok)
		}
	}
	if n[0].Port(1).Completed() != 0 {
		t.Error("another port has completions")
	}
}

// TestWays: a transfer over a way has the same result as an order, and an invalid one is refused
// for the same reason.
func TestWays(t *testing.T) {
	n := open(t, 2)
	w, err := n[0].Port(0).Way(1, TagRings)
	if err != nil {
		t.Fatal(err)
	}
	mem := n[1].Rings()
	l := ring.Line{1, 2, 3, 4, 5, 6, 7, 8}
	b := pattern(3*PacketBytes, 1)
	if err := errors.Join(w.Line(3, &l), w.Put(1<<10, b)); err != nil {
		t.Fatal(err)
	}
	if got := fabric.LinesOf(mem)[3]; got != l || !bytes.Equal(mem[1<<10:][:len(b)], b) {
		t.Error("the bytes are not there")
	}
	if v, err := w.Get(3*64 + 16); v != 3 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	w.Prefetch(0)
	w.Prefetch(uint64(len(mem)) / 64) // beyond the memory: does nothing
	end := uint64(len(mem))
	for name, err := range map[string]error{
		"line": w.Line(end/64, &l), "far line": w.Line(1<<60, &l), "put": w.Put(end-1, b[:2]), "wrap": w.Put(1<<64-1, b[:2]),
		"get": second(w.Get(end)), "far get": second(w.Get(1<<64 - 8)),
	} {
		if !errors.Is(err, Beyond) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if v, err := w.Get(3*64 + 20); err != nil || v != 4<<32|3>>32 {
		t.Errorf("a word that is not aligned: %#x, %v", v, err)
	}
	if n[0].Port(0).Completed() != 10 {
		t.Errorf("%d orders", n[0].Port(0).Completed())
	}
	for name, tag := range map[string]Tag{"no rights": TagControl, "no tag": Tag(9), "process memory": register1(t, n[1], make([]byte, 64), MayPut|MayGet)} {
		if _, err := n[0].Port(0).Way(1, tag); err == nil {
			t.Errorf("%s: a way", name)
		}
	}
	if err := n[0].Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{w.Line(0, &l), w.Put(0, b), second(w.Get(0)), second(n[0].Port(0).Way(1, TagRings))} {
		if !errors.Is(err, Closed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestFlagWriter: a node's flags are raised by its own NIC and seen by all nodes.
func TestFlagWriter(t *testing.T) {
	n := open(t, 2)
	p, err := n[0].Port(0).FlagWriter()
	if err == nil {
		err = p.Raise(1, 5, 9, []byte("flag"))
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Prefetch(1, 6, 8)
	into := make([]byte, 4)
	if mark, up := n[1].f.Raised(n[1].f.Flags(), 1, 0, 5, into); !up || mark != 9 || string(into) != "flag" || p.Audit() != nil {
		t.Errorf("%v, %d, %q", up, mark, into)
	}
	n[0].f.Flags()[fabric.FlagFront*(1*2*fabric.FlagLines+fabric.FlagPlace(5)*2)][3]++
	if err := p.Audit(); !errors.Is(err, fabric.ErrFlag) {
		t.Errorf("an overwritten flag: %v", err)
	}
	if err := p.Raise(-1, 5, 0, nil); !errors.Is(err, Beyond) {
		t.Errorf("no such flag array: %v", err)
	}
	_ = n[0].Close()
	if err := p.Raise(1, 6, 0, nil); !errors.Is(err, Closed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := n[0].Port(0).FlagWriter(); !errors.Is(err, Closed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestClose: tags of the process are withdrawn, those of the job stay.
func TestClose(t *testing.T) {
	n := open(t, 2)
	mem := make([]byte, 64)
	tag := register1(t, n[1], mem, MayPut|MayGet)
	if err := n[1].Close(); err != nil {
		t.Fatal(err)
	}
	if err := n[1].Close(); err == nil {
		t.Error("closed twice")
	}
	if _, err := n[0].Port(0).Post(&Order{Command: Put, Node: 1, Tag: tag, Local: mem[:8]}); !errors.Is(err, Stale) {
		t.Errorf("to a process that has gone: %v", err)
	}
	post(t, n[0].Port(0), Order{Command: Put, Node: 1, Tag: TagBootstrap, Local: mem[:8], Notify: true})
	if n[1].Bootstrap() != nil || n[1].Rings() != nil || n[1].Notices() != nil {
		t.Error("memory after Close")
	}
	if _, err := n[1].Register(mem, MayPut); !errors.Is(err, Closed) {
		t.Errorf("registered after Close: %v", err)
	}
	if _, err := n[1].Port(0).Post(&Order{Command: Put, Node: 0, Tag: TagBootstrap}); !errors.Is(err, Closed) {
		t.Errorf("order after Close: %v", err)
	}
}

// TestManager: a job has one manager, made before any process runs.
func TestManager(t *testing.T) {
	f, err := fabric.Heap(2, Geometry(fabric.Small(), 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(f); err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(f); !errors.Is(err, ErrManaged) {
		t.Errorf("two managers: %v", err)
	}
	if n, err := Open(f, 1, Options{}); err != nil || n.Rank() != 1 {
		t.Fatal(err)
	}
	if _, err := Manage(f); !errors.Is(err, ErrManaged) || !strings.Contains(err.Error(), "rank 1 runs") {
		t.Errorf("a manager while processes run: %v", err)
	}
	if _, err := Open(f, 1, Options{}); err == nil {
		t.Error("opened twice")
	}
	small, err := fabric.Heap(2, fabric.Geometry{Rings: 1, Ring: fabric.Small().Ring, Shared: fabric.Small().Shared})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(small); err == nil || !strings.Contains(err.Error(), "NIC memory") {
		t.Errorf("managed without room: %v", err)
	}
	if _, err := Open(small, 0, Options{}); err == nil {
		t.Error("opened without room")
	}
}

// TestProcessesNeedAManager: a process of a job cannot make itself the manager.
func TestProcessesNeedAManager(t *testing.T) {
	if _, err := Open(fabrictest.Views(t, 1, Geometry(fabric.Default(), 0))(), 0, Options{}); err == nil || !strings.Contains(err.Error(), "no manager") {
		t.Error(err)
	}
}

// TestOrdersDoNotAllocate checks orders and ways.
func TestOrdersDoNotAllocate(t *testing.T) {
	n := open(t, 2)
	p, r := n[0].Port(0), n[1].Notices()
	w, err := p.Way(1, TagRings)
	if err != nil {
		t.Fatal(err)
	}
	var l ring.Line
	var in ring.Packet
	b := make([]byte, 200)
	put := Order{Command: Put, Node: 1, Tag: TagBootstrap, Local: b, Notify: true}
	get := Order{Command: Get, Node: 1, Tag: TagBootstrap, Local: b}
	swap := Order{Command: Swap, Node: 1, Tag: TagControl}
	if used := testing.AllocsPerRun(100, func() {
		for _, o := range []*Order{&put, &get, &swap} {
			if _, err := p.Post(o); err != nil {
				t.Fatal(err)
			}
		}
		if ok, _ := r.Poll(&in); !ok {
			t.Fatal("no notice")
		}
		r.Consume()
		if w.Line(1, &l) != nil || w.Put(0, b) != nil {
			t.Fatal("refused")
		}
		if _, err := w.Get(0); err != nil {
			t.Fatal(err)
		}
	}); used != 0 {
		t.Errorf("%v allocations", used)
	}
}
