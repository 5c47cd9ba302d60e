package mpi

import (
	"slices"
	"testing"
	"time"
)

// Requests whose goroutines note that they have met only after the transport was closed are not reported, also if another
// never meets, whose transport does not end its wait.
func TestUnmetWaitsForThoseThatHaveMet(t *testing.T) {
	var k partners
	request := func(tag int) *partitioned {
		p := &partitioned{c: &Comm{core: &core{name: "world"}}, site: site{"PsendInit", toPeer, 1, tag}, met: make(chan struct{})}
		k.await(p)
		return p
	}
	never := request(0)
	for tag := range 20 {
		p := request(1 + tag)
		time.AfterFunc(patience/4, func() {
			k.leave(p)
			close(p.met)
		})
	}
	if got, want := k.unmet(), []*partitioned{never}; !slices.Equal(got, want) {
		t.Errorf("unmet are %v, want %v", got, want)
	}
}
