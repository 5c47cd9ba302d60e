package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// line returns the line of its caller.
func line() string {
	_, file, n, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, n)
}

// An unreceivedSender sends messages to rank 0, which does not receive all of them, and
// returns the lines that have sent those, in the order in which they are reported.
type unreceivedSender func(w, other *mpi.Comm) (lines []string, err error)

// A rank that has not received messages is told the lines that have sent them, whatever
// call that was.
func TestLinesOfMessagesThatNobodyReceives(t *testing.T) {
	one := []int{1}
	at := func(line string, err error) ([]string, error) { return []string{line}, err }
	for _, tc := range []struct {
		name  string
		from1 unreceivedSender
		at0   func(w, other *mpi.Comm) error
	}{
		{"Send", func(w, _ *mpi.Comm) ([]string, error) { return at(line(), mpi.Send(w, one, 0, 5)) }, nil},
		{"Rsend", func(w, _ *mpi.Comm) ([]string, error) { return at(line(), mpi.Rsend(w, one, 0, 5)) }, nil},
		{"Isend", func(w, _ *mpi.Comm) ([]string, error) { return at(line(), mpi.WaitAll(mpi.Isend(w, one, 0, 5))) }, nil},
		{"many by Isend", func(w, _ *mpi.Comm) (lines []string, err error) {
			for range 7 {
				lines, err = append(lines, line()), errors.Join(err, mpi.WaitAll(mpi.Isend(w, one, 0, 5)))
			}
			return lines, err
		}, nil},
		{"Isend of an array", func(w, _ *mpi.Comm) ([]string, error) {
			return at(line(), mpi.WaitAll(mpi.Isend(w, [][3]float64{{}}, 0, 5)))
		}, nil},
		{"Bsend", func(w, _ *mpi.Comm) ([]string, error) {
			return at(line(), errors.Join(w.AttachBuffer(nil), mpi.Bsend(w, one, 0, 5)))
		}, nil},
		{"Sendrecv", func(w, _ *mpi.Comm) ([]string, error) {
			where := line()
			_, err := mpi.Sendrecv(w, one, 0, 5, []int{0}, 0, 6) // which is one line below
			return at(below(where), err)
		}, func(w, _ *mpi.Comm) error { return mpi.Send(w, one, 1, 6) }},
		{"within a context", func(w, _ *mpi.Comm) ([]string, error) {
			return at(line(), mpi.Send(w.WithContext(context.WithoutCancel(context.Background())), one, 0, 5))
		}, nil},
		{"Start", func(w, _ *mpi.Comm) ([]string, error) {
			r, err := mpi.SendInit(w, one, 0, 5)
			if err != nil {
				return nil, err
			}
			return at(line(), errors.Join(r.Start(), waited(r), r.Free()))
		}, nil},
		{"the second of two", func(w, _ *mpi.Comm) ([]string, error) {
			if err := mpi.Send(w, one, 0, 5); err != nil {
				return nil, err
			}
			return at(line(), mpi.Send(w, one, 0, 5))
		}, func(w, _ *mpi.Comm) error { _, err := mpi.Recv(w, []int{0}, 1, 5); return err }},
		{"of several lines, in turn", func(w, _ *mpi.Comm) (lines []string, err error) {
			for range 3 {
				lines, err = append(lines, line()), errors.Join(err, mpi.Send(w, one, 0, 5))
				lines, err = append(lines, line()), errors.Join(err, mpi.Send(w, one, 0, 5))
			}
			return lines, err
		}, nil},
		{"of several tags", func(w, _ *mpi.Comm) ([]string, error) {
			a, err := line(), mpi.Send(w, one, 0, 5)
			b, err2 := line(), mpi.Send(w, one, 0, 6)
			return []string{a, b}, errors.Join(err, err2)
		}, nil},
		{"on another communicator", func(_, other *mpi.Comm) ([]string, error) { return at(line(), mpi.Send(other, one, 1, 5)) }, nil},
		{"matched by a probe", func(w, _ *mpi.Comm) ([]string, error) {
			return at(line(), errors.Join(mpi.Send(w, one, 0, 5), mpi.Send(w, one, 0, 5)))
		}, func(w, _ *mpi.Comm) error {
			_, _, err := mpi.Mprobe(w, 1, 5)
			_, err2 := mpi.Recv(w, []int{0}, 1, 5)
			return errors.Join(err, err2)
		}},

		// If the line is not known, it is not reported.
		{"matched by a probe, of two lines", func(w, _ *mpi.Comm) ([]string, error) {
			err := mpi.Send(w, one, 0, 5)
			return at("", errors.Join(err, mpi.Send(w, one, 0, 5)))
		}, func(w, _ *mpi.Comm) error {
			_, _, err := mpi.Mprobe(w, 1, 5)
			_, err2 := mpi.Recv(w, []int{0}, 1, 5)
			return errors.Join(err, err2)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			everywhere(t, 2, func(w *mpi.Comm) error {
				other, err := w.Split(0, -w.Rank()) // its ranks are numbered in reverse order
				if err != nil {
					return err
				}
				if w.Rank() == 1 {
					lines, err := tc.from1(w, other)
					if err == nil {
						err = mpi.Send(w, []byte(strings.Join(lines, "\n")), 0, 99)
					}
					return errors.Join(err, mpi.Finalize(w))
				}
				if tc.at0 != nil {
					if err := tc.at0(w, other); err != nil {
						return err
					}
				}
				buf := make([]byte, 8<<10)
				st, err := mpi.Recv(w, buf, 1, 99)
				if err != nil {
					return err
				}
				return sentAt(mpi.Finalize(w), strings.Split(string(buf[:st.Count]), "\n"))
			})
		})
	}
}

