package collectives

import "testing"

// BenchmarkShort measures what the executor adds to a network that takes no time.
func BenchmarkShort(b *testing.B) {
	g := mustGroup(b, &fakeFlagArray{fake: newFake(0, 2)}, Options{})
	in, out := make([]byte, 8), make([]byte, 8)
	b.Run("barrier", func(b *testing.B) {
		for b.Loop() {
			g.Barrier()
		}
	})
	b.Run("allreduce", func(b *testing.B) {
		for b.Loop() {
			g.Allreduce(in, out, left{})
		}
	})
	b.Run("bcast", func(b *testing.B) {
		for b.Loop() {
			g.Bcast(in, 0)
		}
	})
}
