package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// inSessions runs fn on n processes that have no world, over each transport.
func inSessions(t *testing.T, n int, fn func(s *mpi.Session) error) {
	t.Helper()
	for _, tr := range transports {
		t.Run(fmt.Sprintf("%s/%d", tr.name, n), func(t *testing.T) {
			if err := mpitest.Sessions(n, fn, tr.option); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// fromPset makes the communicator of a set of processes.
func fromPset(s *mpi.Session, pset, tag string) (*mpi.Comm, error) {
	g, err := s.Group(pset)
	if err != nil {
		return nil, err
	}
	return mpi.CommFromGroup(g, tag)
}

// MPI 4.1, sections 11.3.2 and 7.4.2: a program may use only sets of processes:
// mpi://WORLD has all of them, mpi://SELF the caller.
func TestSessionsNeedNoWorld(t *testing.T) {
	for n := 1; n <= 5; n++ {
		inSessions(t, n, func(s *mpi.Session) error {
			names, err := s.Psets()
			if err != nil {
				return err
			}
			if err := equalAll("sets of processes", names, []string{mpi.PsetWorld, mpi.PsetSelf}); err != nil {
				return err
			}
			for pset, size := range map[string]int{mpi.PsetWorld: n, mpi.PsetSelf: 1} {
				info, err := s.PsetInfo(pset)
				if err := errors.Join(err, equal(pset, info["mpi_size"], fmt.Sprint(size))); err != nil {
					return err
				}
			}
			all, err := fromPset(s, mpi.PsetWorld, "all")
			if err != nil {
				return err
			}
			self, err := fromPset(s, mpi.PsetSelf, "self")
			if err != nil {
				return err
			}
			sum, one := []int{0}, []int{0}
			err = errors.Join(mpi.Allreduce(all, []int{all.Rank()}, sum, mpi.Sum), mpi.Allreduce(self, []int{7}, one, mpi.Sum))
			return errors.Join(err, equal("sum", sum[0], n*(n-1)/2), equal("alone", one[0], 7), self.Free(), all.Free())
		})
	}
}

// MPI 4.1, section 7.4.2 (MPI_Comm_create_from_group): only the processes of the group
// make the call, and tags distinguish calls that are made at once.
func TestCommunicatorsFromGroupsMadeAtOnce(t *testing.T) {
	inSessions(t, 5, func(s *mpi.Session) error {
		g, err := s.Group(mpi.PsetWorld)
		if err != nil {
			return err
		}
		me := g.Rank()
		const groups = 4
		calls := make(chan error, groups)
		begun := 0
		for i := range groups { // the first leaves out rank 0, and so on
			part, err := g.Excl(i)
			if err != nil {
				return err
			}
			if me == i {
				_, err := mpi.CommFromGroup(part, "part")
				if err := is(err, mpi.ErrGroup, ""); err != nil {
					return err
				}
				continue
			}
			begun++
			go func() {
				calls <- func() error {
					c, err := mpi.CommFromGroup(part, fmt.Sprint("part ", i%2))
					if err != nil {
						return err
					}
					got := make([]int, c.Size())
					if err := mpi.Allgather(c, []int{me}, got); err != nil {
						return err
					}
					var want []int
					for r := range 5 {
						if r != i {
							want = append(want, r)
						}
					}
					return errors.Join(equalAll("members", got, want), c.Free())
				}()
			}()
		}
		for range begun {
			if err := <-calls; err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, section 7.6.2 (MPI_Intercomm_create_from_groups).
func TestInterCommunicatorsFromGroups(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		inSessions(t, n, func(s *mpi.Session) error {
			g, err := s.Group(mpi.PsetWorld)
			if err != nil {
				return err
			}
			low, err := g.Incl(0)
			if err != nil {
				return err
			}
			local, remote, leader, other := low, g.Difference(low), 0, n-2
			if g.Rank() > 0 {
				local, remote, leader, other = remote, local, n-2, 0
			}
			if local.Rank() != leader {
				remote, other = nil, -7 // only the leader's arguments matter
			}
			c, err := mpi.IntercommFromGroups(local, leader, remote, other, "pair")
			if err != nil {
				return err
			}
			return errors.Join(equal("size", c.Size(), local.Size()), exchangeAcross(c), c.Free())
		})
	}
}

// MPI 4.1, section 11.3: sessions that exist at once, also with a world, do not depend
// on each other, and may end in any order.
func TestSessionsBesideAWorld(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		first, err := w.Session()
		if err != nil {
			return err
		}
		second, err := first.Open()
		if err != nil {
			return err
		}
		c, err := fromPset(second, mpi.PsetWorld, "second"+strings.Repeat("x", 5000))
		if err != nil {
			return err
		}
		d, err := c.Dup()
		if err != nil {
			return err
		}
		win, err := mpi.WinAllocate[int](d, 1)
		if err != nil {
			return err
		}
		if err := first.Finalize(); err != nil {
			return err
		}
		left := second.Finalize()
		if err := is(left, mpi.ErrSession, ""); err != nil {
			return err
		}
		if n := len(left.Error()); n > 1000 {
			return fmt.Errorf("the error has %d bytes", n)
		}
		if err := errors.Join(win.Free(), d.Free()); err != nil {
			return err
		}
		if err := mpi.Finalize(w); err != nil {
			return err
		}
		if err := errors.Join(mpi.Barrier(c), c.Free(), second.Finalize()); err != nil {
			return err
		}
		return is(second.Finalize(), mpi.ErrSession, "")
	})
}

// MPI 4.1, section 3.6: the buffer of a session is used by its communicators.
func TestSendBufferOfASession(t *testing.T) {
	inSessions(t, 2, func(s *mpi.Session) error {
		c, err := fromPset(s, mpi.PsetWorld, "")
		if err != nil {
			return err
		}
		if err := is(mpi.Bsend(c, []int{1}, 1, 0), mpi.ErrBuffer, ""); err != nil {
			return err
		}
		buf := make([]byte, 1000)
		if err := s.AttachBuffer(buf); err != nil {
			return err
		}
		if err := is(s.AttachBuffer(buf), mpi.ErrBuffer, ""); err != nil {
			return err
		}
		other, got := 1-c.Rank(), []int{0}
		if err := mpi.Bsend(c, []int{c.Rank()}, other, 0); err != nil {
			return err
		}
		if _, err := mpi.Recv(c, got, other, 0); err != nil {
			return err
		}
		r := s.IflushBuffer()
		back, err := s.DetachBuffer()
		return errors.Join(err, s.FlushBuffer(), waited(r), equal("got", got[0], other), equal("buffer", len(back), 1000), c.Free())
	})
}

// Wrong uses of sessions.
func TestMistakesOfSessions(t *testing.T) {
	inSessions(t, 2, func(s *mpi.Session) error {
		_, err := s.Group("mpi://NOWHERE")
		if err := is(err, mpi.ErrArg, ""); err != nil {
			return err
		}
		if _, err := s.PsetInfo("x"); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("a wrong name: %v", err)
		}
		g, err := s.Group(mpi.PsetSelf)
		if err != nil {
			return err
		}
		if _, err := mpi.IntercommFromGroups(g, 1, nil, 0, ""); !errors.Is(err, mpi.ErrRank) {
			return fmt.Errorf("a wrong leader: %v", err)
		}
		if _, err := mpi.IntercommFromGroups(g, 0, g, 1, ""); !errors.Is(err, mpi.ErrRank) {
			return fmt.Errorf("a wrong remote leader: %v", err)
		}
		if _, err := mpi.IntercommFromGroups(g, 0, g, 0, ""); !errors.Is(err, mpi.ErrGroup) {
			return fmt.Errorf("one group twice: %v", err)
		}
		if _, err := mpi.CommFromGroup(g, "", mpi.Info{mpi.HintAlgorithms: "bcast=magic"}); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("a wrong hint: %v", err)
		}
		o, err := s.Open()
		if err != nil {
			return err
		}
		h, err := o.Group(mpi.PsetSelf)
		if err := errors.Join(err, o.Finalize()); err != nil {
			return err
		}
		_, failed := mpi.CommFromGroup(h, "")
		failures := map[string]error{"CommFromGroup": failed, "Attach": o.AttachBuffer(nil), "Flush": o.FlushBuffer(), "Iflush": waited(o.IflushBuffer())}
		_, failures["Psets"] = o.Psets()
		_, failures["Info"] = o.Info()
		_, failures["Open"] = o.Open()
		_, failures["Detach"] = o.DetachBuffer()
		_, failures["Group"] = (*mpi.Session)(nil).Group(mpi.PsetSelf)
		for call, err := range failures {
			if err := is(err, mpi.ErrSession, ""); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		c, err := fromPset(s, mpi.PsetWorld, "with a request")
		if err != nil {
			return err
		}
		if err := is(s.Finalize(), mpi.ErrSession, ""); err != nil {
			return err
		}
		return c.Free()
	})
}

// MPI 4.1, sections 11.3.1 and 11.4.3: a session asks for one of the thread levels. Keys that are not known are ignored,
// and so are kinds of memory that there are not; Info tells what there is.
func TestHintsOfSessions(t *testing.T) {
	const way = "; use MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or leave it out"
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		s, err := w.Session(nil, mpi.Info{"thread_level": "MPI_THREAD_SINGLE", "mpi_memory_alloc_kinds": "cuda:device,system", "no_such_key": "x"})
		if err != nil {
			return err
		}
		info, err := s.Info()
		if err := errors.Join(err, equal("level", info["thread_level"], "MPI_THREAD_MULTIPLE"), equal("kinds", info["mpi_memory_alloc_kinds"], "mpi,system"), equal("hints", len(info), 2)); err != nil {
			return err
		}
		for _, level := range []string{"", "MPI_THREAD_ANY", "mpi_thread_single"} {
			hints := mpi.Info{"thread_level": level}
			if err := errors.Join(
				is(second(w.Session(hints)), mpi.ErrInfoValue, fmt.Sprintf("mpi: Session on world: thread_level is %q%s", level, way)),
				is(second(s.Open(mpi.Info{}, hints)), mpi.ErrInfoValue, fmt.Sprintf("mpi: Open: thread_level is %q%s", level, way)),
				is(second(mpi.SessionInit(hints)), mpi.ErrInfoValue, fmt.Sprintf("mpi: SessionInit: thread_level is %q%s", level, way)),
			); err != nil {
				return err
			}
		}
		return s.Finalize()
	})
}
