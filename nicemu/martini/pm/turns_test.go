package pm

import "testing"

// TestSourcesTakeTurns: a source whose ring is never empty does not delay another one.
func TestSourcesTakeTurns(t *testing.T) {
	p := open(t, 3, rhinet(Options{}))
	for source := range 2 {
		for range 3 {
			must(t, p[source], 2, []byte{byte(source)})
		}
	}
	for i := range 6 {
		expect(t, p[2], i%2, []byte{byte(i % 2)})
	}
}
