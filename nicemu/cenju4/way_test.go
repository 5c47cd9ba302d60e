package cenju4

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
)

// TestSupervisor: parcels of the OS have physical addresses, those of tasks do not.
func TestSupervisor(t *testing.T) {
	var boss *Manager
	f, n := fabrictest.Heap(t, 2, Geometry(fabric.Small(), bootstrapBytes), func(f *fabric.Fabric) (err error) { boss, err = Manage(f); return err }, opener(Options{}))
	from, _ := f.Span(0, fabric.Rings)
	to, _ := f.Span(1, fabric.Rings)
	copy(n[0].Rings(), "physical")
	p := Parcel{Protocol: RemoteDMA, Flags: Supervisor, Dest: 1, Length: 8, Words: [3]uint64{from, to}}
	if err := n[0].Post(&p, nil); !errors.Is(err, Privileged) {
		t.Error(err)
	}
	if err := boss.Post(n[0], &p); err != nil || string(n[1].Rings()[:8]) != "physical" {
		t.Error(err)
	}
	p.Words[1] = 1 << 37
	if err := boss.Post(n[0], &p); !errors.Is(err, NoPage) {
		t.Error(err)
	}
	for _, other := range []*NIC{nil, open(t, 1)[0]} {
		if err := boss.Post(other, &p); err == nil {
			t.Error("a NIC of another job")
		}
		if _, err := boss.Hardware(other); err == nil {
			t.Error("the inside of a NIC of another job")
		}
	}
}

