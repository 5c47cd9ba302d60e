package mpi

import "rhinet/collectives"

// Algorithms lists the algorithms of a collective operation, preferred ones first, by
// the names that [HintAlgorithms] takes. Operations are named as in "barrier", "bcast",
// "reduce_scatter_block"; the error for an unknown name lists them. Not in the
// standard.
func Algorithms(operation string) ([]string, error) {
	k, err := collectives.KindNamed(operation)
	if err != nil {
		var none *Comm
		return nil, none.because(at("Algorithms"), ErrArg, err, "")
	}
	return collectives.Algorithms(k), nil
}

// Algorithm names the algorithm that serves calls of a collective operation on c. bytes
// is the length of the buffer, or of one rank's part where each rank has one, the
// largest where they differ; for Gatherv, Scatterv and Alltoallv it makes no
// difference. Reductions are taken to commute. It is a local call. Not in the standard.
func (c *Comm) Algorithm(operation string, bytes int) (_ string, err error) {
	defer c.raised(&err)
	s := at("Algorithm")
	if err := c.intra(s); err != nil {
		return "", err
	}
	k, err := collectives.KindNamed(operation)
	switch {
	case err != nil:
		return "", c.because(s, ErrArg, err, "")
	case bytes < 0:
		return "", c.errorAt(s, ErrArg, "a length of %d bytes", bytes)
	}
	return c.coll.group.Choice(k, bytes), nil
}
