package ring

import (
	"rhinet/internal/pace"
	"rhinet/internal/vec"
)

// A writer of long payloads waits for each line that its reader has used last. Where the two processors share a
// cache that takes 50 to 70 ns for each KiB, where they share none 225: most of the time of the message. There
// payloads are written past the caches: a PingPong of 64 KiB takes 9 us instead of 16, of 16 KiB 3.7 instead of
// 4.7, but one of 4 KiB 2.3 instead of 2.0; other processors gain from shorter payloads on ([vec.Past]). With a
// shared cache this takes twice as long, and nobody tells a virtual machine where its processors are, nor that they
// have moved: so a ring finds out.

// pastFor is how many payloads are written past the caches after slow copies, as [pace.Pace] has it; then copies are
// timed again.
const pastFor = 256

// A passage is how a ring writes long payloads. The zero passage is ready for use.
type passage struct {
	pace pace.Pace
	left int // payloads that go past the caches
}

// past reports whether a payload of n bytes goes past the caches.
func (p *passage) past(n int) bool { return p.left > 0 && vec.Past(n) }

// write copies a payload that may go past the caches to its place.
func (p *passage) write(place, payload []byte) {
	if p.left > 0 {
		p.left--
		vec.CopyPast(place, payload)
		return
	}
	begun := p.pace.Begin(len(payload), true)
	vec.Copy(place, payload)
	if p.pace.Slow(begun, len(payload)) {
		p.left = pastFor
	}
}
