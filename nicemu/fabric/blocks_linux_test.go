package fabric

import (
	"errors"
	"testing"
)

// testFabrics returns memory of one process and memory that processes map.
func testFabrics(t *testing.T) map[string]*Fabric {
	_, shared := create(t, 2)
	return map[string]*Fabric{"goroutines": heap(t, 2), "processes": shared}
}

func TestReserveBetweenProcesses(t *testing.T) {
	_, f := create(t, 2)
	reserveAndRelease(t, f)
	if _, err := f.Reserve(f.geo.Common + 1); !errors.Is(err, ErrFull) {
		t.Errorf("more than there is: %v", err)
	}
}

// TestReserveSeenByOthers: a block that one mapping reserves is seen in another one, also after the
// first is closed, whose memory stays in place.
func TestReserveSeenByOthers(t *testing.T) {
	file, f := create(t, 2)
	g, err := Map(file)
	if err != nil {
		t.Fatal(err)
	}
	at, err := f.Reserve(100)
	if err != nil {
		t.Fatal(err)
	}
	here, there := f.Reserved(at, 100), g.Reserved(at, 100)
	here[99] = 7
	if there[99] != 7 {
		t.Error("the other mapping does not see it")
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if there[99] != 7 {
		t.Error("lost with the mapping")
	}
	if err := f.Release(at); err != nil {
		t.Fatal(err)
	}
	if here[99] != 0 {
		t.Error("what was given back still takes memory")
	}
	if f.Reserved(at, 1) != nil {
		t.Error("what was given back can be seen")
	}
}

// TestReserveAll: the whole memory can be reserved, and again after its release; a block that does
// not fit between others is refused.
func TestReserveAll(t *testing.T) {
	_, f := create(t, 1)
	unit := f.geo.Common / chunks
	for range 2 {
		held := full(t, f, unit)
		if len(held) != chunks {
			t.Fatalf("%d blocks", len(held))
		}
		for i := 0; i < chunks; i += 2 {
			if err := f.Release(held[i]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.Reserve(unit + 1); !errors.Is(err, ErrFull) {
			t.Errorf("two parts in a row where each second is free: %v", err)
		}
		for i := 1; i < chunks; i += 2 {
			if err := f.Release(held[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBlocksAreNotTrusted: an overwritten table gives no access.
func TestBlocksAreNotTrusted(t *testing.T) {
	_, f := create(t, 1)
	at, err := f.Reserve(1)
	if err != nil {
		t.Fatal(err)
	}
	table := f.chunkTable()
	for _, word := range []uint64{1 << 40, inBlock, inBlock - 1} {
		table[0] = word
		if b := f.Reserved(at, uint64(f.geo.Common)); b != nil && len(b) != f.geo.Common {
			t.Errorf("%#x: %d bytes", word, len(b))
		}
		if b := f.Reserved(at, uint64(f.geo.Common)+1); b != nil {
			t.Errorf("%#x: %d bytes", word, len(b))
		}
	}
	if f.Reserved(1, 1) != nil || f.Reserved(1<<63, 1) != nil {
		t.Error("what is no common memory can be reserved")
	}
}
