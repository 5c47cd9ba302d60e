package mpi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A pairing is a call in which rank 1 gives n bytes to rank 0, which expects m.
type pairing struct {
	name  string
	begin func(c *Comm, n, m int) *Request
	init  func(c *Comm, n, m int) (*Request, error)
}

// pairings returns such calls on two ranks; rank 0 gives a byte or nothing.
func pairings() []pairing {
	room := func(n int) []byte { return make([]byte, n) }
	scattered := func(c *Comm, n, m int) ([]byte, []int, []byte) { // its root is rank 1
		if c.Rank() == 1 {
			return room(n + 1), []int{n, 1}, room(1)
		}
		return nil, nil, room(m)
	}
	gathered := func(c *Comm, n, m int) ([]byte, []byte, []int) { // its root is rank 0
		if c.Rank() == 0 {
			return room(1), room(m + 1), []int{1, m}
		}
		return room(n), nil, nil
	}
	exchanged := func(c *Comm, n, m int) ([]byte, []int, []byte, []int) {
		if c.Rank() == 0 {
			return room(3), []int{1, 2}, room(m + 1), []int{1, m}
		}
		return room(n + 1), []int{n, 1}, room(3), []int{2, 1}
	}
	return []pairing{
		{"gatherv", func(c *Comm, n, m int) *Request {
			send, recv, counts := gathered(c, n, m)
			return Igatherv(c, send, recv, counts, nil, 0)
		}, func(c *Comm, n, m int) (*Request, error) {
			send, recv, counts := gathered(c, n, m)
			return GathervInit(c, send, recv, counts, nil, 0)
		}},
		{"scatterv", func(c *Comm, n, m int) *Request {
			send, counts, recv := scattered(c, n, m)
			return Iscatterv(c, send, counts, nil, recv, 1)
		}, func(c *Comm, n, m int) (*Request, error) {
			send, counts, recv := scattered(c, n, m)
			return ScattervInit(c, send, counts, nil, recv, 1)
		}},
		{"alltoallv", func(c *Comm, n, m int) *Request {
			send, scounts, recv, rcounts := exchanged(c, n, m)
			return Ialltoallv(c, send, scounts, nil, recv, rcounts, nil)
		}, func(c *Comm, n, m int) (*Request, error) {
			send, scounts, recv, rcounts := exchanged(c, n, m)
			return AlltoallvInit(c, send, scounts, nil, recv, rcounts, nil)
		}},
	}
}

// MPI 4.1, sections 6.12.3, 6.12.4, 6.12.6 and 6.13: lengths at both ends of a part must
// be equal. If they are not, the rank that receives gets the error of the blocking call,
// whichever way each of the two expects the part to go, and no rank hangs.
func TestPartsOfWrongLengths(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	const long, longer = 5000, 1 << 20
	for _, p := range pairings() {
		for _, l := range [][2]int{{8, 16}, {24, 16}, {0, 4}, {8, 0}, {8, long}, {0, longer}, {long, 8}, {longer, 8}, {longer, 0}, {long, longer}, {longer, long}} {
			want := fmt.Sprintf("%d bytes arrived from rank 1 where %d belong; all ranks must call it with the same lengths", l[0], l[1])
			check := func(what string, rank int, err error) {
				var e *Error
				switch {
				case rank == 1 && err != nil:
					t.Errorf("%s %s, %v: the other rank: %v", what, p.name, l, err)
				case rank == 0 && (!errors.As(err, &e) || e.Class != ErrTruncate || e.text != want || e.Bytes != int64(l[0]) || e.Room != int64(l[1])):
					t.Errorf("%s %s, %v: %v", what, p.name, l, err)
				}
			}
			together(t, ws, func(rank int, c *Comm) error {
				_, err := p.begin(c, l[0], l[1]).Wait()
				check("nonblocking", rank, err)
				r := p.begin(c, l[0], l[1])
				<-r.Done() // by the transport
				_, err = r.Wait()
				check("nonblocking, carried", rank, err)
				if r, err = p.init(c, l[0], l[1]); err != nil {
					return err
				}
				for range 2 {
					if err := r.Start(); err != nil {
						return err
					}
					_, err := r.Wait()
					check("persistent", rank, err)
				}
				if err := r.Free(); err != nil {
					return err
				}
				_, err = p.begin(c, longer, longer).Wait() // behind it
				return errors.Join(err, Barrier(c))
			})
		}
	}
}