// below returns the line after one.
func below(at string) string {
	i, n := strings.LastIndex(at, ":"), 0
	fmt.Sscan(at[i+1:], &n)
	return fmt.Sprintf("%s:%d", at[:i], n+1)
}

// sentAt is an error if err does not name these lines of messages, in this order, and
// no others.
func sentAt(err error, lines []string) error {
	if err := tells(err, mpi.ErrPending, neverReceived(len(lines))); err != nil {
		return err
	}
	_, text, _ := strings.Cut(err.Error(), "\n")
	got := strings.Split(text, "\n")
	for i, want := range lines {
		_, more, known := strings.Cut(got[i], ", sent at ")
		at, _, _ := strings.Cut(more, ",")
		if at != want || known != (want != "") {
			return fmt.Errorf("message %d is said to be sent at %q, want %q, in\n%v", i, at, want, err)
		}
	}
	return equal("messages", len(got), len(lines))
}

// The line of a message that was not received, and whose sender does not wait any more,
// is also reported.
func TestTheLineOfAnOffer(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, send := range []func(w *mpi.Comm) (string, error){
		func(w *mpi.Comm) (string, error) { return line(), mpi.Isend(w, make([]byte, 1<<20), 0, 5).Free() },
		func(w *mpi.Comm) (string, error) { return line(), mpi.Issend(w, make([]byte, 1<<20), 0, 5).Free() },
		func(w *mpi.Comm) (string, error) { return line(), mpi.Issend(w, make([]byte, 8), 0, 5).Free() },
	} {
		where := make(chan string, 1)
		mpitest.Run(t, 2, func(w *mpi.Comm) error {
			if w.Rank() == 0 {
				return sentAt(mpi.Finalize(w), []string{<-where})
			}
			at, err := send(w)
			where <- at
			return errors.Join(err, tells(mpi.Finalize(w), mpi.ErrPending, "1 send whose request was freed was never received"))
		}, mpitest.NIC("martini"))
	}
}

// Messages that were withdrawn, and have not arrived, are not mistaken for others.
func TestTheLineAfterMessagesThatWereGivenUp(t *testing.T) {
	where := make(chan string, 1)
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			at := <-where
			return sentAt(mpi.Finalize(w), []string{at, at})
		}
		giveUp := func() error {
			ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
			defer stop()
			return mpi.Ssend(w.WithContext(ctx), []int{1}, 0, 5)
		}
		where <- below(below(line()))
		for range 2 {
			if err := errors.Join(mpi.Send(w, []int{1}, 0, 5), is(giveUp(), mpi.ErrCancelled, "")); err != nil {
				return err
			}
		}
		return mpi.Finalize(w)
	}, mpitest.Mailboxes())
}

// Each rank asks several others, and answers them.
func TestLinesOfManySenders(t *testing.T) {
	everywhere(t, 5, func(w *mpi.Comm) error {
		for to := range w.Size() {
			if err := mpi.Send(w, []int{1}, to, 5); err != nil {
				return err
			}
		}
		want := below(below(line()))
		for to := range w.Size() {
			if err := mpi.Send(w, []int{1}, to, 6+w.Rank()); err != nil {
				return err
			}
			if _, err := mpi.Recv(w, []int{1}, to, 5); err != nil {
				return err
			}
		}
		return sentAt(mpi.Finalize(w), slices.Repeat([]string{want}, w.Size()))
	})
}

// Where a rank has died no rank is asked for lines, since it may be dead, too.
func TestNobodyIsAskedWhereRanksHaveDied(t *testing.T) {
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		pair, err := w.Split(w.Rank()/2, 0)
		if err != nil {
			return err
		}
		switch w.Rank() {
		case 2:
			for from := range 2 { // Split needs this rank until the others are out of it
				if _, err := mpi.Recv(w, []int{1}, from, 7); err != nil {
					return err
				}
			}
			mpitest.Die()
		default:
			if err := mpi.Send(w, []int{1}, 2, 7); err != nil {
				return err
			}
		}
		switch w.Rank() {
		case 1:
			return errors.Join(mpi.Send(pair, []int{1}, 0, 5), mpi.Finalize(w))
		}
		if _, err := mpi.Probe(pair, 1, 5); err != nil {
			return err
		}
		return sentAt(mpi.Finalize(w), []string{""})
	}, mpitest.NIC("martini"), mpitest.KeepGoing())
}
