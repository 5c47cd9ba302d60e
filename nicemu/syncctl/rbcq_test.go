package syncctl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/nicemu/vtime"
)

// TestRBCQTrace is the worked example of section 7.4: S0 {0,1,2,3}, S1 {0,1}, S2 {1,2,3}, S3 {0,2},
// S4 {0,1,2,3}.
func TestRBCQTrace(t *testing.T) {
	program := [][]int{{0, 1, 2, 3}, {0, 1}, {1, 2, 3}, {0, 2}, {0, 1, 2, 3}}
	lists, err := SetD(4, program)
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int{{1, 2, 1, Never}, {1, 1, 2, Never}, {2, 1, 1, Never}, {2, 2, Never}}; !slices.EqualFunc(lists, want, slices.Equal) {
		t.Fatalf("Set_d %v, want %v", lists, want)
	}
	r := NewRBCQ(4)
	code := func(pe int) {
		t.Helper()
		if err := r.Wait(pe, lists[pe][0]); err != nil {
			t.Fatal(err)
		}
		lists[pe] = lists[pe][1:]
	}
	is := func(event string, released []int, wait, head, counter string) {
		t.Helper()
		var got []int
		got, _ = r.Step()
		if w, h, c := r.State(); !slices.Equal(got, released) || w != wait || h != head || c != counter {
			t.Fatalf("%s: Go to %v, wait %s head %s counter %s; want %v, %s %s %s", event, got, w, h, c, released, wait, head, counter)
		}
	}
	none := []int(nil)
	is("0", none, "0000", "1111", "0 0 0 0")
	code(2)
	is("1", []int{2}, "0000", "1101", "0 0 2 0")
	code(0)
	is("2", []int{0}, "0000", "0101", "1 0 2 0")
	code(0)
	is("3", none, "1000", "0101", "1 0 2 0")
	code(3)
	is("4", []int{3}, "1000", "0100", "1 0 2 2")
	code(2)
	is("5", none, "1010", "0100", "1 0 2 2")
	code(1)
	is("6a", []int{1}, "1010", "0000", "1 1 2 2")
	is("6b", none, "1010", "1100", "0 0 1 1")
	is("6c", []int{0}, "0010", "0100", "2 0 1 1")
	code(1)
	is("7a", []int{1}, "0010", "0000", "2 1 1 1")
	is("7b", none, "0010", "0111", "1 0 0 0")
	is("7c", []int{2}, "0000", "0101", "1 0 1 0")
	code(1)
	is("8", []int{1}, "0000", "0001", "1 2 1 0")
	code(3)
	is("9a", []int{3}, "0000", "0000", "1 2 1 2")
	is("9b", none, "0000", "1010", "0 1 0 1")
	code(0)
	is("10", []int{0}, "0000", "0010", "1 1 0 1")
	code(2)
	is("11a", []int{2}, "0000", "0000", "1 1 1 1")
	is("11b", none, "0000", "1111", "0 0 0 0")
	for _, pe := range []int{0, 1, 3, 2} {
		code(pe)
		if got, _ := r.Step(); !slices.Equal(got, []int{pe}) {
			t.Fatalf("12: Go to %v, want %d", got, pe)
		}
	}
	if w, h, c := r.State(); w != "0000" || h != "0000" || c != "N N N N" || !r.Ended() {
		t.Fatalf("12: %s %s %s", w, h, c)
	}
	if _, changed := r.Step(); changed {
		t.Error("a program that has ended goes on")
	}
}

