package fabric

import "sync/atomic"

// Bury records that the process of a rank has ended, and wakes the other ranks, which look for
// that. The launcher, which may write the header, calls it in a job that continues without the
// rank.
func (f *Fabric) Bury(rank int) {
	w := words(f.mem[:PageBytes])
	bit := uint64(1) << (rank % 64)
	if atomic.OrUint64(&w[wordGraves+rank/64], bit)&bit != 0 {
		return
	}
	atomic.AddUint64(&w[wordBuried], 1)
	for i := range f.bells {
		f.bells[i].Ring()
	}
}

// Buried returns how many ranks have been buried.
func (f *Fabric) Buried() int { return int(atomic.LoadUint64(&words(f.mem[:PageBytes])[wordBuried])) }

// IsBuried reports whether a rank has been buried.
func (f *Fabric) IsBuried(rank int) bool {
	return atomic.LoadUint64(&words(f.mem[:PageBytes])[wordGraves+rank/64])>>(rank%64)&1 != 0
}
