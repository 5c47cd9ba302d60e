package lowlevel

// Sizes of the objects (martini, section 9.1; unstated there).
const (
	blocks     = 16   // of the Message Buffer of each peer, and its descriptors
	blockBytes = 1024 // of each
	offers     = 8    // descriptors of the PULL variant

	descriptorBytes = 64
	flagBytes       = 8

	smallest = 40                      // message bytes up to which a descriptor holds the message
	medium   = blocks * blockBytes / 2 // up to which the Message Buffer does
)

// Places in the communication memory, the same at every node: first what
// concerns all, then, by peer, what that peer writes.
const (
	sidTable    = 0 // one double word an identifier: the segment
	sidCount    = 64
	lockFlags   = sidTable + sidCount*flagBytes // acquisition flags, one a lock
	barrierArea = lockFlags + Locks*flagBytes
	frontBytes  = 4096

	messageBuffer     = 0
	descriptorTable   = messageBuffer + blocks*blockBytes
	offerTable        = descriptorTable + blocks*descriptorBytes // Descriptor Table of the PULL variant
	bufferManagement  = offerTable + offers*descriptorBytes
	receiveManagement = bufferManagement + blocks*flagBytes
	peerBytes         = 18 << 10
)

// A descriptor, in either table. It becomes visible with its last word.
const (
	descLength  = 0  // bytes of the message, or of this part of it
	descMore    = 4  // not 0: more parts follow
	descInline  = 8  // a small message itself
	descSegment = 8  // PULL variant: where the data lies
	descOffset  = 16 // and how far in
	descValid   = 60 // number of the message, never 0
)

// at returns where an object of a peer lies.
func at(peer, object int) int { return frontBytes + peer*peerBytes + object }
