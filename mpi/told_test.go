package mpi

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// MPI 4.1, section 12.7: accesses of a peer that cannot be read, or that go beyond the part, are an error that names
// the peer. A part of a dynamic window has no end.
func TestMalformedAccesses(t *testing.T) {
	ts, release, err := Local(1, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Join(Job{Size: 1, Transport: ts[0], Check: true})
	if err != nil {
		t.Fatal(err)
	}
	made, err1 := WinAllocate[int](c, 2)
	dynamic, err2 := WinDynamic[int](c)
	if err := errors.Join(err1, err2, made.Fence(), made.Put([]int{1, 2}, 0, 0)); err != nil {
		t.Fatal(err)
	}
	told := made.log.Take(0)
	if all, err := made.decode(at("Fence"), 0, told); err != nil || len(all) != 1 {
		t.Errorf("decoded %v, %v", all, err)
	}
	beyond := slices.Clone(told)
	beyond[9] = 1 // it ends 256 bytes later
	if all, err := dynamic.decode(at("Fence"), 0, beyond); err != nil || len(all) != 1 {
		t.Errorf("of a dynamic window: decoded %v, %v", all, err)
	}
	for name, b := range map[string][]byte{"beyond the part": beyond, "cut": told[:len(told)-1], "cut early": told[:5]} {
		const want = "what rank 0 tells of its accesses: these are no accesses to the part"
		if _, err := made.decode(at("Fence"), 0, b); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	const want = "rank 1 tells of its accesses in -3 bytes"
	if err := made.checkLengths(at("Fence"), []int{4, -3}); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(made.Fence(NoSucceed), made.Free(), dynamic.Free(), Finalize(c), release()); err != nil {
		t.Error(err)
	}
}
