package epoch

import (
	"iter"
	"sync"
)

// A Log is what this rank has done to the parts of all ranks in the current epochs. Any number of goroutines may use
// it. A nil Log holds nothing.
type Log struct {
	mu    sync.Mutex
	of    []accesses
	fresh []Access // of the call that ends
}

// NewLog returns the log of a window of so many ranks.
func NewLog(ranks int) *Log { return &Log{of: make([]accesses, ranks)} }

// Conflict returns an access of the epoch to the part of rank target that conflicts with a.
func (l *Log) Conflict(target int, a *Access) (o Access, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.of[target].conflicting(a); o != nil {
		return *o, true
	}
	return Access{}, false
}

// mostSums is how many accesses to one part are kept apart with sums of their data.
const mostSums = 1 << 10

// Add adds accesses like a to the part of rank target: at places, offsets with lengths. data is what they have put or
// got, one place after the other, nil if it may change.
func (l *Log) Add(target int, a Access, places iter.Seq2[uint64, int], data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := &l.of[target]
	l.fresh = l.fresh[:0]
	for at, n := range places {
		a.From, a.To, a.summed = at, at+uint64(n), false
		var here []byte
		if data != nil {
			here, data = data[:n], data[n:]
		}
		if of.covers(&a) {
			continue
		}
		if here != nil && of.count+len(l.fresh) < mostSums {
			a.sum, a.summed = sumOf(here), true
		}
		l.fresh = append(l.fresh, a)
	}
	of.addAll(l.fresh)
}

// Forget drops what is recorded about the part of one rank; without rewrites only what
// has been got.
func (l *Log) Forget(target int, rewrites bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of[target].forget(rewrites)
}

// ForgetAll is Forget for all ranks.
func (l *Log) ForgetAll(rewrites bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for r := range l.of {
		l.of[r].forget(rewrites)
	}
}

// Take returns what this rank has done to the part of one rank in the epoch that ends,
// encoded for that rank: see [Decode]. The log forgets it.
func (l *Log) Take(target int) (b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := &l.of[target]
	for a := range of.each() {
		b = a.append(b)
	}
	of.forget(true)
	return b
}
