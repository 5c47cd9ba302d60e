package pmb

import (
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// With fresh buffers the data that arrives are right, of all collective calls and in all slots.
func TestFreshBuffers(t *testing.T) {
	var all []Benchmark
	for _, b := range All() {
		if b.call != nil {
			all = append(all, b)
		}
	}
	for _, offCache := range []int{0, 1 << 16} {
		o := Options{Fresh: true, Check: true, OffCache: offCache, Sizes: []int{8, 4096}, Repetitions: 5, NPMin: 4}
		got := run(t, 4, all, o)
		if len(got.rows) < len(all) {
			t.Errorf("%d rows of %d benchmarks", len(got.rows), len(all))
		}
		for _, r := range got.rows {
			if r.Defects != 0 {
				t.Errorf("%s of %d bytes: %d defects", r.Test, r.Bytes, r.Defects)
			}
		}
	}
}

// What a call has received is read, and what the next one sends is written.
func TestRefresh(t *testing.T) {
	for _, name := range []string{"Alltoall", "Allreduce"} {
		b, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		mpitest.Run(t, 2, func(world *mpi.Comm) error {
			e := b.newEnv(world, 4096, Options{OffCache: 1 << 15}.filled())
			if e.slots < 2 {
				t.Errorf("%d slots", e.slots)
			}
			clear(e.send)
			clear(e.sendF)
			if b.floats {
				fill(e.inF(0), func(int) float32 { return 1 })
			} else {
				clear(e.in(0))
			}
			e.refresh(0)
			if b.floats {
				if e.outF(1)[3] != value(e.rank, 3) || e.outF(0)[3] != 0 || e.seen != len(e.inF(0)) {
					t.Errorf("%s: %v and %v are sent, %d seen", name, e.outF(1)[3], e.outF(0)[3], e.seen)
				}
			} else if e.out(1)[3] != pattern(e.rank, 3) || e.out(0)[3] != 0 || e.seen != len(e.in(0)) {
				t.Errorf("%s: %v and %v are sent, %d seen", name, e.out(1)[3], e.out(0)[3], e.seen)
			}
			return e.free()
		})
	}
}
