package lowlevel

// Sizes of the objects (martini, section 9.1; unstated there).
const (
	blocks     = 16   // in the Message Buffer of each peer, and its descriptors
	blockBytes = 1024 // size of each
	offers     = 8    // descriptors of the PULL variant

	descriptorBytes = 64
	flagBytes       = 8

	smallest = 40                      // longest message in a descriptor, in bytes
	medium   = blocks * blockBytes / 2 // longest message in the Message Buffer
)

// Places in the communication memory, the same at every node: first what all processes share, then,
// for each peer, the objects that it writes.
const (
	sidTable    = 0 // one double word for each identifier: the segment
	sidCount    = 64
	lockFlags   = sidTable + sidCount*flagBytes // acquisition flags, one for each lock
	barrierArea = lockFlags + Locks*flagBytes
	frontBytes  = 4096

	messageBuffer     = 0
	descriptorTable   = messageBuffer + blocks*blockBytes
	offerTable        = descriptorTable + blocks*descriptorBytes // Descriptor Table of the PULL variant
	bufferManagement  = offerTable + offers*descriptorBytes
	receiveManagement = bufferManagement + blocks*flagBytes
	peerBytes         = 18 << 10
)

// The fields of a descriptor, in either table. It becomes visible with its last word.
const (
	descLength  = 0  // length in bytes of the message, or of this part of it
	descMore    = 4  // not 0: more parts follow
	descInline  = 8  // a small message
	descSegment = 8  // PULL variant: segment of the data
	descOffset  = 16 // and offset in it
	descValid   = 60 // number of the message, never 0
)

// at returns the place of an object of a peer.
func at(peer, object int) int { return frontBytes + peer*peerBytes + object }
