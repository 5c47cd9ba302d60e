package fabric

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"rhinet/internal/strided"
)

// blocksOf are some blocks of n bytes: short or long ones, close together or not, or a list of both, some of whose pieces lie before the one before.
func blocksOf(rng *rand.Rand, n int) strided.Blocks {
	pick := func(of ...int) int { return of[rng.IntN(len(of))] }
	switch block := pick(0, 1, 8, 100, 1024, 5000); {
	case block == 0:
		return strided.Blocks{}
	case rng.IntN(2) == 0:
		return strided.Blocks{Block: block, Stride: block + pick(0, 7, 1000, closeBytes)}
	}
	var l strided.List
	for at := 20 * n; l.Bytes() < n; {
		size := min(pick(1, 100, 1024, 5000), n-l.Bytes())
		if l = l.Add(at, size); rng.IntN(20) == 0 {
			at -= pick(1, 2, 3) * 10000
		}
		at += size + pick(0, 10, 500, closeBytes)
	}
	return strided.Blocks{List: l}
}

// Blocks are read and written where they lie, whatever lies between them, and nothing besides.
func TestBlocksOfProcesses(t *testing.T) {
	if _, err := ReadProcess(os.Getpid(), Address(make([]byte, 1)), make([]byte, 1)); err != nil {
		t.Skip(err)
	}
	rng := rand.New(rand.NewPCG(1, 3))
	stage := new(Stage)
	for k := range 100 {
		n := 1 + rng.IntN(20_000)
		m := strided.Move{Bytes: n, Mine: blocksOf(rng, n), Their: blocksOf(rng, n)}
		if k%3 == 0 && m.Mine.List == nil && m.Their.List == nil {
			m.Here, m.There = rng.IntN(3000), rng.IntN(3000)
		}
		_, mine := m.Mine.Span(m.Here, n)
		_, their := m.Their.Span(m.There, n)
		here, there := make([]byte, mine+100), make([]byte, their+100)
		for i := range there {
			there[i] = byte(rng.Uint32())
		}
		want := bytes.Clone(here)
		m.Copy(want, 0, there, false)
		if got, err := stage.ReadBlocks(os.Getpid(), Address(there), here, m); got != n || err != nil || !bytes.Equal(here, want) {
			t.Fatalf("%+v: %d of %d bytes, %v", m, got, n, err)
		}
		clear(there)
		want = bytes.Clone(there)
		m.Copy(here, 0, want, true)
		if got, err := WriteBlocks(os.Getpid(), Address(there), here, m); got != n || err != nil || !bytes.Equal(there, want) {
			t.Fatalf("%+v: %d of %d bytes written, %v", m, got, n, err)
		}
	}
	near := strided.Move{Bytes: 1000, Their: strided.Blocks{Block: 10, Stride: 20}}
	far := strided.Move{Bytes: 1000, Their: strided.Blocks{Block: 10, Stride: 2 * closeBytes}}
	for _, m := range []strided.Move{near, far} {
		if got, err := stage.ReadBlocks(os.Getpid(), 8, make([]byte, 1000), m); got != 0 || !errors.Is(err, syscall.EFAULT) {
			t.Errorf("memory that is not there: %d bytes, %v", got, err)
		}
		if got, err := stage.ReadBlocks(1<<30, 8, make([]byte, 1000), m); got != 0 || !errors.Is(err, syscall.ESRCH) {
			t.Errorf("a process that is not there: %d bytes, %v", got, err)
		}
	}
}
