package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, sections 3.7.2 and 3.7.3: until a request is complete its buffer must not be
// changed, and no other request may receive into it. A checked job names the request
// and, if there is one, the other, with the lines that made them.
func TestBuffersOfPendingRequests(t *testing.T) {
	const changed, overlaps = "the buffer was changed before the request (", "the buffer overlaps that of a request that was not complete: "
	long := make([]int, 1<<17)
	for _, tc := range []struct {
		name string
		run  func(w *mpi.Comm, buf []int, other int) error
		want string // of rank 0; "" if there is no error
	}{
		{"sent and written, Wait", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Isend(w, buf, other, 0)
			buf[3]++
			return waited(r)
		}, changed},
		{"sent and written, Test", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Issend(w, buf, other, 0)
			buf[3]++
			for {
				if _, done, err := r.Test(); done {
					return err
				}
			}
		}, changed},
		{"sent and written, WaitAll", func(w *mpi.Comm, buf []int, other int) error {
			r, s := mpi.Isend(w, buf, other, 0), mpi.Issend(w, long[:5000], other, 1)
			buf[3]++
			return mpi.WaitAll(r, s)
		}, changed},
		{"sent and written, WaitAll of a synchronous one", func(w *mpi.Comm, buf []int, other int) error {
			r, s := mpi.Isend(w, long[:4], other, 0), mpi.Issend(w, buf, other, 1)
			buf[3]++
			return mpi.WaitAll(r, s)
		}, changed},
		{"sent and written, WaitAny", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Issend(w, buf, other, 0)
			buf[3]++
			_, _, err := mpi.WaitAny(r)
			return err
		}, changed},
		{"sent and written, Done", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Issend(w, buf, other, 0)
			buf[3]++
			<-r.Done()
			return waited(r)
		}, changed},
		{"a persistent send", func(w *mpi.Comm, buf []int, other int) error {
			r, err := mpi.SsendInit(w, buf, other, 0)
			if err != nil {
				return err
			}
			err = r.Start()
			buf[3]++
			return errors.Join(err, waited(r))
		}, changed},
		{"two receives", func(w *mpi.Comm, buf []int, other int) error {
			r, s := mpi.Irecv(w, buf[:3], other, 5), mpi.Irecv(w, buf[2:], other, 6)
			return errors.Join(mpi.Send(w, long[:1], other, 0), waited(r), waited(s))
		}, overlaps + "Irecv on world from 1 tag 5: 24 bytes ("},
		{"a receive into what is sent", func(w *mpi.Comm, buf []int, other int) error {
			buf[1] = 7 // the received number differs, which is not reported, too
			r := mpi.Issend(w, buf, other, 0)
			s := mpi.Irecv(w, buf[1:2], other, 6)
			return errors.Join(waited(s), waited(r))
		}, overlaps + "Issend on world to 1 tag 0: 32 bytes ("},
		{"a send of what is received", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Irecv(w, buf, other, 5)
			s := mpi.Isend(w, buf[3:], other, 0)
			return errors.Join(waited(s), waited(r))
		}, overlaps + "Irecv on world from 1 tag 5: 32 bytes ("},
		{"a blocking send of what is received", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Irecv(w, buf, other, 5)
			return errors.Join(mpi.Send(w, buf[3:], other, 0), waited(r))
		}, overlaps + "Irecv on world from 1 tag 5: 32 bytes ("},
		{"a synchronous send of what is received", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Irecv(w, buf, other, 5)
			return errors.Join(mpi.Ssend(w, buf[:1], other, 0), waited(r))
		}, overlaps + "Irecv on world from 1 tag 5: 32 bytes ("},
		{"a blocking receive into what is sent", func(w *mpi.Comm, buf []int, other int) error {
			buf[1] = 7
			r := mpi.Issend(w, buf, other, 0)
			_, err := mpi.Recv(w, buf[1:2], other, 6)
			return errors.Join(err, waited(r))
		}, overlaps + "Issend on world to 1 tag 0: 32 bytes ("},
		{"a blocking receive into what is received", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Irecv(w, buf, other, 5)
			_, err := mpi.Recv(w, buf[1:], mpi.AnySource, 6)
			return errors.Join(err, waited(r))
		}, overlaps + "Irecv on world from 1 tag 5: 32 bytes ("},
		{"an exchange that sends what is received", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Irecv(w, buf, other, 5)
			_, err := mpi.Sendrecv(w, buf[:1], other, 0, long[:2], other, 6)
			return errors.Join(err, waited(r))
		}, overlaps + "Irecv on world from 1 tag 5: 32 bytes ("},
		{"an exchange that receives into what is sent", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Issend(w, buf, other, 1)
			_, err := mpi.Sendrecv(w, long[:1], other, 0, buf[1:2], other, 6)
			return errors.Join(err, waited(r))
		}, overlaps + "Issend on world to 1 tag 1: 32 bytes ("},
		{"a column sent of what is received", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Irecv(w, buf, other, 5)
			return errors.Join(mpi.Send(w, column(buf, 1, 2), other, 0), waited(r))
		}, overlaps + "Irecv on world from 1 tag 5: 32 bytes ("},
		{"a column received into what is received", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Irecv(w, buf[2:], other, 5)
			_, err := mpi.Recv(w, column(buf, 1, 2), other, 6)
			return errors.Join(err, waited(r))
		}, overlaps + "Irecv on world from 1 tag 5: 16 bytes ("},
		{"blocking calls beside", func(w *mpi.Comm, buf []int, other int) error {
			r, s := mpi.Irecv(w, buf[1:3], other, 5), mpi.Isend(w, buf[3:], other, 0)
			_, err := mpi.Recv(w, buf[:1], other, 6)
			return errors.Join(err, mpi.Send(w, buf[:1], other, 1), mpi.Send(w, buf[3:], other, 2), mpi.WaitAll(r, s))
		}, ""},
		{"a column sent and written", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Isend(w, column(buf, 1, 2), other, 0)
			buf[3]++
			return waited(r)
		}, changed},
		{"a column received twice", func(w *mpi.Comm, buf []int, other int) error {
			r, s := mpi.Irecv(w, column(buf, 0, 2), other, 5), mpi.Irecv(w, column(buf, 0, 2), other, 6)
			return errors.Join(mpi.Send(w, long[:1], other, 0), waited(r), waited(s))
		}, overlaps + "Irecv on world from 1 tag 5: 16 bytes ("},
		{"a column of a row that is received", func(w *mpi.Comm, buf []int, other int) error {
			r, s := mpi.Irecv(w, buf[2:], other, 5), mpi.Isend(w, column(buf, 1, 2), other, 0)
			return errors.Join(waited(r), waited(s))
		}, overlaps + "Irecv on world from 1 tag 5: 16 bytes ("},
		{"a column sent, and the other one written", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Isend(w, column(buf, 1, 2), other, 0)
			buf[2]++
			return waited(r)
		}, ""},
		{"two columns", func(w *mpi.Comm, buf []int, other int) error {
			return mpi.WaitAll(mpi.Irecv(w, column(buf, 0, 2), other, 5), mpi.Irecv(w, column(buf, 1, 2), other, 6), mpi.Isend(w, long[:1], other, 0))
		}, ""},

		{"written after", func(w *mpi.Comm, buf []int, other int) error {
			err := waited(mpi.Isend(w, buf, other, 0))
			buf[3]++
			return err
		}, ""},
		{"the same sent twice", func(w *mpi.Comm, buf []int, other int) error {
			return mpi.WaitAll(mpi.Isend(w, buf, other, 0), mpi.Issend(w, buf, other, 1))
		}, ""},
		{"neighbors", func(w *mpi.Comm, buf []int, other int) error {
			return mpi.WaitAll(mpi.Irecv(w, buf[:2], other, 5), mpi.Irecv(w, buf[2:], other, 6), mpi.Isend(w, long[:1], other, 0))
		}, ""},
		{"one after the other", func(w *mpi.Comm, buf []int, other int) error {
			if err := waited(mpi.Irecv(w, buf, other, 5)); err != nil {
				return err
			}
			return mpi.WaitAll(mpi.Irecv(w, buf, other, 6))
		}, ""},
		{"freed", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Isend(w, buf, other, 0)
			return errors.Join(r.Free(), mpi.WaitAll(mpi.Isend(w, buf, other, 1)))
		}, ""},
		{"cancelled and freed", func(w *mpi.Comm, buf []int, other int) error {
			r := mpi.Irecv(w, buf, other, 9)
			return errors.Join(r.Cancel(), r.Free(), waited(mpi.Irecv(w, buf, other, 5)))
		}, ""},
	} {
		for _, again := range []int{0, 4} {
			t.Run(fmt.Sprintf("%s/%d", tc.name, again), func(t *testing.T) {
				everywhere(t, 2, func(w *mpi.Comm) error {
					if w.Rank() == 1 { // receives all messages, and sends one for any receive
						err := errors.Join(mpi.Send(w, long[:2], 0, 5), mpi.Send(w, long[:1], 0, 6))
						for {
							st, e := mpi.Recv(w, make([]int, len(long)), 0, mpi.AnyTag)
							if err = errors.Join(err, e); e != nil {
								return err
							}
							if st.Tag == 9 {
								return errors.Join(err, mpi.Send(w, []int{}, 0, 8)) // after the others
							}
						}
					}
					var k tally
					if err := w.SetErrhandler(k.comm); err != nil {
						return err
					}
					for range again { // so that the short path, which reuses transfers, is tested, too
						if err := mpi.WaitAll(mpi.Irecv(w, make([]int, 1), 0, 7), mpi.Isend(w, long[:1], 0, 7), mpi.Isend(w, long[:1], 1, 7)); err != nil {
							return err
						}
					}
					err := tc.run(w, make([]int, 4), 1)
					if wrong := len(k.seen) == 1 && errors.Is(k.seen[0], mpi.ErrBuffer); wrong != (tc.want != "") || len(k.seen) > 1 {
						return fmt.Errorf("the handler was called with %v", k.seen)
					}
					if e := mpi.Send(w, []int{}, 1, 9); e != nil {
						return e
					}
					if _, e := mpi.Recv(w, []int{}, 1, 8); e != nil {
						return e
					}
					for _, tag := range []int{5, 6} { // messages that the case has not received
						if _, found, e := mpi.Iprobe(w, 1, tag); found {
							_, e2 := mpi.Recv(w, make([]int, 4), 1, tag)
							e = errors.Join(e, e2)
							if e != nil {
								return e
							}
						}
					}
					if tc.want == "" {
						return err
					}
					if !errors.Is(err, mpi.ErrBuffer) || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "guard_test.go:") {
						return fmt.Errorf("want %q, got %v", tc.want, err)
					}
					return nil
				})
			})
		}
	}
}

// Without the check buffers are not compared.
func TestBuffersAreGuardedInCheckedJobsOnly(t *testing.T) {
	for _, check := range []bool{false, true} {
		ts, release, err := mpi.Local(1, "")
		if err != nil {
			t.Fatal(err)
		}
		w, err := mpi.Join(mpi.Job{Size: 1, Transport: ts[0], Check: check, Debug: check})
		if err != nil {
			t.Fatal(err)
		}
		buf := []int{1}
		r := mpi.Isend(w, buf, 0, 0)
		buf[0]++
		_, recv := mpi.Recv(w, []int{0}, 0, 0)
		if _, err := r.Wait(); (err != nil) != check || recv != nil {
			t.Errorf("checked %v: %v, %v", check, err, recv)
		}
		if err := errors.Join(mpi.Finalize(w), release()); err != nil {
			t.Error(err)
		}
	}
}
