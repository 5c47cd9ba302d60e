package ir

// A Waiting says what a peer waits for.
type Waiting struct {
	Call    string // of the port: Send, Recv, Wait, WaitAny, Probe, Await
	Peer    int    // negative: any, or none in particular
	Tag     int    // negative: any, or none
	Bytes   int64  // size of the buffer
	Context uint16
}

// A Reporter is an optional ability of a translator, found by assertion: to
// show to the outside what this peer waits for. A waiter reports before it
// sleeps for the first time and clears when its wait ends; both with the
// port's lock held. A wait that ends sooner is never reported.
type Reporter interface {
	Report(Waiting)
	Clear()
}
