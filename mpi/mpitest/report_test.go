package mpitest

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"rhinet/mpi"
)

// A report names calls as a program does, what in them is missing, and who has it.
func TestReportsSayWhatIsMissing(t *testing.T) {
	for what, c := range map[string]struct {
		row  string // of rank 0, as a regular expression
		call func(w *mpi.Comm) error
	}{
		"partition": {`Wait \(PsendInit, no Pready of 0,2\) since `, func(w *mpi.Comm) error {
			if w.Rank() == 1 {
				r, err := mpi.PrecvInit(w, make([]int, 3), 1, 0, 1)
				return errors.Join(err, r.Start(), mpi.WaitAll(r))
			}
			r, err := mpi.PsendInit(w, make([]int, 3), 3, 1, 1)
			if err = errors.Join(err, r.Start(), r.Pready(1)); err == nil {
				_, err = r.Wait()
			}
			return err
		}},
		"other half": {`WaitAll \(PrecvInit, no PsendInit with tag 7\) with world rank 1 since `, func(w *mpi.Comm) error {
			if w.Rank() == 1 {
				return nil
			}
			r, err := mpi.PrecvInit(w, make([]int, 3), 1, 1, 7)
			return errors.Join(err, r.Start(), mpi.WaitAll(r))
		}},
		"lock": {`Lock (\(.*window world\.win1\) )?with world rank 1 since `, func(w *mpi.Comm) error {
			v, err := mpi.WinAllocate[int](w, 1)
			if err == nil && w.Rank() == 1 {
				err = v.Lock(mpi.LockExclusive, 1)
			}
			if err = errors.Join(err, mpi.Barrier(w)); err == nil && w.Rank() == 0 {
				err = v.Lock(mpi.LockExclusive, 1)
			}
			if err == nil {
				err = recvForever(w) // rank 1 keeps the lock
			}
			return err
		}},
		"tags": {`CreateGroup \(tag 3\) with world rank 1 since `, func(w *mpi.Comm) error {
			g, err := w.Group()
			if err == nil {
				_, err = w.CreateGroup(g, 3+w.Rank())
			}
			return err
		}},
		"all of two": {`WaitAll with world rank 1, tag 1, 8 bytes since `, func(w *mpi.Comm) error {
			if w.Rank() == 1 {
				return nil
			}
			return mpi.WaitAll(mpi.Irecv(w, []int{0}, 1, 1), mpi.Irecv(w, []int{0}, 1, 2))
		}},
		"any of two": {`WaitAny \(2 requests\) since `, func(w *mpi.Comm) error {
			if w.Rank() == 1 {
				return nil
			}
			_, _, err := mpi.WaitAny(mpi.Irecv(w, []int{0}, 1, 1), mpi.Irecv(w, []int{0}, 1, 2))
			return err
		}},
		"probe": {`Mprobe with world rank 1, tag 4, `, func(w *mpi.Comm) error {
			_, _, err := mpi.Mprobe(w, 1-w.Rank(), 4)
			return err
		}},
	} {
		for name, mode := range modes {
			t.Run(what+" "+name, func(t *testing.T) {
				t.Parallel() // nothing but Pready ends one of the waits, for which the end of the job waits a while
				var s settings
				mode(&s)
				j, err := start(2, inWorld(c.call), s)
				if err != nil {
					t.Fatal(err)
				}
				row := regexp.MustCompile("rank 0: " + c.row)
				for end := time.Now().Add(20 * time.Second); !row.MatchString(j.report()); time.Sleep(time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("no %q in\n%s", c.row, j.report())
					}
				}
				if err := j.wait(time.Millisecond); !errors.Is(err, ErrTimeout) {
					t.Error(err)
				}
			})
		}
	}
}
