package ring

import (
	"bytes"
	"testing"
	"time"
)

// After a few slow copies in a row payloads go past the caches for a while, and arrive as they are; then copies are
// timed again. Shorter payloads never do.
func TestPast(t *testing.T) {
	var p passage
	from, to := make([]byte, pastLeast), make([]byte, pastLeast)
	for i := range from {
		from[i] = byte(i*7 ^ i>>8)
	}
	quick := time.Duration(pastLeast * slowKiB >> 10)
	for k, took := range []time.Duration{quick, quick + 1, quick + 1, quick + 1, quick, quick + 1, quick + 1, quick + 1} {
		if p.judge(took, pastLeast); p.past(pastLeast) {
			t.Fatalf("after %d copies, not enough of them slow", k+1)
		}
		if timed := p.blind == 0; timed == (took == quick) {
			t.Errorf("after a copy of %v the next is timed: %v", took, timed)
		}
		p.blind = 0
	}
	if p.judge(quick+1, pastLeast); !p.past(pastLeast) || p.past(pastLeast-1) {
		t.Fatalf("after %d slow copies: long payloads %v, short ones %v", pastSlow, p.past(pastLeast), p.past(pastLeast-1))
	}
	for k := range pastFor {
		if !p.past(pastLeast) {
			t.Fatalf("only %d payloads go past the caches", k)
		}
		clear(to)
		if p.write(to, from); !bytes.Equal(to, from) {
			t.Fatalf("payload %d has changed", k)
		}
	}
	if p.past(pastLeast) {
		t.Error("payloads go past the caches for ever")
	}
	for _, p.blind = range []int{1, 0} { // one that is not timed, and one that is
		clear(to)
		if p.write(to, from); !bytes.Equal(to, from) {
			t.Error("a payload has changed")
		}
	}
}
