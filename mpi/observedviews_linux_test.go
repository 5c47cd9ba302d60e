package mpi_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"rhinet/internal/observe"
	"rhinet/mpi"
)

// A collective call with layouts is recorded by its name, as one with slices.
func TestCallsWithLayoutsAreRecordedByName(t *testing.T) {
	file, err := observe.Create(1, false)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, err := observe.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	rank, err := observe.Open(fd, 0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	ts, release, err := mpi.Local(1, "")
	if err != nil {
		t.Fatal(err)
	}
	w, err := mpi.Join(mpi.Job{Size: 1, Transport: ts[0], Observe: rank})
	if err != nil {
		t.Fatal(err)
	}
	mem := make([]int, 4)
	err = errors.Join(mpi.Bcast(w, gapped(mem), 0), mpi.Allreduce(w, gapped(mem), gapped(make([]int, 4)), added),
		mpi.Alltoallw(w, evenParts(gapped(mem), 1), evenParts(gapped(make([]int, 4)), 1)), mpi.Finalize(w), release())
	if err != nil {
		t.Fatal(err)
	}
	s, err := reader.Stats("prog")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range s.Ranks[0].Calls {
		names = append(names, c.Call)
	}
	slices.Sort(names)
	if want := []string{"Allreduce", "Alltoallw", "Bcast", "Finalize"}; !slices.Equal(names, want) {
		t.Errorf("got the calls %q, want %q", names, want)
	}
}
