package mpi

import (
	"fmt"
	"slices"
	"testing"

	"rhinet/collectives"
	"rhinet/internal/cartesian"
)

// Messages to one rank are sent in the order of their tags, and received there in that
// order; a message from a rank to itself matches its receives in order; a graph in
// which they do not match is left to the transport.
func TestEdgesInTheOrderOfTheirTags(t *testing.T) {
	loops := func(n int) (all []Edge) {
		for range n {
			all = append(all, Edge{})
		}
		return all
	}
	for _, row := range []struct {
		name string
		t    topology
		want string // farFrom, farTo, own, whole
	}{
		{"two in a dimension", &cart{cartesian.Grid{Dims: []int{2}, Periods: []bool{true}}}, "[0 1] [1 0] [] true"},
		{"one in a dimension", &cart{cartesian.Grid{Dims: []int{1, 2}, Periods: []bool{true, true}}}, "[2 3] [3 2] [{1 0} {0 1}] true"},
		{"ends", &cart{cartesian.Grid{Dims: []int{2, 1}, Periods: []bool{false, false}}}, "[1] [1] [] true"},
		{"graph", &distGraph{in: []Edge{{}, {1, 0, 0}, {}}, out: []Edge{{0, 1, 0}, {}, {}, {0, 1, 0}}}, "[1] [0 3] [{1 0} {2 2}] true"},
		{"one loop too many leads in", &distGraph{in: loops(2), out: loops(1)}, "[] [] [{0 0}] false"},
		{"one loop too many leads out", &distGraph{in: loops(1), out: loops(2)}, "[] [] [{0 0}] false"},
	} {
		a := newNeighborhood(0, row.t)
		if got := fmt.Sprint(a.farFrom, a.farTo, a.own, a.whole); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

// The messages of each edge and of each persistent operation have a tag of their own, which is one of
// neighborhood calls; so have those of other calls. The numbers of operations come again.
func TestTagsOfPersistentCallsToNeighbors(t *testing.T) {
	for _, row := range []struct {
		t       topology
		numbers int
	}{
		{&cart{cartesian.Grid{Dims: []int{2, 2, 2}, Periods: []bool{true, true, true}}}, 2048},
		{&cart{cartesian.Grid{Dims: []int{3}, Periods: []bool{false}}}, 8192},
		{&distGraph{in: []Edge{{1, 0, 0}}, out: []Edge{{0, 1, 0}}}, 16384},
		{&distGraph{}, 16384},
		{&cart{cartesian.Grid{Dims: slices.Repeat([]int{1}, 10000), Periods: make([]bool, 10000)}}, 32},
	} {
		h := neighborCall{neighborhood: newNeighborhood(0, row.t)}
		tags := map[int]bool{}
		most := 1 << h.tagBits
		for h.number = range row.numbers {
			if h.number >= otherNumbers {
				if got := h.nextNumber(); got != h.number {
					t.Fatalf("number %d, want %d", got, h.number)
				}
			}
			for edges := range most {
				_, tag := h.edgeKey(worldID, new(elem), &edge{tag: edges})
				if tags[tag] || tag>>14 != (groupTag|neighborTag)>>14 {
					t.Fatalf("number %d, edge %d: tag %#x", h.number, edges, tag)
				}
				tags[tag] = true
			}
		}
		if got := h.nextNumber(); got != otherNumbers {
			t.Errorf("the number after %d is %d", row.numbers-1, got)
		}
	}
}

// Uncommon cases use requests: direct must say so, before anything has happened.
func TestWhatCallsToNeighborsLeaveToRequests(t *testing.T) {
	w := alone(t, &instant{bytes: -1})
	w.topo = &cart{cartesian.Grid{Dims: []int{1}, Periods: []bool{true}}}
	send, recv := []int{1, 2}, make([]int, 2)
	h, err := neighborAlltoall(w, at("NeighborAlltoall"), send, recv)
	if err != nil {
		t.Fatal(err)
	}
	other, err := neighborAlltoallw(w, at("NeighborAlltoallw"), []Part{PartOf(send[:1]), PartOf(send[1:])}, []Part{PartOf([]uint{0}), PartOf(recv[:1])})
	if err != nil {
		t.Fatal(err)
	}
	longer := h
	longer.recv.part /= 2
	limited := *w
	limited.ctx = t.Context()
	for name, got := range map[string]func() (int, bool){
		"a context":      func() (int, bool) { return h.direct(&limited) },
		"other elements": func() (int, bool) { return other.direct(w) },
		"other lengths":  func() (int, bool) { return longer.direct(w) },
	} {
		if sent, ok := got(); sent != 0 || ok || recv[0] != 0 || recv[1] != 0 {
			t.Errorf("%s: %d sent, %v, received %v", name, sent, ok, recv)
		}
	}
	if sent, ok := h.direct(w); sent != 0 || !ok || recv[0] != 2 || recv[1] != 1 {
		t.Errorf("plain: %d sent, %v, received %v", sent, ok, recv)
	}
}

// Nonblocking neighborhood calls reuse their memory: with short messages and with long
// ones, which wait for the other rank.
func TestVisitsAreUsedAgain(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	const eager = 1000
	var rs [2]Request
	for _, n := range []int{1, eager, 20000} {
		var send, recv [2][]int
		for i, w := range ws {
			w.topo = &cart{cartesian.Grid{Dims: []int{2, 1}, Periods: []bool{true, true}}}
			send[i], recv[i] = make([]int, 4*n), make([]int, 4*n)
			for k := range send[i] {
				send[i][k] = 10*i + k/n
			}
		}
		call := func() {
			for i, w := range ws {
				rs[i] = *IneighborAlltoall(w, send[i], recv[i])
			}
			if err := WaitAll(&rs[0], &rs[1]); err != nil {
				t.Error(err)
			}
		}
		for range 20 {
			call()
		}
		if got := testing.AllocsPerRun(100, call); got != 0 && n <= eager { // the checks of network interfaces allocate for longer ones
			t.Errorf("%d elements: %v allocations", n, got)
		}
		for i, w := range ws {
			if got := len(w.neighborhood().free); got != 1 {
				t.Errorf("rank %d keeps %d neighborTasks", i, got)
			}
			got := fmt.Sprint(recv[i][0], recv[i][n], recv[i][2*n], recv[i][4*n-1])
			if want := fmt.Sprint(10*(1-i)+1, 10*(1-i), 10*i+3, 10*i+2); got != want {
				t.Errorf("rank %d got %s, want %s", i, got, want)
			}
		}
	}
}

// A neighborTask whose channel has been handed out, and is closed, is not used again.
func TestAChannelOfAVisitIsOfThatOneOnly(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	begin := func(i int) *Request {
		ws[i].topo = &cart{cartesian.Grid{Dims: []int{2}, Periods: []bool{true}}}
		return IneighborAllgather(ws[i], []int{i}, make([]int, 2))
	}
	complete := func(r *Request) {
		t.Helper()
		for done := false; !done; {
			var err error
			if _, done, err = r.Status(); err != nil {
				t.Fatal(err)
			}
		}
		<-r.Done()
		if _, err := r.Wait(); err != nil {
			t.Error(err)
		}
	}
	first, other := begin(0), begin(1)
	complete(first)
	complete(other)
	again := begin(0)
	select {
	case <-again.Done():
		t.Error("the call is over before the other rank has made it")
	default:
	}
	complete(begin(1))
	complete(again)
}
