package vec

import (
	"bytes"
	"testing"
)

// TestDemote: Demote does not change memory, whatever its length and its position in a cache line.
func TestDemote(t *testing.T) {
	b := make([]byte, 1024)
	for i := range b {
		b[i] = byte(i)
	}
	want := bytes.Clone(b)
	for _, n := range []int{0, 1, 63, 64, 65, 900} {
		Demote(b[7:][:n])
	}
	if !bytes.Equal(b, want) {
		t.Error("Demote has changed memory")
	}
}
