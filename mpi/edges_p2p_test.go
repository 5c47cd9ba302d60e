package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// onTwo runs fn on the reference transport and on the default NIC.
func onTwo(t *testing.T, n int, fn func(world *mpi.Comm) error, options ...mpitest.Option) {
	t.Helper()
	for _, tr := range transports[:2] {
		t.Run(fmt.Sprintf("%s/%d", tr.name, n), func(t *testing.T) {
			mpitest.Run(t, n, fn, append([]mpitest.Option{tr.option}, options...)...)
		})
	}
}

// sendWays are the calls that send; each waits for its request.
var sendWays = map[string]func(c *mpi.Comm, buf []int, dst, tag int) error{
	"Send":     mpi.Send[int],
	"Ssend":    mpi.Ssend[int],
	"Rsend":    mpi.Rsend[int],
	"Bsend":    mpi.Bsend[int],
	"Isend":    waitFor(mpi.Isend[int]),
	"Issend":   waitFor(mpi.Issend[int]),
	"Irsend":   waitFor(mpi.Irsend[int]),
	"Ibsend":   waitFor(mpi.Ibsend[int]),
	"SendInit": freed(mpi.SendInit[int]), "SsendInit": freed(mpi.SsendInit[int]), "RsendInit": freed(mpi.RsendInit[int]), "BsendInit": freed(mpi.BsendInit[int]),
	"PsendInit": freed(func(c *mpi.Comm, buf []int, dst, tag int) (*mpi.Request, error) {
		return mpi.PsendInit(c, buf, 1, dst, tag)
	}),
}

// freed starts a persistent request twice, and frees it.
func freed(make func(c *mpi.Comm, buf []int, dst, tag int) (*mpi.Request, error)) func(c *mpi.Comm, buf []int, dst, tag int) error {
	return func(c *mpi.Comm, buf []int, dst, tag int) error {
		r, err := make(c, buf, dst, tag)
		if err != nil {
			return err
		}
		if err := r.Start(); err != nil {
			return err
		}
		if err := r.Pready(0); err != nil && !errors.Is(err, mpi.ErrRequest) {
			return err
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
		return r.Free()
	}
}

// MPI 4.1, section 3.10: transfers with ProcNull complete at once, with the status of
// an empty receive; so do matched and persistent calls.
func TestEveryCallWithProcNull(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		if err := mpi.BufferAttach(w, nil); err != nil {
			return err
		}
		for name, send := range sendWays {
			if err := send(w, []int{1}, mpi.ProcNull, 3); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		buf := []int{7}
		nothing := func(what string, st mpi.Status, err error) error {
			if err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			return errors.Join(equal(what+": source", st.Source, mpi.ProcNull), equal(what+": tag", st.Tag, mpi.AnyTag),
				equal(what+": count", st.Count, 0), equal(what+": count of ints", mpi.Count[int](st), 0), equal(what+": buffer", buf[0], 7), equal(what+": cancelled", st.Cancelled(), false))
		}
		st, err := mpi.Recv(w, buf, mpi.ProcNull, 3)
		errs := []error{nothing("Recv", st, err)}
		st, err = mpi.Irecv(w, buf, mpi.ProcNull, mpi.AnyTag).Wait()
		errs = append(errs, nothing("Irecv", st, err))
		st, err = mpi.Probe(w, mpi.ProcNull, 3)
		errs = append(errs, nothing("Probe", st, err))
		st, found, err := mpi.Iprobe(w, mpi.ProcNull, 3)
		errs = append(errs, nothing("Iprobe", st, err), equal("found", found, true))
		m, st, err := mpi.Mprobe(w, mpi.ProcNull, 3)
		errs = append(errs, nothing("Mprobe", st, err))
		st, err = mpi.Mrecv(m, buf)
		errs = append(errs, nothing("Mrecv", st, err))
		m, st, found, err = mpi.Improbe(w, mpi.ProcNull, 3)
		errs = append(errs, nothing("Improbe", st, err), equal("found", found, true))
		st, err = mpi.Imrecv(m, buf).Wait()
		errs = append(errs, nothing("Imrecv", st, err))
		st, err = mpi.Sendrecv(w, []int{1}, mpi.ProcNull, 3, buf, mpi.ProcNull, 3)
		errs = append(errs, nothing("Sendrecv", st, err))
		st, err = mpi.SendrecvReplace(w, buf, mpi.ProcNull, 3, mpi.ProcNull, 3)
		errs = append(errs, nothing("SendrecvReplace", st, err))
		st, err = mpi.Isendrecv(w, []int{1}, mpi.ProcNull, 3, buf, mpi.ProcNull, 3).Wait()
		errs = append(errs, nothing("Isendrecv", st, err))
		st, err = mpi.IsendrecvReplace(w, buf, mpi.ProcNull, 3, mpi.ProcNull, 3).Wait()
		errs = append(errs, nothing("IsendrecvReplace", st, err))
		r, err := mpi.RecvInit(w, buf, mpi.ProcNull, 3)
		for range 2 {
			err = errors.Join(err, r.Start())
			var e error
			st, e = r.Wait()
			errs = append(errs, nothing("RecvInit", st, errors.Join(err, e)))
		}
		errs = append(errs, r.Free())
		r, err = mpi.PrecvInit(w, make([]int, 4), 4, mpi.ProcNull, 3)
		for range 2 {
			err = errors.Join(err, r.Start())
			there, e := r.Parrived(3)
			errs = append(errs, e, equal("Parrived", there, true))
			st, e = r.Wait()
			errs = append(errs, nothing("PrecvInit", st, errors.Join(err, e)))
		}
		errs = append(errs, r.Free())
		s, err := mpi.PsendInit(w, make([]int, 4), 4, mpi.ProcNull, 3)
		errs = append(errs, err, s.Start(), s.PreadyRange(0, 1), s.PreadyList(3, 2), waited(s), s.Free())
		// one half only
		other := 1 - w.Rank()
		st, err = mpi.Sendrecv(w, []int{w.Rank()}, other, 4, buf, mpi.ProcNull, 4)
		errs = append(errs, nothing("Sendrecv to somebody", st, err))
		got := []int{9}
		st, err = mpi.Sendrecv(w, []int{1}, mpi.ProcNull, 4, got, other, 4)
		errs = append(errs, err, equal("source", st.Source, other), equal("got", got[0], other))
		_, err = mpi.BufferDetach(w)
		return errors.Join(append(errs, err)...)
	})
}

