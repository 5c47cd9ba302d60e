package fabric

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestReserveInOneProcess: blocks are zero, disjoint, and accessible only within their bounds.
func TestReserveInOneProcess(t *testing.T) { reserveAndRelease(t, heap(t, 2)) }

// block is a piece of reserved memory, filled with mark.
type block struct {
	at   uint64
	mem  []byte
	mark byte
}

func reserveAndRelease(t *testing.T, f *Fabric) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	var held []block
	for i := range 300 {
		if len(held) > 0 && rng.IntN(3) == 0 {
			k := rng.IntN(len(held))
			b := held[k]
			for _, c := range b.mem {
				if c != b.mark {
					t.Fatalf("block %d holds %d of another", b.mark, c)
				}
			}
			if err := f.Release(b.at); err != nil {
				t.Fatal(err)
			}
			held = append(held[:k], held[k+1:]...)
			continue
		}
		n := 1 + rng.IntN(3*PageBytes)
		at, err := f.Reserve(n)
		if err != nil {
			t.Fatal(err)
		}
		mem := f.Reserved(at, uint64(n))
		if len(mem) != n || cap(mem) != n || Address(mem)%PageBytes != 0 {
			t.Fatalf("%d bytes: %d at %#x", n, len(mem), Address(mem))
		}
		for j := range mem {
			if mem[j] != 0 {
				t.Fatalf("byte %d of a new block is %d", j, mem[j])
			}
			mem[j] = byte(i%255 + 1)
		}
		if part := f.Reserved(at+uint64(n)/2, uint64(n)-uint64(n)/2); len(part) == 0 || part[0] != byte(i%255+1) {
			t.Fatalf("the end of a block is %v", part)
		}
		held = append(held, block{at, mem, byte(i%255 + 1)})
	}
}

func TestReserveSaysWhatIsWrong(t *testing.T) {
	f := heap(t, 1)
	if _, err := f.Reserve(0); err == nil || !strings.Contains(err.Error(), "at least 1") {
		t.Error(err)
	}
	at, _ := f.Reserve(10)
	if f.Reserved(at, 11) != nil || f.Reserved(at+10, 1) != nil || f.Reserved(0, 1) != nil {
		t.Error("memory that is not of the block can be seen")
	}
	for _, wrong := range []uint64{at + 1, 0} {
		if err := f.Release(wrong); err == nil || !strings.Contains(err.Error(), "no block begins") {
			t.Error(err)
		}
	}
}

// TestReserveAtOnce: goroutines that reserve and release concurrently never get the same memory.
func TestReserveAtOnce(t *testing.T) {
	for name, f := range testFabrics(t) {
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(g), 1))
				for range 100 {
					n := 1 + rng.IntN(2*PageBytes)
					at, err := f.Reserve(n)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					mem := f.Reserved(at, uint64(n))
					for _, i := range []int{0, n / 2, n - 1} {
						mem[i] += byte(g + 1)
					}
					if mem[n-1]%byte(g+1) != 0 || mem[0] == 0 {
						t.Errorf("%s: shared by two", name)
					}
					if err := f.Release(at); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			})
		}
		wg.Wait()
	}
}

// full reserves until nothing is left.
func full(t *testing.T, f *Fabric, n int) (held []uint64) {
	t.Helper()
	for {
		at, err := f.Reserve(n)
		if errors.Is(err, ErrFull) {
			return held
		}
		if err != nil || len(held) > chunks {
			t.Fatalf("%d blocks: %v", len(held), err)
		}
		held = append(held, at)
	}
}
