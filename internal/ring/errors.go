package ring

// Broken contracts between packages.
const (
	badAlignment = "ring: memory does not start on a line of 64 bytes"
	badLayout    = "ring: lines and data bytes must be powers of two, at least 2 lines and 64 bytes"
	badShared    = "ring: a shared ring needs a power of two of lines, at least 64"
	shortMemory  = "ring: memory is smaller than the layout"
	longPayload  = "ring: payload is longer than the ring can carry"
	badSource    = "ring: source does not fit 16 bits"
	badPeer      = "ring: peer number out of range"
)