// MPI 4.1, sections 3.2.2 and 3.3.1: an empty message is of any type; it is sent in
// every mode, keeps its place in the order, and can be probed.
func TestEmptyMessagesOfEveryWay(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		if err := mpi.BufferAttach(w, nil); err != nil {
			return err
		}
		ways := []string{"Bsend", "BsendInit", "Ibsend", "Irsend", "Isend", "Issend", "PsendInit", "Rsend", "RsendInit", "Send", "SendInit", "Ssend", "SsendInit"}
		if len(ways) != len(sendWays) {
			return errors.New("a way is left out")
		}
		for i, name := range ways {
			if w.Rank() == 0 {
				for _, buf := range [][]int{nil, {}} {
					if err := sendWays[name](w, buf, 1, i); err != nil {
						return fmt.Errorf("%s: %w", name, err)
					}
				}
				continue
			}
			if name == "PsendInit" {
				for range 2 {
					r, err := mpi.PrecvInit(w, []float64{}, 1, 0, i)
					if err != nil {
						return err
					}
					if err := errors.Join(r.Start(), waited(r), r.Free()); err != nil {
						return err
					}
				}
				continue
			}
			st, err := mpi.Probe(w, mpi.AnySource, i)
			if err := errors.Join(err, equal(name+" probed", st.Bytes, 0)); err != nil {
				return err
			}
			floats := []float64{1}
			st, err = mpi.Recv(w, floats, 0, i)
			if err := errors.Join(err, equal(name, st.Count, 0), equal("float", floats[0], 1)); err != nil {
				return err
			}
			m, _, err := mpi.Mprobe(w, 0, mpi.AnyTag)
			if err != nil {
				return err
			}
			st, err = mpi.Mrecv(m, []bool(nil))
			if err := errors.Join(err, equal(name, st.Count, 0), equal("tag", st.Tag, i)); err != nil {
				return err
			}
		}
		_, err := mpi.BufferDetach(w)
		return err
	})
}

