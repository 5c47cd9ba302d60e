package mpi

import (
	"errors"
	"testing"
)

// MPI 4.1, section 11.4.1: MPI_Initialized and MPI_Finalized tell of the World Model alone.
func TestSessionsAreNoWorld(t *testing.T) {
	t.Setenv(envInit, "")
	state := func(when string) {
		t.Helper()
		if Initialized() || Finalized() {
			t.Errorf("%s: initialized %v, finalized %v", when, Initialized(), Finalized())
		}
	}
	s, err := SessionInit()
	if err != nil {
		t.Fatal(err)
	}
	state("in a session")
	if _, err := Init(); !errors.Is(err, ErrInit) {
		t.Errorf("Init beside a session: %v", err)
	}
	if err := s.Finalize(); err != nil {
		t.Error(err)
	}
	state("after the last session")
	if _, err := SessionInit(); !errors.Is(err, ErrFinalized) {
		t.Errorf("another session: %v", err)
	}
}
