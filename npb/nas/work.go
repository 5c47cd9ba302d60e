package nas

import "rhinet/mpi"

// Work declares what a kernel computes, for jobs in virtual time that count operations (see [mpi.Compute]).
// The operations are those of the kernel's Mop/s, divided equally among all ranks and parts.
type Work struct {
	world *mpi.Comm
	kind  string
	each  float64
}

// NewWork returns the work of a rank. operations is the total number over all ranks, parts the number of
// parts (such as iterations) into which it is divided. kind is the name of the kernel.
func NewWork(world *mpi.Comm, kind string, operations float64, parts int) Work {
	return Work{world, kind, operations / float64(world.Size()) / float64(max(parts, 1))}
}

// Do declares that this rank has computed a share of one part. The zero Work declares nothing.
func (w *Work) Do(share float64) error {
	if w.world == nil {
		return nil
	}
	return mpi.Compute(w.world, w.kind, share*w.each)
}
