package mpi

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"rhinet/collectives"
	"rhinet/internal/wait"
	"rhinet/llc/ir"
	"rhinet/llc/nics"
	"rhinet/llc/port"
)

// A wakeRecorder records the ranks that its rank wakes.
type wakeRecorder struct {
	sharedFlags
	woken []int
}

func (b *wakeRecorder) Raise(peers []int, n int, seq, mark uint32, data []byte) {
	b.woken = append(b.woken, peers...)
	b.sharedFlags.Raise(peers, n, seq, mark, data)
}

func (b *wakeRecorder) WakePeers(peers []int) { b.woken = append(b.woken, peers...) }

// Where ranks share processors, the last rank wakes the others, once, and so does a
// rank that has noticed another call; where each rank has a processor, every rank wakes
// all, and so do roots, and ranks that only show their call.
func TestWhoWakesWhom(t *testing.T) {
	const size = 3
	for _, c := range []struct {
		name           string
		oversubscribed bool
		flow           collectives.Flow
		odd            int // this rank is in another call
		want           [size]string
	}{
		{"oversubscribed", true, collectives.AllToAll, -1, [size]string{"[]", "[]", "[0 1]"}},
		{"oversubscribed, of unequal parts", true, collectives.Uneven, -1, [size]string{"[]", "[]", "[0 1]"}},
		{"oversubscribed, the last in another call", true, collectives.AllToAll, 2, [size]string{"[]", "[]", "[0 1]"}},
		{"each for itself", false, collectives.AllToAll, -1, [size]string{"[1 2]", "[2 0]", "[0 1]"}},
		{"to a root oversubscribed", true, collectives.ToRoot, -1, [size]string{"[]", "[0]", "[0]"}},
		{"from a root oversubscribed", true, collectives.FromRoot, -1, [size]string{"[1 2]", "[]", "[]"}},
	} {
		var lines [maxPlayers][ir.FlagTurns]raisedFlag
		var open [maxPlayers]map[uint32]bool
		for r := range size {
			b := &wakeRecorder{sharedFlags: sharedFlags{r, &lines, &open, t.Errorf}}
			w := &core{w: &world{Job: Job{Collectives: collectives.Options{Oversubscribed: c.oversubscribed}}}, rank: r, size: size}
			x := newExchanger(newCollTransport(w), b, 0, 0)
			if r == c.odd {
				x.note.Sign ^= 1
			}
			x.begin(c.flow, 0, nil, nil)
			x.put()
			if got := fmt.Sprint(b.woken); got != c.want[r] {
				t.Errorf("%s: rank %d wakes %s, want %s", c.name, r, got, c.want[r])
			}
		}
	}
	ws, _ := worldsOf(t, 2, collectives.Options{Oversubscribed: true})
	x := ws[0].coll.x
	b := &wakeRecorder{sharedFlags: sharedFlags{0, new([maxPlayers][ir.FlagTurns]raisedFlag), new([maxPlayers]map[uint32]bool), t.Errorf}}
	x.flagArray = b
	if x.show(); !slices.Equal(b.woken, []int{1}) {
		t.Errorf("who shows its call wakes %v", b.woken)
	}
}

// A rank that leads raises its flag last, if the others come soon; else it raises it
// after some looks, so that no two ranks that lead wait for each other.
func TestARankThatLeadsIsTheLast(t *testing.T) {
	const size = 3
	for _, c := range []struct {
		name  string
		comes int // after so many looks of rank 0 the others raise their flags
		looks int // of rank 0 until its flag is up
		woken string
	}{{"all are there", 0, 1, "[1 2]"}, {"the others come", 2, 3, "[1 2]"}, {"the others are late", 99, lastLooks + 1, "[]"}} {
		var lines [maxPlayers][ir.FlagTurns]raisedFlag
		var open [maxPlayers]map[uint32]bool
		var xs []*exchanger
		var bs []*wakeRecorder
		for r := range size {
			b := &wakeRecorder{sharedFlags: sharedFlags{r, &lines, &open, t.Errorf}}
			w := &core{w: &world{Job: Job{Collectives: collectives.Options{Oversubscribed: true}}}, rank: r, size: size}
			x := newExchanger(newCollTransport(w), b, 0, 0)
			x.begin(collectives.AllToAll, 0, nil, nil)
			xs, bs = append(xs, x), append(bs, b)
		}
		looks := 0
		for xs[0].looks = lastLooks; xs[0].unraised; looks++ {
			if looks == c.comes {
				xs[1].put()
				xs[2].put()
			}
			if over := xs[0].closing(); over != (looks >= c.comes) {
				t.Errorf("%s: look %d: over %t", c.name, looks, over)
			}
		}
		if got := fmt.Sprint(bs[0].woken); looks != c.looks || got != c.woken {
			t.Errorf("%s: raised after %d looks, want %d; wakes %s, want %s", c.name, looks, c.looks, got, c.woken)
		}
	}
}