// MPI 4.1, sections 3.7.3 and 3.7.5: null and inactive requests are not active: the calls for
// several return at once, with Undefined, no indices, and empty statuses.
func TestListsWithoutActiveRequests(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		send, err1 := mpi.SendInit(w, []int{1}, 1-w.Rank(), 5)
		recv, err2 := mpi.RecvInit(w, []int{0}, 1-w.Rank(), 5)
		psend, err3 := mpi.PsendInit(w, make([]int, 4), 2, 1-w.Rank(), 6)
		precv, err5 := mpi.PrecvInit(w, make([]int, 4), 2, 1-w.Rank(), 6)
		coll, err4 := mpi.BarrierInit(w)
		done := mpi.Isend(w, []int{}, mpi.ProcNull, 0)
		if err := errors.Join(err1, err2, err3, err4, err5, waited(done)); err != nil {
			return err
		}
		empty := func(what string, st mpi.Status) error {
			return errors.Join(equal(what+": source", st.Source, mpi.AnySource), equal(what+": tag", st.Tag, mpi.AnyTag), equal(what+": count", st.Count, 0), equal(what+": bytes", st.Bytes, 0), equal(what+": cancelled", st.Cancelled(), false))
		}
		for name, reqs := range map[string][]*mpi.Request{"none": nil, "nil": {nil, nil}, "inactive": {send, nil, recv, psend, precv, coll, done}} {
			i, st, err := mpi.WaitAny(reqs...)
			errs := []error{err, equal("WaitAny", i, mpi.Undefined), empty("WaitAny", st)}
			i, st, flag, err := mpi.TestAny(reqs...)
			errs = append(errs, err, equal("TestAny", i, mpi.Undefined), equal("TestAny", flag, true), empty("TestAny", st))
			i, st, flag, err = mpi.StatusAny(reqs...)
			errs = append(errs, err, equal("StatusAny", i, mpi.Undefined), equal("StatusAny", flag, true), empty("StatusAny", st))
			index, sts, err := mpi.WaitSome(reqs...)
			errs = append(errs, err, equal("WaitSome", index == nil, true), equal("WaitSome", len(sts), 0))
			index, sts, err = mpi.TestSome(reqs...)
			errs = append(errs, err, equal("TestSome", index == nil, true), equal("TestSome", len(sts), 0))
			index, sts, err = mpi.StatusSome(reqs...)
			errs = append(errs, err, equal("StatusSome", index == nil, true), equal("StatusSome", len(sts), 0))
			sts, flag, err = mpi.TestAll(reqs...)
			errs = append(errs, err, equal("TestAll", flag, true), equal("TestAll", len(sts), len(reqs)))
			sts2, flag, err := mpi.StatusAll(reqs...)
			errs = append(errs, err, equal("StatusAll", flag, true), equal("StatusAll", len(sts2), len(reqs)))
			sts3, err := mpi.WaitAllStatus(reqs...)
			errs = append(errs, err, equal("WaitAllStatus", len(sts3), len(reqs)), mpi.WaitAll(reqs...))
			for _, st := range slices.Concat(sts, sts2, sts3) {
				errs = append(errs, empty("statuses", st))
			}
			for _, r := range reqs {
				st, err := r.Wait()
				errs = append(errs, err, empty("Wait", st))
				st, flag, err := r.Test()
				errs = append(errs, err, equal("Test", flag, true), empty("Test", st))
				st, flag, err = r.Status()
				errs = append(errs, err, equal("Status", flag, true), empty("Status", st))
			}
			if err := errors.Join(errs...); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		// an inactive request among active ones is skipped
		active := mpi.Irecv(w, []int{0}, 1-w.Rank(), 8)
		if err := mpi.Send(w, []int{4}, 1-w.Rank(), 8); err != nil {
			return err
		}
		i, st, err := mpi.WaitAny(nil, send, active, recv)
		if err := errors.Join(err, equal("WaitAny", i, 2), equal("count", st.Count, 1)); err != nil {
			return err
		}
		return errors.Join(send.Free(), recv.Free(), psend.Free(), precv.Free(), coll.Free())
	})
}

