package mpi_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"rhinet/mpi"
)

// MPI 4.1, section 3.2.4: it is an error if the message is longer than the
// buffer; nothing is written beyond it.
func TestTruncationIsAnErrorAndWritesNothingBeyondTheBuffer(t *testing.T) {
	for _, n := range []int{8, 100, 5000, 200000} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			if w.Rank() == 0 {
				if err := mpi.Send(w, sequence(n, 1), 1, 7); err != nil {
					return err
				}
				return mpi.Send(w, []int{42}, 1, 7)
			}
			buf := make([]int, n)
			st, err := mpi.Recv(w, buf[:n/2], 0, 7)
			text := fmt.Sprintf("mpi: Recv on world from 0 tag 7: %d bytes do not fit %d; use a larger buffer or Probe", 8*n, 8*(n/2))
			if err := is(err, mpi.ErrTruncate, text); err != nil {
				return err
			}
			if e := err.(*mpi.Error); e.Bytes != int64(8*n) || e.Room != int64(8*(n/2)) || e.Peer != 0 || e.Tag != 7 {
				return fmt.Errorf("wrong values in %+v", e)
			}
			if st.Bytes != int64(8*n) || st.Count != n/2 {
				return fmt.Errorf("status is %+v", st)
			}
			if err := equalAll("beyond the buffer", buf[n/2:], make([]int, n-n/2)); err != nil {
				return err
			}
			_, err = mpi.Recv(w, buf, 0, 7)
			if err != nil {
				return err
			}
			return equal("next message", buf[0], 42)
		})
	}
}

// MPI 4.1, section 3.2.4: the message may be shorter than the buffer.
func TestShortMessagesLeaveTheRestOfTheBuffer(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			return mpi.Send(w, []int{1, 2}, 1, 0)
		}
		buf := []int{9, 9, 9, 9}
		st, err := mpi.Recv(w, buf, 0, 0)
		if err != nil {
			return err
		}
		if err := equal("count", st.Count, 2); err != nil {
			return err
		}
		return equalAll("buffer", buf, []int{1, 2, 9, 9})
	})
}

// MPI 4.1, section 3.10: a transfer with MPI_PROC_NULL succeeds at once.
func TestProcNullDoesNothing(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		buf := []int{5}
		if err := mpi.Send(w, buf, mpi.ProcNull, 1); err != nil {
			return err
		}
		if err := mpi.Ssend(w, buf, mpi.ProcNull, 1); err != nil {
			return err
		}
		r, err := mpi.BsendInit(w, buf, mpi.ProcNull, 1) // no buffer is attached
		if err == nil {
			err = r.Start()
		}
		if err := errors.Join(err, waited(r), mpi.Bsend(w, buf, mpi.ProcNull, 1), waited(mpi.Ibsend(w, buf, mpi.ProcNull, 1))); err != nil {
			return err
		}
		want := mpi.Status{Source: mpi.ProcNull, Tag: mpi.AnyTag}
		st, err := mpi.Recv(w, buf, mpi.ProcNull, mpi.AnyTag)
		if err != nil || st != want || buf[0] != 5 {
			return fmt.Errorf("Recv: %+v %v %v", st, buf, err)
		}
		st, err = mpi.Sendrecv(w, buf, mpi.ProcNull, 1, buf, mpi.ProcNull, 1)
		if err != nil || st != want {
			return fmt.Errorf("Sendrecv: %+v %v", st, err)
		}
		st, err = mpi.Probe(w, mpi.ProcNull, 1)
		if err != nil || st != want {
			return fmt.Errorf("Probe: %+v %v", st, err)
		}
		st, ok, err := mpi.Irecv(w, buf, mpi.ProcNull, 1).Test()
		if err != nil || !ok || st != want {
			return fmt.Errorf("Irecv: %+v %v %v", st, ok, err)
		}
		i, st, err := mpi.WaitAny(nil, mpi.Irecv(w, buf, mpi.ProcNull, 1))
		if err != nil || i != 1 || st != want {
			return fmt.Errorf("WaitAny: %d %+v %v", i, st, err)
		}
		return nil
	})
}

// MPI 4.1, section 3.2.4: source equal to destination is allowed.
func TestARankCanSendToItself(t *testing.T) {
	for _, n := range []int{0, 1, 3000, 100000} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			in := make([]int, n)
			r := mpi.Irecv(w, in, w.Rank(), 3)
			if err := mpi.Send(w, sequence(n, 7), w.Rank(), 3); err != nil {
				return err
			}
			st, err := r.Wait()
			if err != nil {
				return err
			}
			if st.Source != w.Rank() || st.Count != n {
				return fmt.Errorf("status is %+v", st)
			}
			return equalAll("message", in, sequence(n, 7))
		})
	}
}

// MPI 4.1, section 3.2.1: a message may have no data. It matches like others.
func TestEmptyMessagesAreMessages(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			if err := mpi.Send[float32](w, nil, 1, 1); err != nil {
				return err
			}
			return mpi.Ssend(w, []float32{}, 1, 2)
		}
		for tag := 1; tag <= 2; tag++ {
			st, err := mpi.Recv[float32](w, nil, 0, tag)
			if err != nil || st.Count != 0 || st.Tag != tag {
				return fmt.Errorf("%+v %v", st, err)
			}
		}
		return nil
	})
}

