package martini

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"rhinet/nicemu/fabric"
)

// TestExtentsEndWithTheirPages: memory on the pages after and before pinned memory cannot be
// accessed.
func TestExtentsEndWithTheirPages(t *testing.T) {
	n := open(t, 2)
	all := make([]byte, 6*page)
	from := int(-fabric.Address(all)&(page-1)) + page // the second whole page
	for _, size := range []int{1, page - 1, page, page + 1, 2 * page} {
		pin, err := n[1].Pin(all[from : from+size])
		if err != nil {
			t.Fatal(err)
		}
		at, hint := fabric.Address(all[from:]), int(uint32(pin))
		pages := (size + page - 1) / page
		for i := -1; i <= pages; i++ {
			va := at + uint64(i*page)
			why := n[0].pinned(n[1].own, 1, n[1].key, va, 1, hint, true)
			if inside := i >= 0 && i < pages; inside != (why == 0) || !inside && why != NotPinned {
				t.Errorf("%d bytes pinned: page %d: %v", size, i, why)
			}
		}
		if err := n[1].Unpin(pin); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSegmentIsLookedAtWhenHeld: a transfer that has found its segment, but does not hold the
// memory yet when the segment is withdrawn, moves nothing, although the memory stays pinned.
func TestSegmentIsLookedAtWhenHeld(t *testing.T) {
	n := open(t, 2)
	mem, data := make([]byte, 100), []byte("late")
	pin, err := n[1].Pin(mem)
	if err != nil {
		t.Fatal(err)
	}
	seg, err := n[1].RegisterPinned(pin, mem)
	if err != nil {
		t.Fatal(err)
	}
	var w way
	if why := w.find(n[0], 1, n[1].key, seg, 0, uint64(len(data))); why != 0 {
		t.Fatal(why)
	}
	if err := n[1].Release(seg); err != nil {
		t.Fatal(err)
	}
	if moved, why, err := n[0].piece(&w, 0, data, true); moved != 0 || why != Stale || err != nil || mem[0] != 0 {
		t.Errorf("%d bytes, %v, %v, memory %q", moved, why, err, mem[:len(data)])
	}
	if err := n[1].Unpin(pin); err != nil { // and no transfer holds it
		t.Error(err)
	}
}

// TestUnpinnedMemoryIsCollected: a NIC does not keep memory alive that is no longer pinned.
func TestUnpinnedMemoryIsCollected(t *testing.T) {
	n := open(t, 1)[0]
	gone := make(chan bool, 1)
	func() {
		mem := new([1 << 16]byte)
		runtime.SetFinalizer(mem, func(*[1 << 16]byte) { gone <- true })
		pin, err := n.Pin(mem[:])
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Unpin(pin); err != nil {
			t.Fatal(err)
		}
	}()
	for range 50 {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(n)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("unpinned memory is not collected")
	runtime.KeepAlive(n)
}

// TestControlWordsDoNotWrap: the number of a control word is refused also if its place in bytes
// would wrap around to the first words.
func TestControlWordsDoNotWrap(t *testing.T) {
	n := open(t, 2)
	for _, word := range []uint64{1 << 61, 1<<61 + 1, 1 << 63, 1<<64 - 1} {
		if _, err := n[0].Window(0).Swap(1, word, 0, 1); !errors.Is(err, BeyondSegment) {
			t.Errorf("word %d: %v", word, err)
		}
	}
}

// TestFlagsOfNobody: a rank after the last has no flag, although there is a line at its place.
func TestFlagsOfNobody(t *testing.T) {
	n := open(t, 2)
	writer, err := n[0].FlagWriter(n[0].Next())
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Raise(1, 5, 0, nil); err != nil {
		t.Fatal(err)
	}
	flags := n[1].Flags()
	if _, up := n[1].Raised(flags, 1, 0, 5, nil); !up {
		t.Fatal("the flag is not raised")
	}
	for _, writer := range []int{-1, 2} {
		if _, up := n[1].Raised(flags, 0, writer, 5, nil); up {
			t.Errorf("rank %d has raised a flag", writer)
		}
	}
}

// TestTwoFlagsOfARank: a flag stays up while the next one is raised.
func TestTwoFlagsOfARank(t *testing.T) {
	n := open(t, 2)
	writer, err := n[0].FlagWriter(n[0].Next())
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint32(4); seq <= 5; seq++ {
		if err := writer.Raise(0, seq, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	flags := n[1].Flags()
	for seq := uint32(3); seq <= 6; seq++ {
		if _, up := n[1].Raised(flags, 0, 0, seq, nil); up != (seq == 4 || seq == 5) {
			t.Errorf("flag %d is up: %v", seq, up)
		}
	}
}

// TestAOTFLooksAtThePage: a header whose translation was made in advance becomes invalid with its
// page.
func TestAOTFLooksAtThePage(t *testing.T) {
	n := open(t, 2)
	if err := n[0].RegisterHeader(7, Header{Node: 1, Segment: CommonSegment}); err != nil {
		t.Fatal(err)
	}
	if err := n[0].WriteAOTF(7<<12, 1); err != nil {
		t.Fatal(err)
	}
	n[1].own.extent(ioExtent).invalidate(ioGen)
	if err := n[0].WriteAOTF(7<<12, 2); !errors.Is(err, NotPinned) || commonWord(n[1], 0) != 1 {
		t.Errorf("%v, the word is %d", err, commonWord(n[1], 0))
	}
}

// TestNoHoldOfWhatIsGone: a failed hold of an extent does not delay the next withdrawal.
func TestNoHoldOfWhatIsGone(t *testing.T) {
	n := open(t, 1)[0]
	pin, err := n.Pin(make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	i, _ := pin.split()
	if err := n.Unpin(pin); err != nil {
		t.Fatal(err)
	}
	if n.own.hold(i) {
		t.Error("held an extent that is gone")
	}
	if held := *n.own.holds(i); held != 0 {
		t.Errorf("%d transfers hold it", held)
	}
}

// TestPinsHaveAGeneration: the Pin of an earlier use of an extent withdraws nothing.
func TestPinsHaveAGeneration(t *testing.T) {
	n := open(t, 1)[0]
	b := make([]byte, 8)
	old, err := n.Pin(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Unpin(old); err != nil {
		t.Fatal(err)
	}
	pin, err := n.Pin(b)
	if i, _ := pin.split(); err != nil || i != int(uint32(old)) || pin == old {
		t.Fatalf("%x after %x, %v", pin, old, err)
	}
	if err := n.Unpin(old); !errors.Is(err, Misuse) {
		t.Errorf("the old name: %v", err)
	}
	if err := n.Unpin(pin); err != nil {
		t.Errorf("the new name: %v", err)
	}
}
