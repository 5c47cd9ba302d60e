package martini

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestTrailerIsVisibleLast checks what a polling receiver relies on (pm-messaging, section 1.4.6):
// when it sees the last word, it sees the others too.
func TestTrailerIsVisibleLast(t *testing.T) {
	n := open(t, 2)
	const size, rounds = 512, 2000
	mem := n[1].Common()
	go func() {
		src := make([]byte, size)
		pin, err := n[0].Pin(src)
		if err != nil {
			t.Error(err)
			return
		}
		for i := 1; i <= rounds; i++ {
			for j := range src {
				src[j] = byte(i)
			}
			src[size-4], src[size-3] = byte(i), byte(i>>8)
			if err := n[0].Window(0).Push(Request{Node: 1, Segment: CommonSegment, Offset: uint64(i%4) * size}, src); err != nil {
				t.Error(err)
				return
			}
			for atomic.LoadUint32(Word32(mem, 8192)) != uint32(i) {
				runtime.Gosched()
			}
		}
		_ = n[0].Unpin(pin)
	}()
	for i := 1; i <= rounds; i++ {
		at := i % 4 * size
		want := uint32(byte(i)) | uint32(byte(i>>8))<<8 | uint32(byte(i))<<16 | uint32(byte(i))<<24
		for atomic.LoadUint32(Word32(mem, at+size-4)) != want {
			runtime.Gosched()
			if t.Failed() {
				return
			}
		}
		for j, b := range mem[at : at+size-4] {
			if b != byte(i) {
				t.Fatalf("round %d: byte %d is %d", i, j, b)
			}
		}
		atomic.StoreUint32(Word32(mem, 8192), uint32(i))
	}
}
