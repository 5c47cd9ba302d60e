package martini

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/nicemu/fabric"
)

// testMoves compares random accesses with a plain array.
func testMoves(t *testing.T, n *NIC, r remote) {
	t.Helper()
	implementation, err := r.contents(n)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		a := accesses()[rng.IntN(len(accesses()))]
		off := rng.IntN(r.size + 1)
		size := rng.IntN(r.size - off + 1)
		if a.max != 0 {
			size = min(size, a.max)
		} else if i%2 == 0 {
			size = min(size, 100)
		}
		b := make([]byte, size)
		for j := range b {
			b[j] = byte(rng.Uint32())
		}
		if a.write {
			copy(implementation[off:], b)
		}
		if err := a.do(n, r.node, r.good, uint64(off), b); err != nil {
			t.Fatalf("%s of %d bytes at %d: %v", a.name, size, off, err)
		}
		if !a.write && !bytes.Equal(b, implementation[off:off+size]) {
			t.Fatalf("%s of %d bytes at %d brought others", a.name, size, off)
		}
	}
	if got, err := r.contents(n); err != nil || !bytes.Equal(got, implementation) {
		t.Fatalf("contents differ at the end: %v", err)
	}
}

// testRefusals makes every request that must be refused. stranger is a NIC of another job on the
// same fabric.
func testRefusals(t *testing.T, n, stranger *NIC, r remote) {
	t.Helper()
	before, err := r.contents(n)
	if err != nil {
		t.Fatal(err)
	}
	size := uint64(r.size)
	target := &NIC{f: n.f, rank: r.node, own: nodeOf(n.f, r.node)}
	for _, c := range []struct {
		name   string
		by     *NIC
		node   int
		seg    Segment
		offset uint64
		bytes  int
		want   Reason
		wrote  int // bytes before the first page that is not pinned
		read   int // whole packets before it
	}{
		{"one byte too far", n, r.node, r.good, size, 1, BeyondSegment, 0, 0},
		{"across the end", n, r.node, r.good, size - 8, 9, BeyondSegment, 0, 0},
		{"offset wraps around", n, r.node, r.good, math.MaxUint64 - 3, 8, BeyondSegment, 0, 0},
		{"withdrawn", n, r.node, r.stale, 0, 8, Stale, 0, 0},
		{"not pinned", n, r.node, r.unpinned, 0, 8, NotPinned, 0, 0},
		{"last byte not pinned", n, r.node, r.half, size - 7, 8, NotPinned, 7, 0},
		{"all but the first pages not pinned", n, r.node, r.half, 0, 2 * r.size, NotPinned, r.size, r.size},
		{"last packet not pinned", n, r.node, r.half, size - 3*MaxImage - 5, 4 * MaxImage, NotPinned, 3*MaxImage + 5, 3 * MaxImage},
		{"never registered", n, r.node, makeSegment(Segments-1, 1), 0, 8, NoSegment, 0, 0},
		{"no such SID", n, r.node, makeSegment(Segments, 1), 0, 8, NoSegment, 0, 0},
		{"nothing", n, r.node, 0, 0, 8, NoSegment, 0, 0},
		{"a later generation", n, r.node, r.good + 1<<32, 0, 8, Stale, 0, 0},
		{"no such node", n, n.f.Ranks(), r.good, 0, 8, NoNode, 0, 0},
		{"another job", stranger, r.node, r.good, 0, 8, WrongJob, 0, 0},
	} {
		for _, a := range accesses() {
			if a.max != 0 && c.bytes > a.max {
				continue
			}
			b := bytes.Repeat([]byte{0x5a}, c.bytes)
			mine, _ := c.by.Refused(c.want)
			_, theirs := target.Refused(c.want)
			err := a.do(c.by, c.node, c.seg, c.offset, b)
			var refusal *Refusal
			arrived, here := c.read, bytes.Repeat([]byte{0x5a}, c.bytes)
			if arrived > 0 && !a.write {
				copy(here, before[c.offset:][:arrived])
			}
			if a.write {
				arrived = c.wrote
			}
			if !errors.As(err, &refusal) || !errors.Is(err, c.want) || refusal.Moved != arrived {
				t.Errorf("%s, %s: %v", c.name, a.name, err)
			}
			if !bytes.Equal(b, here) {
				t.Errorf("%s, %s: bytes arrived", c.name, a.name)
			}
			if arrived > 0 && a.write {
				r.restore(t, n, before, c.offset, b[:arrived])
			}
			if now, _ := c.by.Refused(c.want); now != mine+1 {
				t.Errorf("%s, %s: not counted by the issuer", c.name, a.name)
			}
			if _, now := target.Refused(c.want); c.want != NoNode && now != theirs+1 {
				t.Errorf("%s, %s: not counted by the target", c.name, a.name)
			}
		}
	}
	if after, err := r.contents(n); err != nil || !bytes.Equal(after, before) {
		t.Errorf("remote memory changed: %v", err)
	}
}

