package mpi_test

import (
	"fmt"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 3.8.1: a receive after a probe with the source and tag that it
// returned receives the probed message.
func TestAReceiveAfterAProbeTakesTheSameMessage(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		const each = 20
		if w.Rank() != 0 {
			for i := range each {
				if err := mpi.Send(w, sequence(i*i*10, w.Rank()), 0, i); err != nil {
					return err
				}
			}
			return nil
		}
		for range 2 * each {
			st, err := mpi.Probe(w, mpi.AnySource, mpi.AnyTag)
			if err != nil {
				return err
			}
			n := mpi.Count[int](st)
			if n != st.Tag*st.Tag*10 || st.Count != 8*n || st.Bytes != int64(8*n) {
				return fmt.Errorf("probe found %+v", st)
			}
			buf := make([]int, n)
			got, err := mpi.Recv(w, buf, st.Source, st.Tag)
			if err != nil {
				return err
			}
			if got.Source != st.Source || got.Tag != st.Tag || got.Bytes != st.Bytes {
				return fmt.Errorf("probed %+v, received %+v", st, got)
			}
			if err := equalAll("message", buf, sequence(n, st.Source)); err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, section 3.8.1: Iprobe returns at once and does not receive.
func TestIprobeFindsAMessageAndLeavesIt(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			if _, found, err := mpi.Iprobe(w, 1, 0); found || err != nil {
				return fmt.Errorf("found a message that nobody sent: %v", err)
			}
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			return mpi.Send(w, []uint16{1, 2, 3}, 1, 4)
		}
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		for range 2 {
			for {
				st, found, err := mpi.Iprobe(w, mpi.AnySource, 4)
				if err != nil {
					return err
				}
				if found {
					if st.Source != 0 || st.Tag != 4 || mpi.Count[uint16](st) != 3 || mpi.Count[uint32](st) != mpi.Undefined {
						return fmt.Errorf("found %+v", st)
					}
					break
				}
			}
		}
		if _, found, err := mpi.Iprobe(w, 0, 5); found || err != nil {
			return fmt.Errorf("found a message with another tag: %v", err)
		}
		_, err := mpi.Recv(w, make([]uint16, 3), 0, 4)
		return err
	})
}

// MPI 4.1, section 3.2.5: of elements without a size, zero bytes are 0, and any others
// are no whole number.
func TestCountOfElementsWithoutSize(t *testing.T) {
	if n := mpi.Count[struct{}](mpi.Status{}); n != 0 {
		t.Errorf("an empty message has %d elements, want 0", n)
	}
	if n := mpi.Count[struct{}](mpi.Status{Bytes: 8}); n != mpi.Undefined {
		t.Errorf("8 bytes are %d elements, want Undefined", n)
	}
}