// MPI 4.1, section 3.9: a persistent request is started when it is inactive and not
// before it is complete, and is inactive, not gone, after any call has completed it;
// one that is freed while it is active continues.
func TestPersistentRequestsInEveryWait(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		other, in := 1-w.Rank(), []int{0}
		send, err1 := mpi.SendInit(w, []int{5}, other, 1)
		recv, err2 := mpi.RecvInit(w, in, other, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		reqs := []*mpi.Request{send, nil, recv}
		waits := []func() error{
			func() error { return mpi.WaitAll(reqs...) },
			func() error {
				sts, err := mpi.WaitAllStatus(reqs...)
				return errors.Join(err, equal("count", sts[2].Count, 1))
			},
			func() error {
				var seen []int
				for {
					i, _, err := mpi.WaitAny(reqs...)
					if i == mpi.Undefined || err != nil {
						slices.Sort(seen)
						return errors.Join(err, equalAll("WaitAny", seen, []int{0, 2}))
					}
					seen = append(seen, i)
				}
			},
			func() error {
				var seen []int
				for {
					index, _, err := mpi.WaitSome(reqs...)
					if index == nil || err != nil {
						slices.Sort(seen)
						return errors.Join(err, equalAll("WaitSome", seen, []int{0, 2}))
					}
					seen = append(seen, index...)
				}
			},
			func() error {
				for {
					if _, done, err := mpi.TestAll(reqs...); done || err != nil {
						return err
					}
				}
			},
			func() error {
				for n := 0; n < 2; {
					i, _, done, err := mpi.TestAny(reqs...)
					if err != nil {
						return err
					}
					if done && i == mpi.Undefined {
						return fmt.Errorf("after %d", n)
					}
					if done {
						n++
					}
				}
				return nil
			},
			func() error { <-send.Done(); <-recv.Done(); return errors.Join(waited(send), waited(recv)) },
		}
		for k, wait := range waits {
			in[0] = 0
			if err := mpi.StartAll(send, recv); err != nil {
				return err
			}
			if err := tells(recv.Start(), mpi.ErrRequest, "Start"); err != nil {
				return err
			}
			if err := wait(); err != nil {
				return fmt.Errorf("wait %d: %w", k, err)
			}
			if err := errors.Join(equal("received", in[0], 5), mpi.Barrier(w)); err != nil {
				return err
			}
		}
		if err := is(mpi.StartAll(send, nil, recv), mpi.ErrRequest, ""); err != nil { // starts those that can be started
			return err
		}
		return errors.Join(mpi.WaitAll(reqs...), send.Free(), recv.Free())
	})
}

// MPI 4.1, section 3.8.2 and example 3.20: goroutines that match messages get each one
// once, however they then receive it, while others receive with wildcards on another
// communicator.
func TestMatchedReceivesOfGoroutines(t *testing.T) {
	const each, takers = 40, 4
	onTwo(t, 3, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() > 0 {
			for i := range each {
				if err := errors.Join(mpi.Send(w, sequence(i, i), 0, i), mpi.Send(d, []int{-i}, 0, i)); err != nil {
					return err
				}
			}
			return d.Free()
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen, failed := map[[2]int]int{}, error(nil)
		for g := range takers {
			wg.Go(func() {
				for range 2 * each / takers {
					m, st, err := mpi.Mprobe(w, mpi.AnySource, mpi.AnyTag)
					buf := make([]int, mpi.Count[int](st))
					if err == nil && g%2 == 0 {
						_, err = mpi.Mrecv(m, buf)
					} else if err == nil {
						err = waited(mpi.Imrecv(m, buf))
					}
					err = errors.Join(err, equalAll("message", buf, sequence(st.Tag, st.Tag)))
					other := []int{0}
					st2, e := mpi.Recv(d, other, mpi.AnySource, mpi.AnyTag)
					err = errors.Join(err, e, equal("other", other[0], -st2.Tag))
					mu.Lock()
					seen[[2]int{st.Source, st.Tag}]++
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		return errors.Join(failed, equal("messages", len(seen), 2*each), d.Free())
	})
}