// MPI 4.1, section 6.12: long parts make progress while their ranks compute.
func TestLongPartsMoveWhileRanksCompute(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	const n = 4 << 20
	for _, p := range pairings() {
		begun, done := make(chan bool), make(chan bool)
		together(t, ws, func(rank int, c *Comm) error {
			if rank == 0 {
				<-begun
			}
			r := p.begin(c, n, n)
			if rank == 1 {
				close(begun)
				<-done // without a call
			}
			_, err := r.Wait()
			if rank == 0 {
				close(done)
			}
			return err
		})
	}
}

// A root receives more long parts than it has room for at a time, and short ones between
// them; the ranks have flags of one line.
func TestManyLongParts(t *testing.T) {
	const size, last = 48, 46
	ws, _ := worldsOf(t, size, collectives.Options{})
	if s := ws[0].coll.async.quick.gatherv.share; s <= 0 || s >= 48 {
		t.Errorf("%d bytes go by the flags of %d ranks", s, size)
	}
	counts, total := make([]int, size), 0
	for i := range counts {
		counts[i] = []int{44, 45, 70, 3000, 0, 60, 80, 100}[i%8]
		total += counts[i]
	}
	wrong := slices.Clone(counts)
	wrong[last]++ // one that waits for room
	for _, want := range []error{nil, ErrTruncate} {
		together(t, ws, func(rank int, c *Comm) error {
			own, all, at := content(7, rank, counts[rank]), make([]byte, total+1), counts
			if want != nil {
				at = wrong
			}
			_, err := Igatherv(c, own, all, at, nil, 0).Wait()
			switch {
			case rank != 0:
				return err
			case !errors.Is(err, want):
				return fmt.Errorf("%v instead of %v", err, want)
			}
			next := 0
			for i, n := range counts {
				if want == nil && string(all[next:][:n]) != string(content(7, i, n)) {
					return fmt.Errorf("rank %d: %v", i, all[next:][:n])
				}
				next += n
			}
			return nil
		})
	}
	counts[last], wrong[last] = 3, 80 // no message comes for it
	together(t, ws, func(rank int, c *Comm) error {
		_, err := Igatherv(c, make([]byte, counts[rank]), make([]byte, 2*total), wrong, nil, 0).Wait()
		if (rank == 0) != errors.Is(err, ErrTruncate) {
			return fmt.Errorf("rank %d: %v", rank, err)
		}
		return Barrier(c)
	})
}

// A context ends a call of long parts: before the other rank comes, and while it does not
// receive. Then the communicator cannot be used.
func TestAContextEndsLongParts(t *testing.T) {
	t.Parallel() // it mostly waits
	ws, _ := worldsOf(t, 2, collectives.Options{})
	for _, p := range pairings() {
		for rank := range ws {
			d := make([]*Comm, 2)
			together(t, ws, func(i int, w *Comm) (err error) {
				d[i], err = w.Dup()
				return err
			})
			ctx, cancel := context.WithCancel(context.Background())
			r := p.begin(d[rank].WithContext(ctx), 1<<20, 1<<20)
			if _, done, err := r.Test(); done || err != nil {
				t.Errorf("%s, rank %d: complete without the other one: %v", p.name, rank, err)
			}
			cancel()
			if _, err := r.Wait(); !errors.Is(err, ErrCancelled) {
				t.Errorf("%s, rank %d: %v", p.name, rank, err)
			}
			if err := Barrier(d[rank]); !errors.Is(err, ErrComm) {
				t.Errorf("%s, rank %d: a call behind it: %v", p.name, rank, err)
			}
		}
	}
}

