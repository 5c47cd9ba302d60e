package pm

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"rhinet/bench"
	"rhinet/nicemu/martini"
)

// Sizes: rings of 128 KB, with slots of 2 KB.
const (
	scanRing  = 128 << 10
	scanSlot  = 2 << 10
	evictSize = 64 << 10
)

// Rings returns the default numbers of rings to scan.
func Rings() []int { return []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024} }

// MaxRings is the maximum number of rings of a scan.
const MaxRings = 1 << 14

// Scans returns the names of the scans: they read the first word of every ring; in each ring a slot chosen
// once at random, with a fixed seed; or the same after other data has been touched.
func Scans() []string { return []string{"scan-head", "scan-random", "scan-evicting"} }

// A Scan is P11: it measures the cost of looking into many rings, without any network.
type Scan struct {
	words []*uint32
	other []byte // touched before each pass, if not empty
	sum   uint32
	free  func() error
}

// NewScan prepares one of Scans over the given number of rings.
func NewScan(way string, rings int) (*Scan, error) {
	mem, free, err := anonymous(rings*scanRing + evictSize)
	if err != nil {
		return nil, err
	}
	s := &Scan{free: free}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range rings {
		at := i * scanRing
		if way != "scan-head" {
			at += rng.IntN(scanRing/scanSlot) * scanSlot
		}
		w := martini.Word32(mem, at)
		atomic.StoreUint32(w, uint32(i)) // so that each page has memory of its own, not the shared page of zeros
		s.words = append(s.words, w)
	}
	if way == "scan-evicting" {
		s.other = mem[rings*scanRing:]
	}
	return s, nil
}

// MeasureScans measures every one of Scans over each of the numbers of rings. In the rows, the number of
// rings is in the field for ranks.
func MeasureScans(rings []int, p bench.Policy, report func(bench.Row)) error {
	for _, way := range Scans() {
		for _, n := range rings {
			s, err := NewScan(way, n)
			if err != nil {
				return err
			}
			timed := func(_, reps int) (float64, error) {
				start := time.Now()
				for range reps {
					s.Pass()
				}
				return max(time.Since(start).Seconds()/float64(reps), 1e-9), nil
			}
			test := bench.Test{Name: way, Sizes: []int{4}, Min: 4, Max: 4, Unit: 1, Scale: 1, Moves: float64(n)}
			if err := errors.Join(test.Measure(p, n, nil, timed, report), s.Close()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Pass looks into every ring once.
func (s *Scan) Pass() {
	for i := 0; i < len(s.other); i += 64 {
		s.other[i]++
	}
	for _, w := range s.words {
		s.sum += atomic.LoadUint32(w)
	}
}

// Close frees the memory.
func (s *Scan) Close() error { return s.free() }
