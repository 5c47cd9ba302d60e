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

// TestCopyBlocks compares CopyBlocks with copy, block by block, around the sizes that the kernel takes in one turn.
// Memory between and around the blocks of dst stays unchanged.
func TestCopyBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{0, 1, 8, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 160, 161, 255, 256, 257, 1000, 1024} {
		for _, gap := range [][2]int{{0, 0}, {0, 9}, {7, 0}, {32, 64}, {size, size}, {3, -size}, {3, -size / 2}} {
			for _, count := range []int{-1, 0, 1, 2, 5} {
				const guard = 40
				dstep, sstep, most := size+gap[0], size+gap[1], 5
				src, dst := make([]byte, guard+most*(sstep+size)), make([]byte, 2*guard+most*(dstep+size))
				for _, b := range [][]byte{src, dst} {
					for i := range b {
						b[i] = byte(r.Uint32())
					}
				}
				from := 1 + r.IntN(guard-1)
				want := bytes.Clone(dst)
				for i := range count {
					copy(want[guard+i*dstep:][:size], src[from+i*sstep:])
				}
				end := guard + max(count-1, 0)*dstep + size
				if CopyBlocks(dst[guard:end], dstep, src[from:], sstep, size, count); !bytes.Equal(dst, want) {
					t.Fatalf("%d blocks of %d bytes, %d and %d apart: copied something else", count, size, dstep, sstep)
				}
			}
		}
	}
}

// TestCopyBlocksOutOfReach: a block that does not lie in its slice is not copied.
func TestCopyBlocksOutOfReach(t *testing.T) {
	b := make([]byte, 10*64)
	for _, size := range []int{8, 64} {
		for name, call := range map[string]func(){
			"dst":           func() { CopyBlocks(b[:3*size-1], size, b[256:], size, size, 3) },
			"src":           func() { CopyBlocks(b[256:], size, b[:3*size-1], size, size, 3) },
			"dst backwards": func() { CopyBlocks(b[:size], -size/2, b[256:], size, size, 2) },
			"src backwards": func() { CopyBlocks(b[256:], size, b[:size], -size/2, size, 2) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s, blocks of %d bytes: no panic", name, size)
					}
				}()
				call()
			}()
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
