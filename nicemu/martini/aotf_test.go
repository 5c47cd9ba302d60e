package martini

import (
	"errors"
	"testing"

	"rhinet/nicemu/fabric"
)

// commonWord returns a word of a process's communication memory.
func commonWord(n *NIC, at int) uint64 { return *Word64(n.Common(), at) }

// TestAOTFWritesARemotePage is the write-through view of section 6.2: with the override, the low 12
// bits of the written address are the offset.
func TestAOTFWritesARemotePage(t *testing.T) {
	n := open(t, 3)
	for page, h := range map[uint16]Header{
		7:      {Node: 1, Segment: CommonSegment, Override: true},
		0x1008: {Node: 2, Segment: CommonSegment, Offset: 8192},
	} {
		if err := n[0].RegisterHeader(page, h); err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint32(512) {
		if err := n[0].WriteAOTF(7<<12|i*8, uint64(i)+1); err != nil {
			t.Fatal(err)
		}
		if err := n[0].WriteAOTF(0x1008<<12|i*8, uint64(i)+1); err != nil {
			t.Fatal(err)
		}
		if got := commonWord(n[1], int(i*8)); got != uint64(i)+1 {
			t.Fatalf("word %d is %d", i, got)
		}
	}
	if got := commonWord(n[2], 8192); got != 512 {
		t.Errorf("without override the word is %d", got)
	}
	if err := n[0].WriteAOTF(7<<12|4, 0x0102030405060708); err != nil || *Word32(n[1].Common(), 4) != 0x05060708 {
		t.Errorf("between words: %v", err)
	}
	if used := testing.AllocsPerRun(100, func() { _ = n[0].WriteAOTF(7<<12, 1) }); used != 0 {
		t.Errorf("%v allocations for a packet", used)
	}
}

// TestAOTFIsProtected tries headers that are not allowed (martini, sections 1.9, 6.2): each is
// refused and counted, and nothing moves.
func TestAOTFIsProtected(t *testing.T) {
	n := open(t, 2)
	s, r := between(t, n[1], page)
	for name, c := range map[string]struct {
		h    Header
		at   uint32
		want Reason
	}{
		"withdrawn segment":   {Header{Node: 1, Segment: r.stale}, 0, Stale},
		"never registered":    {Header{Node: 1, Segment: makeSegment(900, 5)}, 0, NoSegment},
		"beyond the segment":  {Header{Node: 1, Segment: r.good, Offset: page - 4}, 0, BeyondSegment},
		"beyond, by override": {Header{Node: 1, Segment: r.good, Offset: 0, Override: true}, page - 4, BeyondSegment},
		"beyond common":       {Header{Node: 1, Segment: CommonSegment, Offset: 1 << 40}, 0, BeyondSegment},
		"unpinned":            {Header{Node: 1, Segment: r.unpinned}, 0, NotPinned},
	} {
		if err := n[0].RegisterHeader(3, c.h); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := n[0].WriteAOTF(3<<12|c.at&0xfff, 99); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.untouched(); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		h    Header
		want Reason
	}{
		"another job": {Header{PGID: uint32(n[0].key) + 1, Node: 1, Segment: CommonSegment}, WrongJob},
		"no node":     {Header{Node: 2, Segment: CommonSegment}, NoNode},
	} {
		if err := n[0].RegisterHeader(4, c.h); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err := n[0].WriteAOTF(4<<12, 99); !errors.Is(err, NoHeader) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if issued, _ := n[0].Refused(NoHeader); issued != 2 {
		t.Errorf("%d refusals counted", issued)
	}
}

// TestAOTFHeadersComeAndGo: a header serves its own page only, until it is
// withdrawn, displaced, or its NIC closed.
func TestAOTFHeadersComeAndGo(t *testing.T) {
	f, err := fabric.Heap(1, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	n, err := Open(f, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	mine := Header{Node: 0, Segment: CommonSegment}
	set := func(page uint16) {
		if err := n.RegisterHeader(page, mine); err != nil {
			t.Fatal(err)
		}
	}
	none := func(page uint32) {
		t.Helper()
		if err := n.WriteAOTF(page<<12, 5); !errors.Is(err, NoHeader) {
			t.Errorf("page %d: %v", page, err)
		}
	}
	none(9)
	set(9)
	if err := n.WriteAOTF(9<<12, 5); err != nil {
		t.Error(err)
	}
	none(9 + AOTFHeaders)
	set(9 + AOTFHeaders)
	none(9)
	if err := n.WithdrawHeader(9); !errors.Is(err, NoHeader) {
		t.Error(err)
	}
	if err := n.WithdrawHeader(9 + AOTFHeaders); err != nil {
		t.Error(err)
	}
	none(9 + AOTFHeaders)
	set(9)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	none(9)
	if err := n.RegisterHeader(9, mine); !errors.Is(err, InvalidWindow) {
		t.Error(err)
	}
}

// TestAOTFToAProcess takes the slow path: the segment does not belong to a NIC.
func TestAOTFToAProcess(t *testing.T) {
	n := open(t, 2)
	s, r := between(t, n[1], page)
	if err := n[0].RegisterHeader(1, Header{Node: 1, Segment: r.good, Override: true}); err != nil {
		t.Fatal(err)
	}
	if err := n[0].WriteAOTF(1<<12|16, 77); err != nil || *Word64(s.mem, 16) != 77 {
		t.Errorf("%v, %d", err, *Word64(s.mem, 16))
	}
	if err := n[1].Conceal(r.good); err != nil {
		t.Fatal(err)
	}
	if err := n[0].WriteAOTF(1<<12|16, 78); !errors.Is(err, Stale) || *Word64(s.mem, 16) != 77 {
		t.Errorf("%v, %d", err, *Word64(s.mem, 16))
	}
}
