package mpi

import "maps"

// An Info is a set of hints: keys with values. The functions of MPI on info objects are
// those of Go on maps.
//
// MPI 4.1, chapter 10.
type Info = map[string]string

// Info returns the hints that c was made with and that are recognized.
//
// MPI 4.1, section 7.4.4 (MPI_Comm_get_info).
func (c *Comm) Info() (_ Info, err error) {
	defer c.raised(&err)
	if err := c.check(at("Info")); err != nil {
		return nil, err
	}
	hints := Info{}
	maps.Copy(hints, c.hints)
	return hints, nil
}

// SetInfo gives c hints. No hint can be given to an existing communicator, so all are
// ignored, as the standard allows: see [Comm.DupWithInfo].
//
// MPI 4.1, section 7.4.4 (MPI_Comm_set_info).
func (c *Comm) SetInfo(Info) (err error) {
	defer c.raised(&err)
	return c.check(at("SetInfo"))
}