// MPI 4.1, section 3.4: a synchronous send completes only after the matching
// receive has started.
func TestSsendWaitsForTheReceive(t *testing.T) {
	for _, n := range []int{1, 50000} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			if w.Rank() == 0 {
				r := mpi.Issend(w, make([]byte, n), 1, 0)
				for range 20 {
					if _, done, err := r.Test(); done || err != nil {
						return fmt.Errorf("complete before the receive: %v %v", done, err)
					}
					time.Sleep(100 * time.Microsecond)
				}
				if err := mpi.Send(w, []byte{1}, 1, 1); err != nil { // the peer receives now
					return err
				}
				_, err := r.Wait()
				return err
			}
			buf := make([]byte, n)
			if _, err := mpi.Recv(w, buf, 0, 1); err != nil {
				return err
			}
			_, err := mpi.Recv(w, buf, 0, 0)
			return err
		})
	}
}

// MPI 4.1, section 3.2.7: Sendrecv cannot deadlock, whatever the pattern.
func TestSendrecvTurnsARing(t *testing.T) {
	for n := 1; n <= 5; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			right, left := (w.Rank()+1)%n, (w.Rank()+n-1)%n
			for _, k := range []int{1, 10, 70000} {
				in := make([]int, k)
				st, err := mpi.Sendrecv(w, sequence(k, w.Rank()), right, 1, in, left, 1)
				if err != nil {
					return err
				}
				if st.Source != left || st.Count != k {
					return fmt.Errorf("status is %+v", st)
				}
				if err := equalAll("message", in, sequence(k, left)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

type particle struct {
	Pos, Vel [3]float64
	ID       int32
	Alive    bool
}

// MPI 4.1, section 5.1: any layout of basic types can be sent, here as values
// of Go types without pointers.
func TestElementsMayBeArraysAndStructs(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		p := particle{[3]float64{1, 2, 3}, [3]float64{4, 5, 6}, 7, true}
		if w.Rank() == 0 {
			if err := mpi.Send(w, []particle{p, p}, 1, 0); err != nil {
				return err
			}
			return mpi.Send(w, [][2]complex64{{1, 2i}}, 1, 1)
		}
		ps := make([]particle, 2)
		if _, err := mpi.Recv(w, ps, 0, 0); err != nil {
			return err
		}
		if err := equal("struct", ps[1], p); err != nil {
			return err
		}
		cs := make([][2]complex64, 1)
		if _, err := mpi.Recv(w, cs, 0, 1); err != nil {
			return err
		}
		return equal("array", cs[0], [2]complex64{1, 2i})
	})
}

// Messages of every size that protocols may treat differently arrive whole, in the
// buffer and nowhere else.
func TestMessagesOfEverySizeArriveWhole(t *testing.T) {
	const guard = 0xA5
	pattern := func(b []byte, n int) {
		for i := range b {
			b[i] = byte(i*7 + i>>8 + n)
		}
	}
	sizes := []int{3<<20 + 5, 5 << 20}
	for p := 1; p <= 1<<20; p *= 2 {
		sizes = append(sizes, p-1, p, p+1)
	}
	everywhere(t, 2, func(w *mpi.Comm) error {
		for i, n := range sizes {
			b := make([]byte, n+64)
			if w.Rank() == 0 {
				pattern(b, n)
				send := mpi.Send[byte]
				if i%2 == 1 {
					send = mpi.Ssend[byte]
				}
				if err := send(w, b[:n], 1, n&0xffff); err != nil {
					return err
				}
				continue
			}
			for j := range b {
				b[j] = guard
			}
			st, err := mpi.Recv(w, b[:n], 0, n&0xffff)
			if err != nil {
				return err
			}
			want := make([]byte, n+64)
			pattern(want[:n], n)
			for j := n; j < len(want); j++ {
				want[j] = guard
			}
			if st.Bytes != int64(n) || !bytes.Equal(b, want) {
				return fmt.Errorf("%d bytes arrived wrong, as %+v", n, st)
			}
		}
		return nil
	})
}

// MPI 4.1, section 3.7.4: many transfers may be in progress at once, and complete in
// any order.
func TestManyTransfersAtOnce(t *testing.T) {
	const transfers = 300
	everywhere(t, 3, func(w *mpi.Comm) error {
		right, left := (w.Rank()+1)%3, (w.Rank()+2)%3
		size := func(i int) int { return 1 + i*i%5000 }
		var reqs []*mpi.Request
		bufs := make([][]int, transfers)
		for i := range transfers {
			bufs[i] = make([]int, size(i))
			if i%2 == 0 {
				reqs = append(reqs, mpi.Irecv(w, bufs[i], left, i))
			}
			reqs = append(reqs, mpi.Isend(w, sequence(size(i), i), right, i))
			if i%2 == 1 {
				reqs = append(reqs, mpi.Irecv(w, bufs[i], left, i))
			}
		}
		for len(reqs) > transfers {
			i, _, err := mpi.WaitAny(reqs...)
			if err != nil {
				return err
			}
			reqs = append(reqs[:i], reqs[i+1:]...)
		}
		if err := mpi.WaitAll(reqs...); err != nil {
			return err
		}
		for i, b := range bufs {
			if err := equalAll(fmt.Sprint("message ", i), b, sequence(size(i), i)); err != nil {
				return err
			}
		}
		return nil
	})
}
