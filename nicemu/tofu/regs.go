package tofu

import "rhinet/nicemu/fabric"

// Ports of a node (llc, section 5).
const (
	InjectionPorts = 4
	NetworkPorts   = 10
)

// Sizes that the specification does not state: our choice.
const (
	Tags        = 2048 // entries of a node's table of tags
	DirectBytes = 64   // maximum bytes in the order itself: one line
	PacketBytes = 2048 // maximum payload of a packet
	Completions = 64   // entries of an injection port's completion queue
)

// Tags that are the same at all nodes. The manager registers them, so that they are valid before a
// process runs and after it has ended.
const (
	numRings      = 1
	numBootstrap  = 2
	numControl    = 3
	numFlagArrays = 4
	firstTag      = 16 // the first for the process

	staticGen = 1

	TagRings      = Tag(staticGen<<32 | numRings)      // packet rings with the counters that their readers export
	TagBootstrap  = Tag(staticGen<<32 | numBootstrap)  // the bootstrap area (llc, section 4.1)
	TagControl    = Tag(staticGen<<32 | numControl)    // control words
	TagFlagArrays = Tag(staticGen<<32 | numFlagArrays) // the job's shared flag arrays
)

// A table entry is one line of eight words.
const entryWords = 8

// Places in the tables of a node (fabric.Device), in words. Its own process and the manager write
// them; other ranks map them for reading only.
const (
	regPower    = 0  // 1: the NIC is up
	regManaged  = 8  // of node 0: whether the job has a manager
	regRefused  = 16 // own orders that were refused, by reason
	regPorts    = 48 // the injection ports
	regTags     = regPorts + InjectionPorts*portWords
	regEnd      = regTags + Tags*entryWords
	MemoryBytes = regEnd * 8 // the size of the tables
)

// Words of an injection port.
const (
	portDone  = 0 // completed orders
	portSent  = 8 // packets that left, by network port
	portEnds  = 24
	portWords = portEnds + Completions // results of the latest orders
)

// Places in the part of a node's memory that all NICs write (fabric.Public). On the fast path the
// thread that posts an order acts for the target's NIC. A rank that writes garbage here can delay
// the release of memory, or damage what arrives in its own mailbox; it cannot change who may access
// what.
const (
	pubRefused = 0                          // orders that arrived and were refused, by reason
	pubHolds   = 64                         // one line a tag: transfers in progress
	pubEnd     = pubHolds + Tags*entryWords // the bootstrap area begins here
	publicSize = (pubEnd*8 + page - 1) / page * page
	page       = fabric.PageBytes
)

// Geometry returns the memory that the nodes of a job need: at least g, with a bootstrap area of
// the given number of bytes at each node.
func Geometry(g fabric.Geometry, bootstrap int) fabric.Geometry {
	g.Device = max(g.Device, MemoryBytes)
	g.Public = publicSize + bootstrap
	return g
}

// States of regPower and regManaged.
const (
	stateOff    = fabric.Off
	stateRising = fabric.Rising
	stateOn     = fabric.On
)

// Words of an entry in the table of tags. The state word hands the entry over: its owner writes the
// others while the entry is invalid, and others use them only while it is valid and of the
// generation that they know.
const (
	entState  = 0 // bit 16 valid, 32-63 generation
	entKey    = 1 // bits 0-31 job, 32-47 rank of the owner
	entStart  = 2 // virtual address, or offset in the job's memory
	entSize   = 3 // bytes
	entRights = 4 // bits 0-2 rights, 63 memory of the job
	entSeal   = 5 // checksum of the other words except the state

	entValid    = 1 << 16
	entGenShift = 32
	inJob       = 1 << 63
)

// A Right says what other nodes may do with the memory under a tag.
type Right uint64

// The rights.
const (
	MayPut Right = 1 << iota
	MayGet
	MaySwap
)
