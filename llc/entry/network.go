package entry

// A Network is what a rank of a job on several hosts must know of the network between them. All ranks of the
// job have numbers in the memory of each host, but only those on the host enter it.
type Network struct {
	Host    int    // number of the host that the rank is on
	Address string // of that host in the network
	// Meet publishes the name of this rank's end, waits until all ranks have published theirs, and returns
	// them, by rank, and a number that only ranks of the job know.
	Meet func(name []byte) (all []Place, secret uint32, err error)
}

// A Place is where a rank of a job on several hosts is.
type Place struct {
	Host int
	Name []byte // of its end of the network
}
