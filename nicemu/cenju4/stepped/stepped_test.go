package stepped

import (
	"os"
	"strings"
	"testing"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

// TestDocument: the page shows the output of Show.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/cenju4.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Show(&out, 300); err != nil {
		t.Fatal(err)
	}
	if want := "<!-- show 300 -->\n```\n" + out.String() + "```\n<!-- end -->"; !strings.Contains(string(page), want) {
		t.Errorf("docs/cenju4.md does not show this:\n%s", want)
	}
}

// TestMachineOfAJob: a machine has all NICs of a job.
func TestMachineOfAJob(t *testing.T) {
	if _, err := New(nil); err == nil {
		t.Error("a machine of no NIC")
	}
	f, err := fabric.Heap(2, cenju4.Geometry(fabric.Small(), 0))
	if err != nil {
		t.Fatal(err)
	}
	boss, err := cenju4.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	n, err := cenju4.Open(f, 0, cenju4.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hw, err := boss.Hardware(n)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New([]*cenju4.Hardware{hw}); err == nil {
		t.Error("a machine without the other NIC")
	}
}

// TestNoSuchTransition: a transition that is not in the table panics.
func TestNoSuchTransition(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	why(Receiver, Write, Miss)
}

// TestTransitions: all transitions of the table occur.
func TestTransitions(t *testing.T) {
	x := newImplementation(t, true)
	left := map[transition]bool{}
	for tr := range transitions {
		left[tr] = true
	}
	x.machine.Trace = func(e Event) { delete(left, transition{e.Module, e.From, e.To}) }
	multicast, err := x.nics[0].RegisterMulticast([]int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	lent := make([]byte, 600)
	at, own, word := uint64(cenju4.BootstrapAt), uint64(x.own[0]), uint64(cenju4.ControlAt)
	open := uint64(x.mapPages(t, 1, x.open[1], nil, cenju4.MayRead|cenju4.MayWrite))
	for _, p := range []cenju4.Parcel{
		{Protocol: cenju4.RemoteDMA, Dest: 1, Length: 600, Words: [3]uint64{own, at, uint64(x.words[0])}},
		{Protocol: cenju4.RemoteDMA, Dest: 1, Length: 600, Words: [3]uint64{uint64(cenju4.LentFor(0)), at}},
		{Protocol: cenju4.RemoteDMA, Dest: 1, Length: 600, Words: [3]uint64{own, uint64(cenju4.FlagsAt)}},
		{Protocol: cenju4.RemoteDMA, Dest: 1, Length: 600, Words: [3]uint64{own, open + cenju4.PageBytes - 256}},
		{Protocol: cenju4.RemoteDMA, Dest: 1, Length: 600},
		{Protocol: cenju4.RemoteDMA, Dest: 9},
		{Type: cenju4.Multicast, Protocol: cenju4.Message1, Dest: multicast, Length: 200, Words: [3]uint64{own}},
		{Protocol: cenju4.RemoteRead, Dest: 1, Length: 600, Words: [3]uint64{open, uint64(cenju4.LentFor(0))}},
		{Protocol: cenju4.RemoteRead, Dest: 1, Length: 8, Words: [3]uint64{open, uint64(x.words[0])}},
		{Protocol: cenju4.CompSwap, Dest: 1, Length: 8, Words: [3]uint64{word}},
		{Protocol: cenju4.AtomicAdd, Dest: 1, Length: 8, Words: [3]uint64{1, word}},
		{Protocol: 15},
	} {
		it := x.machine.Post(0, p, lent)
		x.machine.Run()
		if _, done := it.Done(); !done {
			t.Errorf("%+v does not end", p)
		}
	}
	x.machine.Block(1, true)
	for range 70 { // more than the header registers and then the buffer hold
		x.machine.Post(0, cenju4.Parcel{Protocol: cenju4.Message1, Flags: cenju4.Inline, Dest: 1, Length: 8}, nil)
	}
	for range 100 {
		x.machine.Step()
	}
	x.machine.Block(1, false)
	x.machine.Run()
	delete(left, transition{Receiver, Update, Idle}) // only words of the job give the right to update
	for tr := range left {
		t.Errorf("%v never goes from %v to %v", tr.module, tr.from, tr.to)
	}
}

// TestTLB: the TLB holds four pages, a change of the page table empties it, and a stream of packets
// looks each page up once on either side.
func TestTLB(t *testing.T) {
	x := newImplementation(t, true)
	mem := make([]byte, 8*cenju4.PageBytes)
	a := x.mapPages(t, 1, mem, nil, cenju4.MayWrite)
	misses := func() (all [2]int) {
		all[0], _ = x.machine.Misses(0)
		_, all[1] = x.machine.Misses(1)
		return all
	}
	send := func(pages ...int) (now [2]int) {
		before := misses()
		for _, page := range pages {
			at := cenju4.Address(page * cenju4.PageBytes)
			if why := x.one(t, 0, cenju4.Parcel{Protocol: cenju4.RemoteDMA, Dest: 1, Length: cenju4.PageBytes, Words: [3]uint64{uint64(x.own[0] + at), uint64(a + at)}}, nil); why != 0 {
				t.Fatal(why)
			}
		}
		after := misses()
		return [2]int{after[0] - before[0], after[1] - before[1]}
	}
	for _, c := range []struct {
		pages []int
		want  int
	}{{[]int{0, 1, 2, 3}, 4}, {[]int{3, 2, 1, 0, 0}, 0}, {[]int{4, 5}, 2}, {[]int{2, 3, 4, 5}, 0}, {[]int{0}, 1}} {
		if got := send(c.pages...); got != [2]int{c.want, c.want} {
			t.Errorf("pages %v: %v misses, want %d", c.pages, got, c.want)
		}
	}
	if err := x.nics[1].Unmap(a); err != nil {
		t.Fatal(err)
	}
	if why := x.one(t, 0, cenju4.Parcel{Protocol: cenju4.RemoteDMA, Dest: 1, Length: 8, Words: [3]uint64{uint64(x.own[0]), uint64(a)}}, nil); why != cenju4.Stale {
		t.Error(why)
	}
	a = x.mapPages(t, 1, mem, nil, cenju4.MayWrite)
	if got := send(0); got[1] != 1 {
		t.Errorf("%d misses after the page table changed", got[1])
	}
}
