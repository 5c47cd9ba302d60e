package mpi_test

import (
	"fmt"
	"sync"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 3.5: if a sender sends two messages in succession to the
// same destination, and both match the same receive, the second cannot be
// received while the first is pending.
func TestMessagesDoNotOvertake(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		const messages = 300
		size := func(i int) int { return []int{1, 5, 700, 9, 20000, 6}[i%6] }
		if w.Rank() == 0 {
			for i := range messages {
				if err := mpi.Send(w, sequence(size(i), i), 1, i%3); err != nil {
					return err
				}
			}
			return nil
		}
		buf := make([]int, 20000)
		for i := range messages {
			tag := i % 3
			if i%2 == 1 {
				tag = mpi.AnyTag
			}
			st, err := mpi.Recv(w, buf, []int{0, mpi.AnySource}[i/2%2], tag)
			if err != nil {
				return err
			}
			if st.Tag != i%3 || buf[0] != i || st.Count != size(i) || buf[st.Count-1] != i+st.Count-1 {
				return fmt.Errorf("message %d: got %+v starting with %d", i, st, buf[0])
			}
		}
		return nil
	})
}

// MPI 4.1, section 3.5: order of posted receives decides when both match.
func TestPostedReceivesMatchInTheOrderPosted(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			for i := range 3 {
				if err := mpi.Send(w, []int{i}, 1, 5); err != nil {
					return err
				}
			}
			return nil
		}
		bufs := [3][1]int{}
		first := mpi.Irecv(w, bufs[0][:], mpi.AnySource, mpi.AnyTag)
		second := mpi.Irecv(w, bufs[1][:], 0, 5)
		third := mpi.Irecv(w, bufs[2][:], mpi.AnySource, 5)
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		if err := mpi.WaitAll(third, second, first); err != nil {
			return err
		}
		return equal("order", bufs, [3][1]int{{0}, {1}, {2}})
	})
}

// MPI 4.1, section 3.2.4: a wildcard receive matches messages of any source and tag,
// and its status says which; each message is received once.
func TestWildcardReceivesTakeEveryMessageOnce(t *testing.T) {
	const n, each = 5, 40
	everywhere(t, n, func(w *mpi.Comm) error {
		if w.Rank() != 0 {
			for i := range each {
				if err := mpi.Send(w, []int32{int32(i), int32(w.Rank())}, 0, i); err != nil {
					return err
				}
			}
			return nil
		}
		next := [n]int{}
		for range each * (n - 1) {
			buf := [2]int32{}
			st, err := mpi.Recv(w, buf[:], mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			if st.Source != int(buf[1]) || st.Tag != int(buf[0]) || st.Tag != next[st.Source] {
				return fmt.Errorf("got %+v with %v, want message %d", st, buf, next[st.Source])
			}
			next[st.Source]++
		}
		return nil
	})
}

// MPI 4.1, section 7.2: messages of one communicator are not received on another.
func TestCommunicatorsDoNotMixMessages(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() == 0 {
			if err := mpi.Send(w, []int{1}, 1, 0); err != nil {
				return err
			}
			if err := mpi.Send(d, []int{2}, 1, 0); err != nil {
				return err
			}
			return d.Free()
		}
		got := []int{0}
		if _, err := mpi.Recv(d, got, mpi.AnySource, mpi.AnyTag); err != nil {
			return err
		}
		if err := equal("on the duplicate", got[0], 2); err != nil {
			return err
		}
		if _, err := mpi.Recv(w, got, mpi.AnySource, mpi.AnyTag); err != nil {
			return err
		}
		if err := equal("on the world", got[0], 1); err != nil {
			return err
		}
		return d.Free()
	})
}

// MPI 4.1, section 11.6: with MPI_THREAD_MULTIPLE, any thread may make calls at any
// time. Here each pair of goroutines has its own tag.
func TestManyGoroutinesCallAtOnce(t *testing.T) {
	const pairs, rounds = 12, 25
	everywhere(t, 3, func(w *mpi.Comm) error {
		right, left := (w.Rank()+1)%w.Size(), (w.Rank()+w.Size()-1)%w.Size()
		failed := make(chan error, 2*pairs)
		var group sync.WaitGroup
		for p := range pairs {
			group.Add(2)
			go func() {
				defer group.Done()
				for i := range rounds {
					if err := mpi.Send(w, sequence(1+i*p*20, w.Rank()+i), right, p); err != nil {
						failed <- err
						return
					}
				}
			}()
			go func() {
				defer group.Done()
				buf := make([]int, 1+rounds*pairs*20)
				for i := range rounds {
					st, err := mpi.Recv(w, buf, left, p)
					if err == nil && (st.Count != 1+i*p*20 || buf[st.Count-1] != left+i+st.Count-1) {
						err = fmt.Errorf("goroutine %d, round %d: got %+v ending with %d", p, i, st, buf[st.Count-1])
					}
					if err != nil {
						failed <- err
						return
					}
				}
			}()
		}
		group.Wait()
		select {
		case err := <-failed:
			return err
		default:
			return nil
		}
	})
}
