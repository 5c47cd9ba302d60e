package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// In a checked job no rank is left waiting by ranks whose calls do not match, and all
// are told the same.
func TestAllRanksOfErroneousProgramsAreTold(t *testing.T) {
	for i, p := range erroneousPrograms {
		if !strings.Contains(p.text, "all ranks must") && !strings.Contains(p.text, "this rank") && !strings.Contains(p.text, "operation of the user") {
			continue // messages between two ranks
		}
		local := strings.Contains(p.name, "v, ") && !strings.HasPrefix(p.name, "Allgatherv") || strings.HasPrefix(p.name, "Alltoallw") // counts of which a rank knows its own only
		for k, net := range transports {
			if local || k != i%len(transports) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", p.name, net.name), func(t *testing.T) {
				t.Parallel()
				one := ""
				for rank, err := range toldBy(t, p.ranks, p.run, net.option, mpitest.Patience(20*time.Millisecond)) {
					_, text, _ := strings.Cut(fmt.Sprint(err), ": rank ")
					if text, _, _ = strings.Cut(text, "\n"); one == "" {
						one = text
					}
					if text == "" || text != one {
						t.Errorf("rank %d was told %v", rank, err)
					}
				}
			})
		}
	}
}

// However a program completes nonblocking calls, it is told what all are told.
func TestOperationsThatAreCompletedOtherwise(t *testing.T) {
	t.Parallel() // it mostly waits
	ways := map[string]func(r *mpi.Request) error{
		"Test": func(r *mpi.Request) error {
			for {
				if _, done, err := r.Test(); done || err != nil {
					return err
				}
				time.Sleep(time.Millisecond)
			}
		},
		"WaitAny": func(r *mpi.Request) error { _, _, err := mpi.WaitAny(r); return err },
		"WaitAll": func(r *mpi.Request) error { return mpi.WaitAll(r) },
		"Done":    func(r *mpi.Request) error { <-r.Done(); _, err := r.Wait(); return err },
		"asleep":  func(r *mpi.Request) error { time.Sleep(300 * time.Millisecond); _, err := r.Wait(); return err },
	}
	for name, end := range ways {
		for _, net := range transports {
			t.Run(name+"/"+net.name, func(t *testing.T) {
				t.Parallel()
				p := mistaken{"",
					func(c *mpi.Comm) error { return end(mpi.Ibarrier(c)) },
					func(c *mpi.Comm) error { return end(mpi.Iallreduce(c, []int{1}, []int{0}, mpi.Sum)) },
					mpi.ErrMismatch, "Ibarrier", "Iallreduce", sameOrder}
				p.judge(t, toldBy(t, 3, p.run, net.option, mpitest.Patience(20*time.Millisecond)))

				started := func(make func(c *mpi.Comm) (*mpi.Request, error)) func(c *mpi.Comm) error {
					return func(c *mpi.Comm) error {
						r, err := make(c)
						if err == nil {
							err = r.Start()
						}
						if err == nil {
							err = end(r)
						}
						return err
					}
				}
				p = mistaken{"",
					started(func(c *mpi.Comm) (*mpi.Request, error) { return mpi.BarrierInit(c) }),
					started(func(c *mpi.Comm) (*mpi.Request, error) { return mpi.BcastInit(c, []int{1}, 0) }),
					mpi.ErrMismatch, "BarrierInit", "BcastInit", sameOrder}
				p.judge(t, toldBy(t, 3, p.run, net.option, mpitest.Patience(20*time.Millisecond)))
			})
		}
	}
}

// The lines of calls are those of the program, however deep in the package a call is
// recorded.
func TestLinesOfCallsOfLayouts(t *testing.T) {
	column := func() []mpi.Item { return mpi.View(make([]float64, 9), mpi.Vector(3, 1, 3)) }
	for name, p := range map[string]mistaken{
		"Bcast": {others: func(c *mpi.Comm) error { return mpi.Bcast(c, column(), 0) }, they: "Bcast",
			last: func(c *mpi.Comm) error { return mpi.Scatter(c, column(), column(), 0) }, it: "Scatter"},
		"Ibcast": {others: func(c *mpi.Comm) error { return wait(mpi.Ibcast(c, column(), 0)) }, they: "Ibcast",
			last: func(c *mpi.Comm) error {
				return wait(mpi.Iallgather(c, column(), mpi.View(make([]float64, 27), mpi.Vector(9, 1, 3))))
			}, it: "Iallgather"},
	} {
		t.Run(name, func(t *testing.T) {
			p.class, p.todo = mpi.ErrMismatch, sameOrder
			p.judge(t, toldBy(t, 3, p.run, mpitest.Patience(20*time.Millisecond)))
		})
	}
}