// TestRBCQAtRandom checks section 7.3 on random programs: Head is 1 exactly if Counter is 0,
// everything ends, and if A and B take part in k, A's code k comes before the Go of B's next code.
func TestRBCQAtRandom(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		nodes := 1 + rng.IntN(6)
		program := [][]int{make([]int, nodes)}
		for i := range nodes {
			program[0][i] = i
		}
		for range rng.IntN(12) {
			var members []int
			for i := range nodes {
				if rng.IntN(2) == 0 {
					members = append(members, i)
				}
			}
			program = append(program, members)
		}
		lists, err := SetD(nodes, program)
		if err != nil {
			t.Fatal(err)
		}
		codes := make([][]int, nodes) // the synchronization of each code, by node
		for k, members := range program {
			for _, n := range members {
				codes[n] = append(codes[n], k)
			}
		}
		r := NewRBCQ(nodes)
		issued := make([]int, nodes) // codes executed
		gone := make([]int, nodes)   // number of these that were released
		for steps := 0; !r.Ended(); steps++ {
			if steps > 10_000 {
				t.Fatalf("seed %d: no end; %v", seed, program)
			}
			if n := rng.IntN(nodes); issued[n] == gone[n] && issued[n] < len(codes[n]) {
				if err := r.Wait(n, lists[n][issued[n]]); err != nil {
					t.Fatal(err)
				}
				issued[n]++
			}
			released, _ := r.Step()
			for _, b := range released {
				gone[b]++
				if gone[b] < 2 {
					continue
				}
				k := codes[b][gone[b]-2] // the synchronization of b's previous code is complete
				for _, a := range program[k] {
					if at := slices.Index(codes[a], k); issued[a] <= at {
						t.Fatalf("seed %d: node %d passed its next code, but %d has not reached synchronization %d", seed, b, a, k)
					}
				}
			}
			for i := range nodes {
				if r.head[i] != (r.counter[i] == 0) {
					t.Fatalf("seed %d: node %d: head %v, counter %d", seed, i, r.head[i], r.counter[i])
				}
			}
		}
	}
}

func TestRBCQMisuse(t *testing.T) {
	r := NewRBCQ(2)
	for _, c := range [][2]int{{-1, 1}, {2, 1}, {0, 0}, {0, -2}, {0, 1 << 16}} {
		if r.Wait(c[0], c[1]) == nil {
			t.Errorf("node %d, Set_d %d", c[0], c[1])
		}
	}
	if err := r.Wait(0, Never); err != nil || r.Wait(0, 1) == nil {
		t.Errorf("%v; a node waits twice", err)
	}
	r.Step()
	if r.Wait(0, 1) == nil {
		t.Error("a code after the last")
	}
	for _, program := range [][][]int{nil, {{0}}, {{0, 1}, {2}}, {{0, 1}, {1, 1}}} {
		if _, err := SetD(2, program); err == nil {
			t.Errorf("program %v", program)
		}
	}
}

// TestHardwareBarrier: a classical barrier is two codes in a row (7.3). In virtual time no node
// gets the second Go before all have written their first.
func TestHardwareBarrier(t *testing.T) {
	for _, nodes := range []int{2, 4, 9, 36} {
		l := bare(t, Grid(nodes))
		last := vtime.Time(0)
		second := make([]bool, nodes)
		l.then = func(e end) {
			if e.s != OK {
				t.Fatal(e.s)
			}
			if !second[e.node] {
				second[e.node] = true
				l.Code(e.node, Never, l)
			} else if e.at < last {
				t.Fatalf("node %d left at %v, the last came at %v", e.node, e.at, last)
			}
		}
		for n := range nodes {
			at := vtime.Time(n*37%nodes) * us
			last = max(last, at)
			l.k.Source("p").At(at, &codeAt{l, n}, 0, 0)
		}
		l.run()
		if len(l.resumed) != 2*nodes || !l.RBCQ().Ended() {
			t.Errorf("%d nodes: %d ends", nodes, len(l.resumed))
		}
	}
	l := bare(t, Torus{1, 2})
	l.Code(0, 0, l)
	l.run()
	if len(l.resumed) != 1 || l.resumed[0].s == OK {
		t.Errorf("a wrong code: %v", l.resumed)
	}
}

type codeAt struct {
	l    *log
	node int
}

func (a *codeAt) Act(int, uint64) { a.l.Code(a.node, 1, a.l) }

func ExampleRBCQ() {
	program := [][]int{{0, 1}, {0, 1}} // a barrier of two nodes
	lists, _ := SetD(2, program)
	r := NewRBCQ(2)
	_ = r.Wait(0, lists[0][0])
	released, _ := r.Step()
	fmt.Println("node 0 has arrived; Go to", released)
	_ = r.Wait(0, lists[0][1])
	released, _ = r.Step()
	fmt.Println("it waits; Go to", released)
	_ = r.Wait(1, lists[1][0])
	r.Step()
	r.Step() // the next head
	released, _ = r.Step()
	fmt.Println("node 1 has arrived; Go to", released)
	// Output:
	// node 0 has arrived; Go to [0]
	// it waits; Go to []
	// node 1 has arrived; Go to [0]
}
