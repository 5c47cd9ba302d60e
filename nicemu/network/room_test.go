package network

import (
	"testing"

	"pgregory.net/rapid"

	_ "rhinet/internal/rapidseed"
	"rhinet/nicemu/vtime"
)

// TestRoomAgainstSingleFlits: the count of a buffer is the flits that have arrived less those that
// have left, flit by flit, seen after the lag; and falls returns the first time at which it is low
// enough.
func TestRoomAgainstSingleFlits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := room{lag: vtime.Time(rapid.IntRange(0, 30).Draw(t, "lag"))}
		var gone []vtime.Time // when each flit has left
		at := vtime.Time(0)
		for range rapid.IntRange(0, 4).Draw(t, "packets") {
			flits := rapid.IntRange(1, 7).Draw(t, "flits")
			from := at + vtime.Time(rapid.IntRange(0, 20).Draw(t, "gap"))
			at = from + vtime.Time(rapid.IntRange(0, 60).Draw(t, "span"))
			r.enter(0, flits)
			r.drains.Push(drain{from, at, int64(flits)})
			for i := 1; i <= flits; i++ {
				// Flit i has left after i of so many parts of the time, rounded up.
				gone = append(gone, from+((at-from)*vtime.Time(i)+vtime.Time(flits)-1)/vtime.Time(flits)+r.lag)
			}
		}
		stay := rapid.IntRange(0, 9).Draw(t, "flits that stay")
		r.enter(0, stay)
		count := func(now vtime.Time) int64 {
			n := len(gone) + stay
			for _, g := range gone {
				if g <= now {
					n--
				}
			}
			return int64(n)
		}
		first := map[int64]vtime.Time{}
		for now := vtime.Time(0); now <= at+r.lag; now++ {
			for n := count(now); n <= int64(len(gone)+stay); n++ {
				if _, there := first[n]; !there {
					first[n] = now
				}
			}
		}
		for n := range int64(len(gone) + stay) {
			want, reached := first[n]
			if !reached {
				want = vtime.Never
			}
			if got := r.falls(n); got != want {
				t.Fatalf("%d flits at %d; want %d", n, got, want)
			}
		}
		for now := vtime.Time(0); now <= at+r.lag; now++ {
			if got := r.occupied(now); got != count(now) {
				t.Fatalf("%d flits at %d; want %d", got, now, count(now))
			}
		}
	})
}

// TestRoomThatIsLowAlready: falls returns 0 for a buffer that is low enough, even if it has
// forgotten its drains.
func TestRoomThatIsLowAlready(t *testing.T) {
	var r room
	r.enter(0, 1)
	r.drains.Push(drain{0, 0, 1})
	if n := r.occupied(0); n != 0 || r.falls(0) != 0 {
		t.Errorf("%d flits, and none at %v", n, r.falls(0))
	}
}
