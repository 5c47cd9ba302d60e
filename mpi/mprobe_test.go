package mpi_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 3.8.2: no other receive or probe finds a matched message, whatever
// its length, and later messages can be received before it.
func TestAMatchedMessageIsOutOfReach(t *testing.T) {
	for _, size := range []int{0, 1, 40, 3000, 200_000} {
		for n := 1; n <= 3; n++ {
			everywhere(t, n, func(w *mpi.Comm) error {
				dst, src := (w.Rank()+1)%n, (w.Rank()+n-1)%n
				first := mpi.Isend(w, sequence(size, 1), dst, 4)
				second := mpi.Isend(w, sequence(size, 2), dst, 4)
				m, st, err := mpi.Mprobe(w, mpi.AnySource, 4)
				if err != nil {
					return err
				}
				if st.Source != src || st.Tag != 4 || mpi.Count[int](st) != size {
					return fmt.Errorf("Mprobe: %v", st)
				}
				behind, _, err := mpi.Mprobe(w, src, mpi.AnyTag)
				if err != nil {
					return err
				}
				if st, found, err := mpi.Iprobe(w, mpi.AnySource, mpi.AnyTag); found || err != nil {
					return fmt.Errorf("Iprobe finds %v, %v", st, err)
				}
				if err := mpi.Barrier(w); err != nil {
					return err
				}
				third := mpi.Isend(w, sequence(size, 3), dst, 4)
				buf := make([]int, size)
				if _, err := mpi.Recv(w, buf, src, 4); err != nil {
					return err
				}
				if err := equalAll("third", buf, sequence(size, 3)); err != nil {
					return err
				}
				st, err = mpi.Mrecv(m, buf)
				if err != nil || st.Source != src || st.Tag != 4 || st.Count != size {
					return fmt.Errorf("Mrecv: %v, %v", st, err)
				}
				if err := equalAll("first", buf, sequence(size, 1)); err != nil {
					return err
				}
				_, err = mpi.Mrecv(m, buf)
				if err := is(err, mpi.ErrRequest, fmt.Sprintf(
					"mpi: Mrecv on world from %d tag 4: the message has been received already; probe for the next one", src)); err != nil {
					return err
				}
				if _, err := mpi.Mrecv(behind, buf); err != nil {
					return err
				}
				return errors.Join(equalAll("second", buf, sequence(size, 2)), mpi.WaitAll(first, second, third))
			})
		}
	}
}

// MPI 4.1, section 3.8.2: several goroutines that probe and receive get each message
// once, and whole.
func TestGoroutinesMatchEachMessageOnce(t *testing.T) {
	const messages, workers = 60, 4
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			for i := range messages {
				if err := mpi.Send(w, sequence(1+i*7, i), 0, i%3); err != nil {
					return err
				}
			}
			return nil
		}
		var mu sync.Mutex
		seen := map[int]bool{}
		var failed error
		var group sync.WaitGroup
		for range workers {
			group.Go(func() {
				for range messages / workers {
					m, st, err := mpi.Mprobe(w, 1, mpi.AnyTag)
					if err == nil {
						buf := make([]int, mpi.Count[int](st))
						if _, err = mpi.Imrecv(m, buf).Wait(); err == nil {
							err = equalAll("message", buf, sequence(len(buf), buf[0]))
						}
						mu.Lock()
						if seen[buf[0]] {
							err = fmt.Errorf("message %d again", buf[0])
						}
						seen[buf[0]] = true
						mu.Unlock()
					}
					if err != nil {
						mu.Lock()
						failed = errors.Join(failed, err)
						mu.Unlock()
						return
					}
				}
			})
		}
		group.Wait()
		return errors.Join(failed, equal("messages", len(seen), messages))
	})
}

// MPI 4.1, section 3.8.2: Improbe does not wait, and returns the message
// MPI_MESSAGE_NO_PROC for MPI_PROC_NULL at once. Section 3.8.3: the rules of receives
// hold.
func TestImprobeAndTheErrorsOfMatchedReceives(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		m, _, found, err := mpi.Improbe(w, 0, 0)
		if m != nil || found || err != nil {
			return fmt.Errorf("Improbe finds %v, %v, %v", m, found, err)
		}
		for _, value := range []float64{1, 2} {
			if err := mpi.Send(w, []float64{value, value}, 0, 0); err != nil {
				return err
			}
		}
		if m, _, found, err = mpi.Improbe(w, mpi.AnySource, mpi.AnyTag); !found || err != nil {
			return fmt.Errorf("Improbe finds %v, %v", found, err)
		}
		buf := []float64{0}
		st, err := mpi.Mrecv(m, buf)
		if err := errors.Join(is(err, mpi.ErrTruncate, ""), equal("first", buf[0], 1), equal("bytes", st.Bytes, 16)); err != nil {
			return err
		}
		if m, _, err = mpi.Mprobe(w, 0, 0); err != nil {
			return err
		}
		_, err = mpi.Mrecv(m, []*int{nil})
		if err := is(err, mpi.ErrType, ""); err != nil {
			return err
		}
		_, err = mpi.Mrecv(m, []int32{0, 0, 0, 0})
		if err := is(err, mpi.ErrType, ""); err != nil {
			return err
		}
		if m, st, err = mpi.Mprobe(w, mpi.ProcNull, 0); err != nil || st.Source != mpi.ProcNull {
			return fmt.Errorf("Mprobe of ProcNull: %v, %v", st, err)
		}
		if st, err = mpi.Mrecv(m, buf); err != nil || st.Source != mpi.ProcNull || st.Count != 0 {
			return fmt.Errorf("Mrecv of ProcNull: %v, %v", st, err)
		}
		if _, _, found, err := mpi.Improbe(w, mpi.ProcNull, 0); !found || err != nil {
			return fmt.Errorf("Improbe of ProcNull: %v, %v", found, err)
		}
		_, err = mpi.Mrecv(nil, buf)
		if err := is(err, mpi.ErrRequest, "mpi: Mrecv: the message is nil; match one with Mprobe or Improbe"); err != nil {
			return err
		}
		_, _, err = mpi.Mprobe(w, 1, 0)
		_, _, _, err2 := mpi.Improbe(w, 0, -9)
		return errors.Join(is(err, mpi.ErrRank, ""), is(err2, mpi.ErrTag, ""))
	})
}
