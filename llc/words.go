package llc

import "rhinet/llc/wire"

// words is the pool of claim words in this peer's control area. A word keeps its last value, whose generation
// the next use increments.
type words struct {
	values []wire.Claim
	free   []uint32
}

func (w *words) init(n int) {
	w.values = make([]wire.Claim, n)
	w.free = make([]uint32, n)
	for i := range w.free {
		w.free[i] = uint32(n - 1 - i)
	}
}

// take gives a word to s and reports whether there was one.
func (w *words) take(s *split) bool {
	n := len(w.free)
	if n == 0 {
		return false
	}
	*s = split{held: true, word: w.free[n-1]}
	s.claim = w.values[s.word]
	w.free = w.free[:n-1]
	return true
}

// give takes the word back from s, if it holds one.
func (w *words) give(s *split) {
	if s.held {
		w.values[s.word] = s.claim
		w.free = append(w.free, s.word)
		s.held = false
	}
}
