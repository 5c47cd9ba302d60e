package sim

import (
	"math/rand/v2"
	"testing"

	"rhinet/llc/ir"
)

// held returns a network of three in which everything is held back for a while.
func held(seed uint64) *Net {
	n := NewNet(3, ir.Caps{Rings: 1, Slots: 8, Bytes: 1024, Words: 1, Remote: true}, 4, rand.New(rand.NewPCG(seed, 1)))
	n.Hold = 100
	return n
}

// TestFreedom: the network gives nothing although there is something to give, lets packets of one ring keep
// their order and those of two pass each other, and answers too; Held says whether more comes.
func TestFreedom(t *testing.T) {
	nothing, passed := 0, map[[2]ir.Kind]bool{}
	for seed := range uint64(200) {
		n := held(seed)
		n.Post(0, &ir.Command{Op: ir.Watch, Peer: 1, Ring: 0})
		for i := range uint64(3) {
			n.Post(1, &ir.Command{Op: ir.Packet, Peer: 0, Slot: i, Header: ir.Header{Kind: 1, Word: i}})
			n.Post(2, &ir.Command{Op: ir.Shared, Peer: 0, Header: ir.Header{Kind: 2, Word: i}})
			n.Post(0, &ir.Command{Op: ir.Swap, Peer: 1, Token: i})
		}
		next, last := map[uint8]uint64{}, ir.Kind(0)
		var ev ir.Event
		for got := 0; got < 9; {
			was := n.Held()
			if !n.Poll(0, &ev) {
				if nothing++; !was {
					t.Fatal("nothing was held, and nothing was given")
				}
				continue
			}
			got++
			if passed[[2]ir.Kind{last, ev.Kind}], last = true, ev.Kind; ev.Kind != ir.Arrived {
				continue
			}
			if k := ev.Header.Kind; ev.Header.Word != next[k] {
				t.Fatalf("packet %d of kind %d came, not %d", ev.Header.Word, k, next[k])
			} else {
				next[k]++
			}
		}
		if n.Held() || n.Poll(0, &ev) {
			t.Fatal("more than was posted")
		}
	}
	if nothing == 0 || !passed[[2]ir.Kind{ir.Arrived, ir.Swapped}] || !passed[[2]ir.Kind{ir.Swapped, ir.Arrived}] {
		t.Errorf("%d times nothing, %v", nothing, passed)
	}
}

// TestBusyComesFirst: however late all answers are, a Busy comes with the next Poll.
func TestBusyComesFirst(t *testing.T) {
	for seed := range uint64(50) {
		n := held(seed)
		var ev ir.Event
		for range 6 {
			n.Post(0, &ir.Command{Op: ir.Swap, Peer: 1})
		}
		for i := range 6 {
			n.Post(0, &ir.Command{Op: ir.Shared, Peer: 2, Header: ir.Header{Kind: 1}, Token: uint64(i)})
			if i < 4 {
				continue // there is room
			}
			if !n.Poll(0, &ev) || ev.Kind != ir.Busy || ev.Token != uint64(i) {
				t.Fatalf("%+v came first", ev)
			}
		}
	}
}

// TestLateBusyIsNoticed: if a Busy comes as late as other answers, messages are lost, and runs report it.
func TestLateBusyIsNoticed(t *testing.T) {
	failed := 0
	for seed := range uint64(200) {
		p := calm(seed)
		p.Shared = 1
		w, err := newWorld(p)
		if err != nil {
			t.Fatal(err)
		}
		if w.net.LateBusy = true; w.run() != nil {
			failed++
		}
	}
	if failed < 20 {
		t.Errorf("%d of 200 runs failed", failed)
	}
}

// TestFair: once the network is fair everything comes at once.
func TestFair(t *testing.T) {
	n := held(1)
	n.Post(0, &ir.Command{Op: ir.Swap, Peer: 1})
	n.Fair = true
	var ev ir.Event
	if n.Held() || !n.Poll(0, &ev) || ev.Kind != ir.Swapped {
		t.Errorf("%+v, held %v", ev, n.Held())
	}
}
