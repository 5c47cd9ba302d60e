package dimmnet2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
)

const module = 2 * fabric.PageBytes

// open returns the NICs of a job of goroutines, and its manager.
func open(t testing.TB, ranks int) (boss *Manager, all []*NIC) {
	t.Helper()
	g := fabric.Small()
	g.Rings, g.Device, g.FlagArrays = 1, 0, 1
	_, all = fabrictest.Heap(t, ranks, Geometry(g, module), func(f *fabric.Fabric) (err error) { boss, err = Manage(f); return err }, Open)
	return boss, all
}

// mapped returns the NICs of a job of processes.
func mapped(t testing.TB, ranks int) []*NIC {
	t.Helper()
	return fabrictest.Mapped(t, ranks, Geometry(fabric.Default(), module), func(f *fabric.Fabric) error { _, err := Manage(f); return err }, Open)
}

// testSend writes a packet into the first Write Window of the process, and issues the BOTF.
func (n *NIC) testSend(p *Packet) error {
	image := p.Image()
	if err := n.Store(n.WriteWindow(0), image); err != nil {
		return err
	}
	return n.Issue(&Command{Op: OpBOTF, Window: n.Process() * ownWrite, Lines: (len(image) + 7) / 8})
}

// TestPath: data moves from a Write Window through SO-DIMM of this process and of another one, and
// back into a Prefetch Window, with a status for each reception.
func TestPath(t *testing.T) {
	_, goroutines := open(t, 4)
	for name, n := range map[string][]*NIC{"goroutines": goroutines, "processes": mapped(t, 4)} {
		a, b := n[0], n[3]
		text := bytes.Repeat([]byte("0123456789abcdef"), 32)
		base, size := b.Base()
		if base != ModuleBytes || size < module {
			t.Errorf("%s: process 1 has %d bytes from %#x on", name, size, base)
		}
		for _, step := range []error{
			a.Store(a.WriteWindow(0), text),
			a.Issue(&Command{Op: OpWrite, Window: 0, Length: 512, Local: 128}),
			a.Issue(&Command{Op: OpPush, Node: 1, Process: 1, Length: 512, Local: 128, Remote: base}),
			a.Issue(&Command{Op: OpSend, Node: 1, Process: 1, Length: 100, Local: 128, Remote: WindowBytes}),
			a.Issue(&Command{Op: OpPull, Node: 1, Process: 1, Length: 300, Local: 4096, Remote: base + 1, Flags: Quiet}),
			a.Issue(&Command{Op: OpRead, Window: 1, Length: 300, Local: 4096}),
			a.Issue(&Command{Op: OpRemoteRead, Window: 2, Node: 1, Process: 1, Length: 16, Remote: base}),
		} {
			if step != nil {
				t.Fatalf("%s: %v", name, step)
			}
		}
		pulled, read, sent := make([]byte, 300), make([]byte, 16), make([]byte, 100)
		for _, err := range []error{a.Load(a.PrefetchWindow(1), pulled), a.Load(a.PrefetchWindow(2), read), b.Load(b.PrefetchWindow(1), sent)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(pulled, text[1:301]) || !bytes.Equal(read, text[:16]) || !bytes.Equal(sent, text[:100]) {
			t.Errorf("%s: %q, %q, %q", name, pulled, read, sent)
		}
		for _, want := range []Status{{0, 0, 512, InDIMM, base}, {0, 0, 100, InPW, WindowBytes}} {
			if s, ok := b.Poll(); !ok || s != want {
				t.Errorf("%s: status %+v %v, want %+v", name, s, ok, want)
			}
		}
		if s, ok := b.Poll(); ok {
			t.Errorf("%s: status %+v as well", name, s)
		}
		var done [8]byte
		if err := a.Load(RegSent.At(0), done[:]); err != nil || binary.LittleEndian.Uint64(done[:]) != 6 {
			t.Errorf("%s: %d commands done, %v", name, done, err)
		}
	}
}

// TestRegisters: which registers a process may read and write, and with which width.
func TestRegisters(t *testing.T) {
	boss, all := open(t, 2)
	boss.Group(1, 500)
	n := all[1]
	read := func(r Register) uint64 {
		var b [16]byte
		if err := n.Load(r.At(1), b[:]); err != nil {
			t.Fatalf("register %#x: %v", r, err)
		}
		return binary.LittleEndian.Uint64(b[:])
	}
	for r, want := range map[Register]uint64{RegGroup: 500, RegBase: ModuleBytes, RegLimit: uint64(len(n.own.module)), RegElement: 8, RegErrors: 0} {
		if got := read(r); got != want {
			t.Errorf("register %#x: %d, want %d", r, got, want)
		}
	}
	b := func(v uint64, size int) []byte {
		return append(binary.LittleEndian.AppendUint64(nil, v), make([]byte, 8)...)[:size]
	}
	for _, c := range []struct {
		r    Register
		b    []byte
		want error
	}{
		{RegStride, b(100, 8), nil}, {RegStride, b(100, 16), nil}, {RegStride, b(1<<32, 8), WrongLength}, {RegElement, b(4, 8), nil}, {RegElement, b(3, 8), WrongLength},
		{RegList, b(1<<63|5, 8), nil}, {RegSent, b(0, 8), ReadOnly}, {RegErrors, b(0, 8), ReadOnly}, {RegGroup, b(7, 8), Privileged}, {RegLimit, b(7, 8), Privileged},
		{RegBase, b(7, 16), Privileged}, {0xf00, b(7, 8), NotMapped}, {RegStride, b(1, 4), WrongWidth}, {RegStride + 8, b(1, 16), NotMapped}, {RegIssue, b(0, 4), WrongWidth},
	} {
		if err := n.Store(c.r.At(1), c.b); !errors.Is(err, c.want) {
			t.Errorf("store of %d bytes into register %#x: %v, want %v", len(c.b), c.r, err, c.want)
		}
	}
	if err := n.Load(RegSent.At(1), make([]byte, 4)); !errors.Is(err, WrongWidth) {
		t.Error(err)
	}
	if err := n.Load(0xf00+RegIssue.At(1), make([]byte, 8)); !errors.Is(err, NotMapped) {
		t.Error(err)
	}
	if got := read(RegErrors); got != 1<<WrongLength|1<<ReadOnly|1<<Privileged|1<<NotMapped|1<<WrongWidth {
		t.Errorf("errors %b", got)
	}
}

// TestManaged: a job has one manager, and its processes need one.
func TestManaged(t *testing.T) {
	_, all := open(t, 2)
	if _, err := Manage(all[0].f); !errors.Is(err, ErrManaged) {
		t.Error(err)
	}
	alone, err := fabric.Heap(1, Geometry(fabric.Small(), 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(alone, 0); err != nil {
		t.Errorf("goroutines without a manager: %v", err)
	}
	small, err := fabric.Heap(1, fabric.Geometry{Rings: 1, Ring: ring.Layout{Slots: 2, Bytes: 64}, Shared: ring.SharedLayout{Lines: 64}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(small, 0); err == nil || !strings.Contains(err.Error(), "it takes") {
		t.Error(err)
	}
	if _, err := Manage(small); err == nil {
		t.Error("the manager of boards that do not fit")
	}
	if _, err := Open(fabrictest.Views(t, 1, Geometry(fabric.Default(), 0))(), 0); !errors.Is(err, errAbsent) {
		t.Error(err)
	}
}

// TestWay: a transfer over a Way has the same result as a BOTF, and is refused like one.
func TestWay(t *testing.T) {
	boss, n := open(t, 3)
	w, err := n[0].Way(2)
	if err != nil {
		t.Fatal(err)
	}
	line := ring.Line{5, 6, 7}
	w.Prefetch(1)
	w.Prefetch(1 << 60)
	if err := errors.Join(w.Line(1, &line), w.Put(256, []byte("payload"))); err != nil {
		t.Fatal(err)
	}
	if v, err := w.Get(64 + 16); v != 7 || err != nil {
		t.Error(v, err)
	}
	if b := n[2].Buffers(); string(b[256:263]) != "payload" || binary.NativeEndian.Uint64(b[64:]) != 5 {
		t.Errorf("%q", b[:300])
	}
	ok, err := w.IPUSH(&[3]uint64{1 << 32, 0, 9}, make([]byte, RecordBytes))
	var p ring.Packet
	if came, _ := n[2].Records().Poll(&p); !ok || err != nil || !came || p.Peer != 0 || p.Head[2] != 9 || len(p.Data) != RecordBytes {
		t.Error(ok, err, came, p)
	}
	end := uint64(BuffersEnd - BuffersAt)
	refused := func(want Reason) {
		t.Helper()
		for name, err := range map[string]error{"line": w.Line(end/64, &line), "far line": w.Line(1<<62, &line), "put": w.Put(end-1, []byte("ab")), "far put": w.Put(1<<63, nil)} {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
	}
	refused(Outside)
	if _, err := w.Get(9); !errors.Is(err, BadRequest) {
		t.Error(err)
	}
	if _, err := w.IPUSH(&[3]uint64{}, make([]byte, RecordBytes+1)); !errors.Is(err, BadRequest) {
		t.Error(err)
	}
	if _, arrived := n[2].Refused(Outside); arrived != 4 {
		t.Errorf("%d counted", arrived)
	}
	boss.Group(2, 1)
	refused(WrongGroup)
	if err := w.Line(0, &line); !errors.Is(err, WrongGroup) {
		t.Error(err)
	}
	if _, err := n[0].Way(2); !errors.Is(err, WrongGroup) {
		t.Error(err)
	}
	if _, err := n[0].Way(3); !errors.Is(err, NoNode) {
		t.Error(err)
	}
	if err := n[0].Close(); err != nil {
		t.Fatal(err)
	}
	refused(Closed)
	if n[0].Close() == nil || n[0].Records() != nil || n[0].Buffers() != nil {
		t.Error("what a closed NIC gives")
	}
	if _, ok := n[0].Poll(); ok {
		t.Error("a status")
	}
	if _, err := n[0].Way(1); !errors.Is(err, Closed) {
		t.Error(err)
	}
}

// TestFlags: a flag is seen by all, and only the process's own NIC raises it.
func TestFlags(t *testing.T) {
	_, n := open(t, 3)
	p, err := n[1].Flags()
	if err != nil {
		t.Fatal(err)
	}
	p.Prefetch(0, 1, 8)
	if err := p.Raise(0, 1, 7, []byte("flag")); err != nil {
		t.Fatal(err)
	}
	f, got := n[0].f, make([]byte, 4)
	if mark, ok := f.Raised(f.Flags(), 0, 1, 1, got); !ok || mark != 7 || string(got) != "flag" {
		t.Error(mark, ok, got)
	}
	if err := p.Raise(1<<20, 1, 0, nil); !errors.Is(err, Outside) {
		t.Error(err)
	}
	if err := p.Audit(); err != nil {
		t.Error(err)
	}
	f.Flags()[fabric.FlagFront*(3*fabric.FlagPlace(1)+1)][3] ^= 1
	if err := p.Audit(); !errors.Is(err, fabric.ErrFlag) {
		t.Error(err)
	}
	if err := n[1].Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Raise(0, 2, 0, nil); !errors.Is(err, Closed) {
		t.Error(err)
	}
	if _, err := n[1].Flags(); !errors.Is(err, Closed) {
		t.Error(err)
	}
}

// TestNoAllocation: transfers over a Way, and commands, allocate nothing.
func TestNoAllocation(t *testing.T) {
	_, n := open(t, 2)
	w, err := n[0].Way(1)
	if err != nil {
		t.Fatal(err)
	}
	r := n[1].Records()
	line, head, payload := ring.Line{1}, [3]uint64{}, make([]byte, 200)
	var p ring.Packet
	c := (&Command{Op: OpPush, Process: 1, Length: 3000, Remote: ModuleBytes, Flags: Quiet}).Bytes()
	at := RegIssue.At(0)
	if used := testing.AllocsPerRun(100, func() {
		ok, err := w.IPUSH(&head, payload)
		if err := errors.Join(err, w.Line(3, &line), w.Put(0, payload), n[0].Store(at, c)); err != nil || !ok {
			t.Fatal(err)
		}
		if ok, _ := r.Poll(&p); !ok {
			t.Fatal("no record")
		}
		r.Consume()
	}); used != 0 {
		t.Errorf("%v allocations", used)
	}
}

// TestTexts: every reason and command has a text.
func TestTexts(t *testing.T) {
	for r := Closed; r < numReasons; r++ {
		if strings.HasPrefix(r.Error(), "reason ") {
			t.Errorf("reason %d has no text", r)
		}
	}
	if Reason(200).Error() != "reason 200" || Op(200).String() != "no command" || OpBOTF.String() != "BOTF" {
		t.Error("what is none has a text")
	}
	for _, r := range []Refusal{{What: "load", At: 5, Reason: WriteOnly}, {Op: OpPush, Rank: 3, Moved: 8, Reason: Outside}} {
		if s := r.Error(); !strings.Contains(s, r.Reason.Error()) || !errors.Is(&r, r.Reason) {
			t.Error(s)
		}
	}
}