// A rank in Finalize while the others are in a call is told the same as they are.
func TestBarrierAndFinalize(t *testing.T) {
	for _, net := range transports {
		for _, who := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s/%d", net.name, who), func(t *testing.T) {
				t.Parallel()
				p := mistaken{"", mpi.Barrier, mpi.Finalize, mpi.ErrMismatch, "Barrier", "Finalize", sameOrder}
				if who == 0 {
					p = mistaken{"", mpi.Finalize, mpi.Barrier, mpi.ErrMismatch, "Finalize", "Barrier", sameOrder}
				}
				told := make([]error, 3)
				var all sync.WaitGroup
				all.Add(3)
				_ = mpitest.World(3, func(w *mpi.Comm) error {
					told[w.Rank()] = p.run(w)
					all.Done()
					all.Wait()
					return nil
				}, net.option, mpitest.Patience(20*time.Millisecond), mpitest.Timeout(20*time.Second))
				p.judge(t, told)
			})
		}
	}
}

// A rank that fails, panics or exits while others are being told ends them all, and
// leaves no goroutine.
func TestARankThatEndsWhileOthersAreTold(t *testing.T) {
	ends := []func() error{
		func() error { return errors.New("enough") },
		func() error { panic("enough") },
		func() error { runtime.Goexit(); return nil },
	}
	before := runtime.NumGoroutine()
	for _, net := range transports {
		for late := range 6 {
			err := mpitest.World(4, func(w *mpi.Comm) error {
				switch w.Rank() {
				case late % 4:
					time.Sleep(time.Duration(late*4) * time.Millisecond)
					return ends[late%len(ends)]()
				case (late + 1) % 4:
					return allreduce[int](1, mpi.Sum)(w)
				}
				return ibarrier(w)
			}, net.option, mpitest.Patience(10*time.Millisecond), mpitest.Timeout(20*time.Second))
			if err == nil || errors.Is(err, mpitest.ErrTimeout) {
				t.Errorf("%s, rank %d: %v", net.name, late%4, err)
			}
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}

// Goroutines of a program may make their calls on several communicators in any order.
func TestGoroutinesInDifferentOrders(t *testing.T) {
	withPatience(t, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		first, second := w, d
		if w.Rank() == 1 {
			first, second = d, w
		}
		late := make(chan error, 1)
		go func() {
			time.Sleep(60 * time.Millisecond)
			late <- mpi.Barrier(second)
		}()
		return errors.Join(mpi.Barrier(first), <-late)
	})
}

// Operations that take long while ranks are elsewhere cause no error.
func TestOperationsThatGoOnForLong(t *testing.T) {
	withPatience(t, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		begin := func() *mpi.Request { return mpi.Iallreduce(w, []int{1}, []int{0}, mpi.Sum) }
		if w.Rank() == 0 {
			r := begin()
			time.Sleep(40 * time.Millisecond)
			return errors.Join(mpi.Barrier(d), wait(r))
		}
		err = mpi.Barrier(d)
		return errors.Join(err, wait(begin()))
	})
}

// A rank that leaves because a call of it has failed gets no more questions: they would
// delay its end, and that of ranks that wait for it.
func TestNobodyAsksWhoLeaves(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, net := range transports {
		for root := range 3 {
			t.Run(fmt.Sprintf("%s/%d", net.name, root), func(t *testing.T) {
				t.Parallel()
				over := make(chan struct{}) // the call of the root
				err := mpitest.World(3, func(w *mpi.Comm) error {
					part, parts := []byte{1}, make([]byte, 3)
					if w.Rank() != root {
						<-over
						time.Sleep(50 * time.Millisecond) // for it to be in Finalize
						return errors.Join(mpi.Gather(w, part, parts, root), mpi.Finalize(w))
					}
					left := mpi.Isend(w, make([]byte, 1<<20), (root+1)%3, 0) // never received
					defer left.Wait()
					ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
					defer cancel()
					if err := mpi.Gather(w.WithContext(ctx), part, parts, root); !errors.Is(err, mpi.ErrCancelled) {
						return fmt.Errorf("the root of Gather: %w", err)
					}
					close(over)
					return mpi.Finalize(w)
				}, net.option, mpitest.Patience(20*time.Millisecond), mpitest.Timeout(10*time.Second))
				if !errors.Is(err, mpi.ErrComm) || errors.Is(err, mpitest.ErrTimeout) {
					t.Error(err)
				}
			})
		}
	}
}
