package stepped

import (
	"os"
	"strings"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
)

// record takes the next record of the receive ring of a process.
func record(t *testing.T, x *implementation, rank int) (p ring.Packet, ok bool) {
	t.Helper()
	ok, err := x.records[rank].Poll(&p)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		p.Data = append([]byte(nil), p.Data...)
		x.records[rank].Consume()
	}
	return p, ok
}

// TestDocument: the page shows the output of Show.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/dimmnet2.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Show(&out, 8); err != nil {
		t.Fatal(err)
	}
	if want := "<!-- show 8 -->\n```\n" + out.String() + "```\n<!-- end -->"; !strings.Contains(string(page), want) {
		t.Errorf("docs/dimmnet2.md does not show this:\n%s", want)
	}
}

// TestLinesPassOneAClock: a longer packet takes one clock more for each line, to send and to
// receive; SO-DIMM takes row and column before that, and no write right.
func TestLinesPassOneAClock(t *testing.T) {
	clocks := func(memory dimmnet2.Memory, n int) int {
		x := newImplementation(t, true)
		p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Memory: memory, Node: 1, Data: make([]byte, n)}
		x.botf(t, 0, 0, &p)
		return x.machine.Clock()
	}
	for n, want := range map[int]int{8: 22, 16: 24, 496: 22 + 2*61} {
		if got := clocks(dimmnet2.InPW, n); got != want {
			t.Errorf("%d bytes into PW: %d clocks, want %d", n, got, want)
		}
	}
	for n, want := range map[int]int{8: 9 + 14, 496: 9 + 61 + 14 + 61} { // 4 for the row and column, none for a write right
		if got := clocks(dimmnet2.InDIMM, n); got != want {
			t.Errorf("%d bytes into SO-DIMM: %d clocks, want %d", n, got, want)
		}
	}
}

// TestRefresh: a write into SO-DIMM waits while it is refreshed (section 8.2).
func TestRefresh(t *testing.T) {
	longest := 0
	for first := range refreshEvery {
		if first > 30 && first < refreshEvery-60 {
			continue
		}
		x := newImplementation(t, true)
		x.machine.clock = first
		p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Memory: dimmnet2.InDIMM, Node: 1, Data: make([]byte, 8)}
		x.botf(t, 0, 0, &p)
		longest = max(longest, x.machine.clock-first)
		if first == 0 && longest != 23 {
			t.Errorf("%d clocks without refresh", longest)
		}
	}
	if longest != 23+refreshFor {
		t.Errorf("at most %d clocks", longest)
	}
}

// TestRightIsWaitedFor: reception waits while the Prefetch Unit has the window (section 8.2,
// contention).
func TestRightIsWaitedFor(t *testing.T) {
	clocks := func(window int) int {
		x := newImplementation(t, true)
		told := 0
		x.machine.Trace = func(e Event) {
			if e.Module == StatusWriteUnit && e.To == Idle {
				told = e.Clock
			}
		}
		p := dimmnet2.Packet{Op: dimmnet2.PacketWrite, Node: 1, Data: make([]byte, 8)}
		read := (&dimmnet2.Command{Op: dimmnet2.OpRead, Window: window, Length: 512}).Bytes()
		x.run(t, []act{{0, []store{{dimmnet2.WriteWindow(0), p.Image()}}, (&dimmnet2.Command{Op: dimmnet2.OpBOTF, Lines: 3}).Bytes()}, {2, nil, read}})
		return told
	}
	if other, same := clocks(1), clocks(0); other != 22 || same <= other {
		t.Errorf("%d clocks, %d if the Prefetch Unit has the same window", other, same)
	}
}

// TestMachineOfAJob: a machine has all NICs of a job, and a manager knows only those.
func TestMachineOfAJob(t *testing.T) {
	if _, err := New(nil); err == nil {
		t.Error("a machine of no NIC")
	}
	f, err := fabric.Heap(2, dimmnet2.Geometry(fabric.Small(), 0))
	if err != nil {
		t.Fatal(err)
	}
	boss, err := dimmnet2.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	n, err := dimmnet2.Open(f, 0)
	if err != nil {
		t.Fatal(err)
	}
	hw, err := boss.Hardware(n)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New([]*dimmnet2.Hardware{hw}); err == nil {
		t.Error("a machine without the other NIC")
	}
	for _, other := range []*dimmnet2.NIC{nil, newImplementation(t, false).nics[0]} {
		if _, err := boss.Hardware(other); err == nil {
			t.Error("the inside of a NIC of another job")
		}
	}
}

// TestClosed: a closed NIC issues nothing.
func TestClosed(t *testing.T) {
	both(t, func(t *testing.T, x *implementation) {
		if err := x.nics[0].Close(); err != nil {
			t.Fatal(err)
		}
		if why := x.issue(t, 0, (&dimmnet2.Command{Op: dimmnet2.OpBOTF, Lines: 3}).Bytes()); why != dimmnet2.Closed {
			t.Error(why)
		}
	})
}

// TestNoSuchTransition: a transition that is not in the table panics.
func TestNoSuchTransition(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	why(ReceiveController, RequestStatus, WriteData)
}
