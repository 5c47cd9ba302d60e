package mpi

import "rhinet/llc"

// Wildcards and special ranks (MPI 4.1, sections 3.2.4, 3.11 and 7.4.2).
const (
	AnySource = llc.AnyPeer // a receive that takes a message of any rank
	AnyTag    = llc.AnyTag  // a receive that takes a message of any tag
	ProcNull  = -2          // a partner that does not exist: transfers with it do nothing
	Undefined = -3          // no color, no index, no count
)

// MaxTag is the largest tag (MPI_TAG_UB).
const MaxTag = 1<<31 - 1

// A Status describes a message that was received or probed.
//
// MPI 4.1, section 3.2.5.
type Status struct {
	Source int   // rank of the sender in the communicator
	Tag    int   // tag of the message
	Count  int   // elements received; after a probe, bytes (see Count)
	Bytes  int64 // bytes of the message
}

// emptyStatus belongs to an inactive request (MPI 4.1, section 3.7.3).
func emptyStatus() Status { return Status{Source: AnySource, Tag: AnyTag} }

// nullStatus belongs to a receive from ProcNull (MPI 4.1, section 3.11).
func nullStatus() Status { return Status{Source: ProcNull, Tag: AnyTag} }

// Count returns how many elements of T the message of st has, or Undefined if
// its bytes are not a whole number of elements.
//
// MPI 4.1, section 3.2.5 (MPI_Get_count).
func Count[T any](st Status) int {
	size := int64(sizeOf[T]())
	if size == 0 || st.Bytes%size != 0 {
		return Undefined
	}
	return int(st.Bytes / size)
}
