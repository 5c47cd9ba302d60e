package vec

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestCopy compares Copy and CopyPast with copy, at lengths around the block of the kernel and at all alignments of a
// vector. Memory around dst stays unchanged.
func TestCopy(t *testing.T) {
	const guard = 64
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for _, n := range []int{0, 1, 255, 256, 257, 319, 320, 321, 511, 512, 513, 600, 767, 768, 769, 831, 832, 1023, 1024, 1025, 2048, 4096, 4097, 6143, 6144, 6145, 6208, 6399, 6400, 8192, 8200, 9000} {
		for shift := range 64 {
			src, dst := random(n+shift), random(n+2*guard+shift)
			want, past := bytes.Clone(dst), bytes.Clone(dst)
			copy(want[guard+shift:guard+shift+n], src[shift:])
			if got := Copy(dst[guard+shift:guard+shift+n], src[shift:]); got != n || !bytes.Equal(dst, want) {
				t.Fatalf("%d bytes, shift %d: Copy returns %d, or has copied something else", n, shift, got)
			}
			if got := CopyPast(past[guard+shift:guard+shift+n], src[shift:]); got != n || !bytes.Equal(past, want) {
				t.Fatalf("%d bytes, shift %d: CopyPast returns %d, or has copied something else", n, shift, got)
			}
		}
	}
}

// TestCopyOfUnequalLengths: the shorter slice determines the length. The two are so far apart that they do
// not overlap with either length.
func TestCopyOfUnequalLengths(t *testing.T) {
	memory := make([]byte, 10000)
	short, long := memory[:1000], memory[5000:8000]
	for i := range long {
		long[i] = 1
	}
	if n := Copy(short, long); n != 1000 || short[999] != 1 || memory[1000] != 0 {
		t.Errorf("%d bytes to a shorter slice", n)
	}
	clear(short)
	if n := Copy(long, short); n != 1000 || long[999] != 0 || long[1000] != 1 {
		t.Errorf("%d bytes from a shorter slice", n)
	}
}

// TestCopyOfOverlap: slices of one array are copied as if through a third.
func TestCopyOfOverlap(t *testing.T) {
	const n = 2000
	for _, shift := range []int{0, 1, 32, 64, 300, n - 1, n, n + 1} {
		for _, up := range []bool{false, true} {
			b := make([]byte, 2*n+1)
			for i := range b {
				b[i] = byte(i ^ i>>8)
			}
			dst, src := b[:n], b[shift:][:n]
			if up {
				dst, src = src, dst
			}
			want := bytes.Clone(src)
			if Copy(dst, src); !bytes.Equal(dst, want) {
				t.Errorf("shift %d, up %v: copied something else", shift, up)
			}
		}
	}
}

// TestFill: the beginning of dst is src, and its rest is what it was.
func TestFill(t *testing.T) {
	src := []byte("0123456789abcdef0123456789abcdef")
	for n := range src {
		dst := bytes.Repeat([]byte{'.'}, len(src))
		if Fill(dst, src[:n]); !bytes.Equal(dst[:n], src[:n]) || !bytes.Equal(dst[n:], bytes.Repeat([]byte{'.'}, len(src)-n)) {
			t.Errorf("%d bytes: %q", n, dst)
		}
	}
}