// TestWays: a transfer over a way has the same result as a parcel, and an invalid one is refused
// for the same reason.
func TestWays(t *testing.T) {
	n := open(t, 2)
	w, err := n[0].Way(1, RingsAt)
	if err != nil {
		t.Fatal(err)
	}
	mem := n[1].Rings()
	l := ring.Line{1, 2, 3, 4, 5, 6, 7, 8}
	b := pattern(3*MaxPacket, 1)
	if err := errors.Join(w.Line(3, &l), w.Put(1<<10, b)); err != nil {
		t.Fatal(err)
	}
	if got := fabric.LinesOf(mem)[3]; got != l || !bytes.Equal(mem[1<<10:][:len(b)], b) {
		t.Error("the bytes are not there")
	}
	if v, err := w.Get(3*64 + 16); v != 3 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	if n[0].Sent(Parcels) != 3 || n[0].Sent(Packets) != 5 || n[0].Sent(Coherent) != 7 || n[1].Sent(Parcels) != 1 {
		t.Errorf("%d parcels, %d packets, %d requests, %d answers", n[0].Sent(Parcels), n[0].Sent(Packets), n[0].Sent(Coherent), n[1].Sent(Parcels))
	}
	w.Prefetch(0)
	w.Prefetch(uint64(len(mem)) / 64) // beyond the memory: does nothing
	end := uint64(len(mem))
	for name, err := range map[string]error{
		"line": w.Line(end/64, &l), "far line": w.Line(1<<60, &l), "put": w.Put(end-1, b[:2]), "wrap": w.Put(1<<64-1, b[:2]),
		"get": second(w.Get(end)), "far get": second(w.Get(1<<64 - 8)),
	} {
		if !errors.Is(err, Beyond) && !errors.Is(err, NoSegment) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if v, err := w.Get(3*64 + 20); err != nil || v != 4<<32|3>>32 {
		t.Errorf("a word that is not aligned: %#x, %v", v, err)
	}
	for area, want := range map[Address]Reason{
		ControlAt: NoRight, 0: NoSegment, RingsAt + 64: Misplaced, mapTo(t, n[1], make([]byte, 64), MayRead|MayWrite): Fault,
	} {
		if _, err := n[0].Way(1, area); !errors.Is(err, want) {
			t.Errorf("%v: %v", area, err)
		}
	}
	for _, dest := range []int{-1, 2, 1 << 16} {
		if _, err := n[0].Way(dest, RingsAt); !errors.Is(err, BeyondTable) {
			t.Error(err)
		}
	}
	if err := n[0].Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{w.Line(0, &l), w.Put(0, b), second(w.Get(0)), second(n[0].Way(1, RingsAt))} {
		if !errors.Is(err, Closed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestFlagWriter: a node's flags are raised by its own NIC and seen by all nodes.
func TestFlagWriter(t *testing.T) {
	n := open(t, 2)
	p, err := n[0].FlagWriter()
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
		t.Errorf("no such array: %v", err)
	}
	seg := n[0].own.segment(Static)
	entry := n[0].own.entry(&seg, areaFlags)
	was := loadPTE(entry)
	storePTE(entry, pte{was.place, 0})
	if err := p.Raise(1, 6, 0, nil); !errors.Is(err, Stale) {
		t.Errorf("without its page: %v", err)
	}
	_ = n[0].Close()
	if err := p.Raise(1, 6, 0, nil); !errors.Is(err, Closed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := n[0].FlagWriter(); !errors.Is(err, Closed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestClose: memory that the process has mapped is unmapped, memory of the job stays.
func TestClose(t *testing.T) {
	n := open(t, 2)
	mem := make([]byte, 64)
	a := mapTo(t, n[1], mem, MayRead|MayWrite)
	if err := n[1].Close(); err != nil {
		t.Fatal(err)
	}
	if err := n[1].Close(); err == nil {
		t.Error("closed twice")
	}
	if err := n[0].Write(1, a, mem[:8]); !errors.Is(err, Stale) {
		t.Errorf("to a process that has gone: %v", err)
	}
	if err := n[0].Write(1, BootstrapAt, mem[:8]); err != nil {
		t.Error(err)
	}
	if n[1].Bootstrap() != nil || n[1].Rings() != nil || n[1].Messages(0) != nil || n[1].Account(0, 0, 0) == n[0].Account(0, 0, 0) {
		t.Error("memory after Close")
	}
	for _, err := range []error{
		second(n[1].Map(mem, 0)), n[1].Write(0, BootstrapAt, mem), second(n[1].RegisterMulticast([]int{0})), second(n[1].RegisterSynchronization([]int{1}, 0)),
	} {
		if !errors.Is(err, Closed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// TestManager: there is one, before any process runs.
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
	if _, err := Open(fabrictest.Views(t, 1, Geometry(fabric.Default(), 0))(), 0, Options{}); err == nil || !strings.Contains(err.Error(), "no manager") {
		t.Errorf("a process of a job without a manager: %v", err)
	}
}

// TestRegister: system calls refuse invalid headers.
func TestRegister(t *testing.T) {
	n := open(t, 3)
	for _, members := range [][]int{nil, {3}, {-1}, {0, 5}} {
		if _, err := n[0].RegisterMulticast(members); !errors.Is(err, NoMember) {
			t.Errorf("multicast to %v: %v", members, err)
		}
	}
	for _, c := range []struct {
		members []int
		sid     int
	}{{nil, 0}, {[]int{1, 2}, 0}, {[]int{0, 1}, -1}, {[]int{0, 1}, Sids}, {[]int{0, 3}, 0}} {
		if _, err := n[0].RegisterSynchronization(c.members, c.sid); !errors.Is(err, NoMember) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for i := range multicastSets {
		if dest, err := n[0].RegisterMulticast([]int{1}); err != nil || int(dest) != i {
			t.Fatal(dest, err)
		}
	}
	if _, err := n[0].RegisterMulticast([]int{1}); !errors.Is(err, TableFull) {
		t.Error(err)
	}
	for i := range syncHeaders {
		if dest, err := n[0].RegisterSynchronization([]int{0}, i%Sids); err != nil || int(dest) != i {
			t.Fatal(dest, err)
		}
	}
	if _, err := n[0].RegisterSynchronization([]int{0}, 0); !errors.Is(err, TableFull) {
		t.Error(err)
	}
	post(t, n[0], Parcel{Type: Synchronization, Dest: 9}, nil) // a single member: its packet comes back at once
	if n[0].Synchronized(9) != 1 {
		t.Error("a synchronization with oneself")
	}
}

// TestParcelsDoNotAllocate checks parcels and ways.
func TestParcelsDoNotAllocate(t *testing.T) {
	n := open(t, 2)
	w, err := n[0].Way(1, RingsAt)
	if err != nil {
		t.Fatal(err)
	}
	r := n[1].Messages(0)
	var l ring.Line
	var in ring.Packet
	b := make([]byte, 200)
	message := Parcel{Protocol: Message0, Dest: 1, Length: 200, Words: [3]uint64{uint64(LentFor(0))}}
	comp := Parcel{Protocol: CompSwap, Dest: 1, Length: 8, Words: [3]uint64{uint64(ControlAt)}}
	if used := testing.AllocsPerRun(100, func() {
		if n[0].Write(1, BootstrapAt, b) != nil || n[0].Read(1, BootstrapAt, b) != nil || n[0].Post(&message, b) != nil || n[0].Post(&comp, nil) != nil {
			t.Fatal("refused")
		}
		if ok, _ := r.Poll(&in); !ok {
			t.Fatal("no message")
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
