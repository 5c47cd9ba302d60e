package collectives

import (
	"fmt"
	"strings"
)

// A Kind is a collective operation.
type Kind uint8

// The operations, in the order of MPI 4.1, chapter 6.
const (
	Barrier Kind = iota
	Bcast
	Gather
	Gatherv
	Scatter
	Scatterv
	Allgather
	Allgatherv
	Alltoall
	Alltoallv
	Reduce
	Allreduce
	ReduceScatterBlock
	ReduceScatter
	Scan
	Exscan
	numKinds
)

var kindNames = [numKinds]string{
	Barrier:            "barrier",
	Bcast:              "bcast",
	Gather:             "gather",
	Gatherv:            "gatherv",
	Scatter:            "scatter",
	Scatterv:           "scatterv",
	Allgather:          "allgather",
	Allgatherv:         "allgatherv",
	Alltoall:           "alltoall",
	Alltoallv:          "alltoallv",
	Reduce:             "reduce",
	Allreduce:          "allreduce",
	ReduceScatterBlock: "reduce_scatter_block",
	ReduceScatter:      "reduce_scatter",
	Scan:               "scan",
	Exscan:             "exscan",
}

// String is the operation's name in options and tables.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Kinds lists all operations.
func Kinds() []Kind {
	ks := make([]Kind, numKinds)
	for i := range ks {
		ks[i] = Kind(i)
	}
	return ks
}

// KindNamed returns the operation with a name in options and tables. The error lists
// the names.
func KindNamed(name string) (Kind, error) {
	for i, n := range kindNames {
		if n == name {
			return Kind(i), nil
		}
	}
	return 0, noName("no operation %q; there are %s", name, strings.Join(kindNames[:], ", "))
}

// rooted reports whether calls of this kind name a root.
func (k Kind) rooted() bool {
	switch k {
	case Bcast, Gather, Gatherv, Scatter, Scatterv, Reduce:
		return true
	}
	return false
}
