package mpi

import "rhinet/llc"

// Wildcards and special ranks (MPI 4.1, sections 3.2.4, 3.10 and 7.4.2).
const (
	AnySource = llc.AnyPeer // receive from any rank
	AnyTag    = llc.AnyTag  // receive with any tag
	ProcNull  = -2          // a peer that does not exist: transfers with it do nothing
	Undefined = -3          // no color, no index, no count
)

// MaxTag is the largest tag (MPI_TAG_UB).
//
// MPI 4.1, section 9.1.2 (MPI_TAG_UB).
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

// emptyStatus is the status of an inactive request (MPI 4.1, section 3.7.3).
func emptyStatus() Status { return Status{Source: AnySource, Tag: AnyTag} }

// cancelledBytes is Status.Bytes of a receive that was cancelled.
const cancelledBytes = -1

// cancelledStatus is the status of a receive that was cancelled (MPI 4.1, section
// 3.8.4).
func cancelledStatus() Status {
	return Status{Source: AnySource, Tag: AnyTag, Count: Undefined, Bytes: cancelledBytes}
}

// Cancelled reports whether st is the status of a receive that [Request.Cancel] has
// cancelled. Nothing was received then.
//
// MPI 4.1, section 3.8.4 (MPI_Test_cancelled).
func (st Status) Cancelled() bool { return st.Bytes == cancelledBytes }

// nullStatus is the status of a receive from ProcNull (MPI 4.1, section 3.10).
func nullStatus() Status { return Status{Source: ProcNull, Tag: AnyTag} }

// Count returns how many elements of T the message of st has, or Undefined if
// its bytes are not a whole number of elements. Of elements without a size an empty
// message has 0.
//
// MPI 4.1, section 3.2.5 (MPI_Get_count).
func Count[T any](st Status) int {
	size := int64(sizeOf[T]())
	switch {
	case st.Bytes == 0:
		return 0
	case size == 0 || st.Bytes < 0 || st.Bytes%size != 0:
		return Undefined
	}
	return int(st.Bytes / size)
}

// SetCancelled sets what [Status.Cancelled] reports, for the status of a request that
// the program completes itself: see [NewRequest].
//
// MPI 4.1, section 13.3 (MPI_Status_set_cancelled).
func (st *Status) SetCancelled(flag bool) {
	if flag {
		st.Bytes = cancelledBytes
	} else if st.Cancelled() {
		st.Bytes, st.Count = 0, 0
	}
}
