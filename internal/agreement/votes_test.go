package agreement

import (
	"bytes"
	"reflect"
	"testing"
)

// Votes arrive as they were packed, also those without a value.
func TestPack(t *testing.T) {
	for _, votes := range [][]Vote{nil, {{0, []byte{}}}, {{0, []byte{1}}, {2, []byte{}}, {6, []byte{7, 8, 9}}}} {
		if got, ok := Unpack(Pack(votes), 7); !ok || !reflect.DeepEqual(got, votes) {
			t.Errorf("%v became %v, %v", votes, got, ok)
		}
	}
}

// What another rank has sent is not trusted: votes of no rank, and votes that are cut, are none.
func TestUnpackForged(t *testing.T) {
	b := Pack([]Vote{{0, []byte{1, 2}}, {3, []byte{3}}})
	if _, ok := Unpack(b, 3); ok {
		t.Error("a vote of rank 3 of 3 is taken")
	}
	for n := range b {
		if votes, ok := Unpack(b[:n], 4); ok != (n == 0 || n == VoteHead+2) {
			t.Errorf("%d of %d bytes are votes: %v, %v", n, len(b), votes, ok)
		}
	}
	if _, ok := Unpack(bytes.Repeat([]byte{0xff}, 2*VoteHead), 1<<31-1); ok {
		t.Error("a vote longer than the notice is taken")
	}
}