// Ranks in different calls get an error, also if they wait for long parts; so does a rank
// whose transport is closed.
func TestLongPartsThatCannotArrive(t *testing.T) {
	ws, ts := worldsOf(t, 2, collectives.Options{})
	for _, p := range pairings() {
		d := make([]*Comm, 2)
		together(t, ws, func(i int, w *Comm) (err error) {
			d[i], err = w.Dup()
			return err
		})
		together(t, d, func(rank int, c *Comm) error {
			var r *Request
			if rank == 0 { // receives
				r = p.begin(c, 1<<20, 1<<20)
			} else {
				r = Ibarrier(c)
			}
			if _, err := r.Wait(); !errors.Is(err, ErrMismatch) {
				t.Errorf("%s, rank %d: %v", p.name, rank, err)
			}
			return nil
		})
	}
	var rs []*Request
	for _, p := range pairings() {
		r, err := p.init(ws[0], 1<<20, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		begin(t, r)
		rs = append(rs, r, p.begin(ws[0], 1<<20, 1<<20))
	}
	closeAll(ts)
	for i, r := range rs {
		if _, err := r.Wait(); err == nil {
			t.Errorf("request %d: complete without the other rank", i)
		}
	}
}

// Each part has its own way, so a rank has messages only if it has a long part itself.
func TestWhichPartsGoByFlags(t *testing.T) {
	ws, _ := worldsOf(t, 3, collectives.Options{})
	q := ws[0].coll.async.quick
	for name, d := range map[string]described{"gatherv": q.gatherv, "scatterv": q.scatterv, "alltoallv": q.alltoallv} {
		most := ir.FlagBytes - 4
		if name != "gatherv" {
			most = (ir.FlagBytes - 3*4) / 2
		}
		if d.share != most {
			t.Errorf("%s: up to %d bytes, not %d", name, d.share, most)
		}
	}
	long := q.alltoallv.share + 1
	lengths := [3][3]int{{0, long, 1}, {2, 0, 3}, {0, 4, long}} // the long part of rank 2 stays there
	for rank, want := range [3]way{byBoth, byBoth, byBoth} {
		if rank == 2 {
			lengths[2][2] = 1
			want = byParts
		}
		d := &dividedCall{kind: collectives.Alltoallv, rank: rank}
		for _, row := range lengths {
			d.lengths = append(d.lengths, row[:])
		}
		e := new(exchange)
		send, recv := make([]byte, 3*long), make([]byte, 3*long)
		call := collectives.Call{Kind: d.kind, Send: send, SendCounts: d.lengths[rank], Recv: recv, RecvCounts: d.column(rank), Elem: 1}
		if !e.prepare(ws[rank].coll.async, &call) || e.long() != (want == byBoth) {
			t.Errorf("rank %d: long parts: %t", rank, e.long())
		}
	}
	forced, _ := worldsOf(t, 2, collectives.Options{Force: map[string]string{"gatherv": "linear"}})
	shared, _ := worldsOf(t, 2, collectives.Options{Oversubscribed: true})
	for name, n := range map[string]int{"gatherv, forced": forced[0].coll.async.quick.gatherv.share, "alltoallv, oversubscribed": shared[0].coll.async.quick.alltoallv.share} {
		if n != 0 {
			t.Errorf("%s: %d bytes go by flags", name, n)
		}
	}
}

// A call like an earlier one, and each start, allocates nothing, unless its request escapes.
func TestCallsOfPartsAllocateNothing(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	for _, n := range []int{1, 500, 8000} {
		room := func(n int) []byte { return make([]byte, n) }
		counts := []int{n, n}
		send, recv := [2][]byte{room(2 * n), room(2 * n)}, [2][]byte{room(2 * n), room(2 * n)}
		for name, begin := range map[string]func(c *Comm, i int) Request{
			"Igatherv":   func(c *Comm, i int) Request { return *Igatherv(c, send[i][:n], recv[i], counts, nil, 0) },
			"Iscatterv":  func(c *Comm, i int) Request { return *Iscatterv(c, send[i], counts, nil, recv[i][:n], 0) },
			"Ialltoallv": func(c *Comm, i int) Request { return *Ialltoallv(c, send[i], counts, nil, recv[i], counts, nil) },
		} {
			var rs [2]Request
			allocateNothing(t, fmt.Sprintf("%s of %d bytes", name, n), func() error {
				for i, w := range ws {
					rs[i] = begin(w, i)
				}
				return WaitAll(&rs[0], &rs[1])
			})
		}
		for name, init := range map[string]func(c *Comm, i int) (*Request, error){
			"GathervInit":  func(c *Comm, i int) (*Request, error) { return GathervInit(c, send[i][:n], recv[i], counts, nil, 0) },
			"ScattervInit": func(c *Comm, i int) (*Request, error) { return ScattervInit(c, send[i], counts, nil, recv[i][:n], 0) },
			"AlltoallvInit": func(c *Comm, i int) (*Request, error) {
				return AlltoallvInit(c, send[i], counts, nil, recv[i], counts, nil)
			},
		} {
			rs := made(t, ws, func(c *Comm) (*Request, error) { return init(c, c.Rank()) })
			allocateNothing(t, fmt.Sprintf("%s of %d bytes", name, n), func() error {
				return errors.Join(StartAll(rs...), WaitAll(rs...))
			})
		}
	}
}

// allocateNothing fails the test if call allocates after it was called often.
func allocateNothing(t *testing.T, name string, call func() error) {
	t.Helper()
	checked := func() {
		if err := call(); err != nil {
			t.Error(name, err)
		}
	}
	for range 2 * asyncLap { // a flag is cached from its second use on
		checked()
	}
	if n := testing.AllocsPerRun(200, checked); n != 0 {
		t.Errorf("%s: %v allocations", name, n)
	}
}
