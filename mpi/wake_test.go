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