// Who gives data to all others leads in the next barrier, and only in that one, if ranks
// share processors.
func TestWhoLeads(t *testing.T) {
	eight, all := make([]byte, 8), make([]byte, 8*2)
	long := make([]byte, 100000)
	counts := []int{8, 8}
	wait := func(r *Request) error { _, err := r.Wait(); return err }
	for _, oversubscribed := range []bool{true, false} {
		ws, _ := worldsOf(t, 2, collectives.Options{Oversubscribed: oversubscribed})
		for name, c := range map[string]struct {
			call func(c *Comm) error
			lead bool // rank 1
		}{
			"Bcast":      {func(c *Comm) error { return Bcast(c, slices.Clone(eight), 1) }, true},
			"long Bcast": {func(c *Comm) error { return Bcast(c, slices.Clone(long), 1) }, true},
			"Scatter":    {func(c *Comm) error { return Scatter(c, slices.Clone(all), make([]byte, 8), 1) }, true},
			"Scatterv":   {func(c *Comm) error { return Scatterv(c, slices.Clone(all), counts, nil, make([]byte, 8), 1) }, true},
			"Ibcast":     {func(c *Comm) error { return wait(Ibcast(c, slices.Clone(long), 1)) }, true},
			"Iscatter":   {func(c *Comm) error { return wait(Iscatter(c, slices.Clone(all), make([]byte, 8), 1)) }, true},
			"Gather":     {func(c *Comm) error { return Gather(c, slices.Clone(eight), make([]byte, 16), 1) }, false},
			"Allreduce":  {func(c *Comm) error { return Allreduce(c, make([]byte, 8), make([]byte, 8), Sum) }, false},
			"Bcast_init": {func(c *Comm) error {
				r, err := BcastInit(c, slices.Clone(eight), 1)
				if err == nil {
					err = errors.Join(r.Start(), wait(r), r.Free())
				}
				return err
			}, true},
		} {
			together(t, ws, func(rank int, w *Comm) error {
				if err := c.call(w); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if got, want := w.coll.x.leads.Load(), c.lead && rank == 1 && oversubscribed; got != want {
					t.Errorf("%s, oversubscribed %t: rank %d leads %t, want %t", name, oversubscribed, rank, got, want)
				}
				if err := Barrier(w); err != nil || w.coll.x.leads.Load() {
					return fmt.Errorf("%s: after a barrier: leads %t, %w", name, w.coll.x.leads.Load(), err)
				}
				return nil
			})
		}
	}
}

// Ranks that sleep whenever they wait are woken by the last one: no sleep of a minute
// lasts to its end.
func TestSleepersAreWokenByTheLast(t *testing.T) {
	const ranks, rounds = 5, 300
	for name, call := range map[string]func(w *Comm, persistent *Request, one []int64) error{
		"blocking": func(w *Comm, _ *Request, one []int64) error { return Allreduce(w, one, one, Sum) },
		"nonblocking": func(w *Comm, _ *Request, one []int64) error {
			_, err := Iallreduce(w, one, one, Sum).Wait()
			return err
		},
		"barriers after calls from a root": func(w *Comm, _ *Request, one []int64) error {
			for root := range ranks {
				if err := errors.Join(Bcast(w, slices.Clone(one), root), Barrier(w)); err != nil {
					return err
				}
			}
			return Allreduce(w, one, one, Sum)
		},
		"several at once": func(w *Comm, _ *Request, one []int64) error {
			return WaitAll(Ibarrier(w), Iallreduce(w, one, one, Sum), Ibcast(w, []int64{1}, 2), Ibarrier(w))
		},
		"persistent": func(w *Comm, p *Request, one []int64) error {
			if err := p.Start(); err != nil {
				return err
			}
			_, err := p.Wait()
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			all, release, err := nics.Local("martini", ranks, nics.Debug{Contract: true})
			if err != nil {
				t.Fatal(err)
			}
			ts, ws := make([]Transport, ranks), make([]*Comm, ranks)
			for i, tr := range all {
				ts[i] = port.New(port.Config{NIC: tr, Policy: wait.Policy{Nap: time.Minute}})
				if ws[i], err = Join(Job{Rank: i, Size: ranks, Transport: ts[i], Collectives: collectives.Options{Oversubscribed: true}}); err != nil {
					t.Fatal(err)
				}
			}
			begin := time.Now()
			ended := make(chan error)
			for rank, w := range ws {
				go func() {
					one := []int64{1}
					p, err := AllreduceInit(w, one, one, Sum)
					for i := 0; i < rounds && err == nil; i++ {
						one[0] = 1
						if err = call(w, p, one); err == nil && one[0] != ranks {
							err = fmt.Errorf("rank %d: %d ranks", rank, one[0])
						}
					}
					ended <- errors.Join(err, p.Free())
				}()
			}
			for range ranks {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
			if d := time.Since(begin); d > 30*time.Second {
				t.Errorf("%d exchanges took %v", rounds, d)
			}
			closeAll(ts)
			if err := release(); err != nil {
				t.Error(err)
			}
		})
	}
}
