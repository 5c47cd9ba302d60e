package pm

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"rhinet/bench"
	"rhinet/nicemu/martini"
)

// Sizes of what a scan looks at: rings of 128 KB, messages of 2 KB slots.
const (
	scanRing  = 128 << 10
	scanSlot  = 2 << 10
	evictSize = 64 << 10
)

// Rings are the numbers of rings that are scanned unless others are named.
func Rings() []int { return []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024} }

// MaxRings bounds a scan.
const MaxRings = 1 << 14

// Scans names the ways to scan: the first word of every ring; in each ring a
// slot drawn once, with a fixed seed; and the same after other data has been
// touched.
func Scans() []string { return []string{"scan-head", "scan-random", "scan-evicting"} }

// A Scan is P11: what it costs to look into many rings, without any network.
type Scan struct {
	words []*uint32
	other []byte // touched before each pass, if not empty
	sum   uint32
	free  func() error
}

// NewScan prepares a way of Scans over so many rings.
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
		atomic.StoreUint32(w, uint32(i)) // a page of its own, not the shared one of zeros
		s.words = append(s.words, w)
	}
	if way == "scan-evicting" {
		s.other = mem[rings*scanRing:]
	}
	return s, nil
}

// MeasureScans measures every way of Scans over each of some numbers of rings, which
// stand in the rows as ranks.
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

// Close gives the memory back.
func (s *Scan) Close() error { return s.free() }