// restore checks that b has arrived at an offset, and that nothing else has changed, and restores
// the contents.
func (r *remote) restore(t *testing.T, n *NIC, before []byte, offset uint64, b []byte) {
	t.Helper()
	want := bytes.Clone(before)
	copy(want[offset:], b)
	if got, err := r.contents(n); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes at %d: others arrived, %v", len(b), offset, err)
	}
	if err := pushed(n, r.node, r.good, offset, bytes.Clone(before[offset:][:len(b)])); err != nil {
		t.Error(err)
	}
}

// open returns NICs of a job of goroutines.
func open(t testing.TB, ranks int, o ...Options) []*NIC {
	t.Helper()
	f, err := fabric.Heap(ranks, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, f, ranks, o...)
}

func openOn(t testing.TB, f *fabric.Fabric, ranks int, o ...Options) []*NIC {
	t.Helper()
	m, err := Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*NIC, ranks)
	for i := range all {
		var opt Options
		if i < len(o) {
			opt = o[i]
		}
		if opt.Job != 0 {
			if err := m.Admit(i, opt.Job); err != nil {
				t.Fatal(err)
			}
		}
		n, err := Open(f, i, opt)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = n
		t.Cleanup(func() { _ = n.Close() })
	}
	return all
}

// between returns memory that node serves, and a peer's record of it.
func between(t testing.TB, n *NIC, size int) (*served, remote) {
	t.Helper()
	s, err := serve(n, size)
	if err != nil {
		t.Fatal(err)
	}
	r, err := hear(n.Rank(), s.announce())
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

func stranger() Options { return Options{Job: 0xbad} }

func TestMovesBetweenGoroutines(t *testing.T) {
	n := open(t, 2)
	_, r := between(t, n[1], 20*page)
	testMoves(t, n[0], r)
	_, r = between(t, n[0], 20*page) // to itself
	testMoves(t, n[0], r)
}

func TestRefusalsBetweenGoroutines(t *testing.T) {
	n := open(t, 3, Options{}, Options{}, stranger())
	s, r := between(t, n[1], 4*page)
	testRefusals(t, n[0], n[2], r)
	if err := s.untouched(); err != nil {
		t.Error(err)
	}
}

// TestMovesInTheFabric exposes memory in the region itself, between the ranks of one process: the
// other data path.
func TestMovesInTheFabric(t *testing.T) {
	n := open(t, 3, Options{}, Options{}, stranger())
	area := n[1].f.Bytes(1, fabric.Rings)[page : 9*page]
	seg, err := n[1].Expose(area)
	if err != nil {
		t.Fatal(err)
	}
	stale, err := n[1].Expose(area[:8])
	if err == nil {
		err = n[1].Conceal(stale)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := remote{node: 1, size: len(area), good: seg, stale: stale}
	at := fabric.Address(area)
	if r.unpinned, err = n[1].Register(at+uint64(len(area)), uint64(len(area))); err == nil {
		r.half, err = n[1].Register(at, uint64(2*len(area)))
	}
	if err != nil {
		t.Fatal(err)
	}
	if x := n[1].own.extent(n[1].last); x.load(entPhys)&physProcess != 0 {
		t.Fatal("memory of the region is not known as such")
	}
	testMoves(t, n[0], r)
	testRefusals(t, n[0], n[2], r)
}

func TestWithoutAttachNothingOfProcessesIsReached(t *testing.T) {
	n := open(t, 2, Options{Attach: Off}, Options{Attach: Off})
	if n[0].Remote() {
		t.Fatal("remote memory is promised")
	}
	s, r := between(t, n[1], page)
	for _, a := range accesses() {
		b := make([]byte, 8)
		if err := a.do(n[0], 1, r.good, 0, b); !errors.Is(err, NoAccess) || !errors.Is(err, fs.ErrPermission) || b[0] != 0 {
			t.Errorf("%s: %v", a.name, err)
		}
	}
	for i := range s.mem {
		if s.mem[i] != pattern(i) {
			t.Fatal("bytes moved")
		}
	}
	b := make([]byte, 8)
	if err := pulled(n[1], 1, r.good, 0, b); err != nil || b[0] != pattern(0) {
		t.Errorf("a rank's own memory: %v", err)
	}
}

func TestRefusalText(t *testing.T) {
	r := &Refusal{Op: "PULL", Node: 3, Segment: makeSegment(17, 2), Offset: 8, Bytes: 64, Moved: 4, Reason: Fault, Cause: errors.New("bad address")}
	for _, want := range []string{"PULL of 64 bytes", "node 3", "segment 17.2", "offset 8", "not mapped after 4 bytes: bad address"} {
		if !strings.Contains(r.Error(), want) {
			t.Errorf("%q lacks %q", r, want)
		}
	}
	if !errors.Is(r, Fault) || !errors.Is(r, r.Cause) || errors.Is(r, Gone) || errors.Is(r, fs.ErrPermission) {
		t.Error("wrong chain")
	}
	for reason := reasonNone + 1; reason < numReasons; reason++ {
		if strings.HasPrefix(reason.Error(), "reason") {
			t.Errorf("reason %d has no text", reason)
		}
	}
	if Reason(99).Error() != "reason 99" {
		t.Error(Reason(99))
	}
	n := open(t, 1)[0]
	if a, b := n.Refused(99); a != 0 || b != 0 {
		t.Error("counted the impossible")
	}
}
