package fabric

import "sync/atomic"

// MarkFailed records that the process of a rank has ended, and wakes the other ranks, which look for
// that. The launcher, which may write the header, calls it in a job that continues without the
// rank.
func (f *Fabric) MarkFailed(rank int) {
	w := words(f.mem[:PageBytes])
	bit := uint64(1) << (rank % 64)
	if atomic.OrUint64(&w[wordFailed+rank/64], bit)&bit != 0 {
		return
	}
	atomic.AddUint64(&w[wordFailedCount], 1)
	for i := range f.bells {
		f.bells[i].Ring()
	}
}

// FailedCount returns how many ranks have failed.
func (f *Fabric) FailedCount() int {
	return int(atomic.LoadUint64(&words(f.mem[:PageBytes])[wordFailedCount]))
}

// HasFailed reports whether a rank has failed.
func (f *Fabric) HasFailed(rank int) bool {
	return atomic.LoadUint64(&words(f.mem[:PageBytes])[wordFailed+rank/64])>>(rank%64)&1 != 0
}
