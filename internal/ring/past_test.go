package ring

import (
	"bytes"
	"testing"
	"time"

	"rhinet/internal/vec"
)

// After slow copies payloads go past the caches for a while, and arrive as they are; then copies are timed again.
// After quick ones, and if they are short, they never do.
func TestPast(t *testing.T) {
	var p passage
	now, step := time.Hour, time.Duration(0) // from one look at the clock to the next
	p.pace.Clock = func() time.Duration { now += step; return now }
	n := 4 << 10 // the shortest that is timed
	for !vec.Past(n) {
		n++
	}
	short := n
	for vec.Past(short) {
		short--
	}
	from, to := make([]byte, n), make([]byte, n)
	for i := range from {
		from[i] = byte(i*7 ^ i>>8)
	}
	write := func() {
		clear(to)
		if p.write(to, from); !bytes.Equal(to, from) {
			t.Fatal("a payload has changed")
		}
	}
	for range 1000 {
		if write(); p.past(n) {
			t.Fatal("after quick copies payloads go past the caches")
		}
	}
	step = time.Millisecond
	for range 2 {
		for copies := 0; !p.past(n); copies++ {
			if write(); copies == 1000 {
				t.Fatal("after slow copies payloads do not go past the caches")
			}
		}
		if p.past(short) {
			t.Error("a short payload goes past the caches")
		}
		for k := range pastFor {
			if !p.past(n) {
				t.Fatalf("only %d payloads go past the caches", k)
			}
			write()
		}
		if p.past(n) {
			t.Fatalf("more than %d payloads go past the caches", pastFor)
		}
	}
}
