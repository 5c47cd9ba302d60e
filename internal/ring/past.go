package ring

import (
	"time"

	"rhinet/internal/vec"
)

// A writer of long payloads waits for each line that its reader has used last. Where the two processors share a
// cache that takes 50 to 70 ns for each KiB, where they share none 225: most of the time of the message. There
// payloads are written past the caches: a PingPong of 64 KiB takes 9 us instead of 16, of 16 KiB 3.7 instead of
// 4.7, but one of 4 KiB 2.3 instead of 2.0. With a shared cache this takes twice as long, and nobody tells a
// virtual machine where its processors are, nor that they have moved: so a ring finds out.

// pastLeast is the shortest payload that is written past the caches. One copy in pastLooks is timed, and all while
// they take more than slowKiB nanoseconds for each KiB; after pastSlow slow ones in a row pastFor payloads go past
// the caches.
const (
	pastLeast = 8 << 10
	slowKiB   = 150
	pastLooks = 32
	pastSlow  = 4
	pastFor   = 256
)

// A passage is how a ring writes long payloads. The zero passage is ready for use.
type passage struct {
	left  int // payloads that go past the caches
	blind int // copies before the next that is timed
	slow  int // timed copies in a row that were slow
}

// past reports whether a payload of n bytes goes past the caches.
func (p *passage) past(n int) bool { return p.left > 0 && n >= pastLeast }

// write copies a payload of at least pastLeast bytes to its place.
func (p *passage) write(place, payload []byte) {
	switch {
	case p.left > 0:
		p.left--
		vec.CopyPast(place, payload)
	case p.blind > 0:
		p.blind--
		vec.Copy(place, payload)
	default:
		begun := time.Now()
		vec.Copy(place, payload)
		p.judge(time.Since(begun), len(payload))
	}
}

// judge takes the time of a copy of n bytes.
func (p *passage) judge(took time.Duration, n int) {
	if took <= time.Duration(n*slowKiB>>10) {
		p.slow, p.blind = 0, pastLooks-1
	} else if p.slow++; p.slow == pastSlow {
		p.slow, p.left = 0, pastFor
	}
}
