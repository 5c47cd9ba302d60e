package dma

import (
	"encoding/binary"
	"testing"
)

func TestAtomics(t *testing.T) {
	whole := make([]byte, 32)
	at := 0
	for !Aligned(whole[at : at+8]) {
		at++
	}
	if Aligned(whole[at:at+4]) || Aligned(whole[at+1:at+9]) {
		t.Error("half a word, or one across two, is aligned")
	}
	b := whole[at : at+8]
	if old := FetchAdd(b, 5); old != 0 {
		t.Errorf("%d before the sum", old)
	}
	if old := CompareSwap(b, 4, 9); old != 5 {
		t.Errorf("%d before a swap in vain", old)
	}
	if old := CompareSwap(b, 5, 9); old != 5 || binary.NativeEndian.Uint64(b) != 9 {
		t.Errorf("%d before the swap, %v after it", old, b)
	}
}
