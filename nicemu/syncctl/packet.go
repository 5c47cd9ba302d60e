package syncctl

import (
	"encoding/binary"
	"fmt"
)

// PacketBytes is the length of every event packet (sync-controller, section 1.3).
const PacketBytes = 16

// A Packet is an event packet. Its fields are those of the specification; their widths and places
// are our choice:
//
//	word 0  Source ID (16)                   Destination ID (16)
//	word 1  Int level (4)   Control (12)     Sync: kind (4), sync_ID (12)
//	word 2  Data2 (16)                       Memory Address (16)
//	word 3  Status (32)
type Packet struct {
	Source, Destination uint16
	IntLevel            uint8  // 4 bits: raised at the receiver
	Control             uint16 // 12 bits: a message, and the bit of the barrier's episode
	Kind                Kind   // 4 bits
	ID                  uint16 // 12 bits
	Data2               uint16 // a waiting time, or a count
	Address             uint16 // of the object in the home's memory
	Status              uint32 // bits 0-7 a Status, 8-31 number of hops in the chain so far
}

// Limits of the fields that are not whole words.
const (
	mostControl = 1<<12 - 1
	// MostID is the largest sync_ID.
	MostID = 1<<12 - 1
	// MostNodes is the number of nodes that the IDs in packets can distinguish.
	MostNodes = 1 << 16
)

// Encode returns the packet in the form that it has on a link, with words in network byte order.
func (p *Packet) Encode() (b [PacketBytes]byte) {
	binary.BigEndian.PutUint16(b[0:], p.Source)
	binary.BigEndian.PutUint16(b[2:], p.Destination)
	binary.BigEndian.PutUint16(b[4:], uint16(p.IntLevel&0xf)<<12|p.Control&mostControl)
	binary.BigEndian.PutUint16(b[6:], uint16(p.Kind&0xf)<<12|p.ID&MostID)
	binary.BigEndian.PutUint16(b[8:], p.Data2)
	binary.BigEndian.PutUint16(b[10:], p.Address)
	binary.BigEndian.PutUint32(b[12:], p.Status)
	return b
}

// Decode returns the packet in b.
func Decode(b [PacketBytes]byte) Packet {
	control, sync := binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
	return Packet{
		Source: binary.BigEndian.Uint16(b[0:]), Destination: binary.BigEndian.Uint16(b[2:]),
		IntLevel: uint8(control >> 12), Control: control & mostControl,
		Kind: Kind(sync >> 12), ID: sync & MostID,
		Data2: binary.BigEndian.Uint16(b[8:]), Address: binary.BigEndian.Uint16(b[10:]),
		Status: binary.BigEndian.Uint32(b[12:]),
	}
}

// A Kind is the kind of a synchronization: the value sync of a command (1.4).
type Kind uint8

// The kinds. The values are our choice.
const (
	Aligned         Kind = iota + 1 // barrier, all resume at about the same time (3.2)
	MasterSlave                     // barrier of any number of nodes (3.3)
	Shuffle                         // barrier: Shuffle Exchange (3.4)
	ModifiedShuffle                 // barrier: modified Shuffle Exchange (3.5)
	NCLAcquire                      // (4.1)
	NCLRelease                      // (4.2); does not wait
	ConditionWait                   // (5)
	ConditionSet                    // does not wait
	ConditionClear                  // does not wait
	MutexLock                       // is requested again until it is granted
	MutexTry                        // may be answered by a refusal
	MutexUnlock                     // does not wait
	SemaphoreP
	SemaphoreV // does not wait
	endKinds
)

var kindNames = [endKinds]string{
	"none", "aligned barrier", "master/slave barrier", "shuffle exchange", "modified shuffle exchange", "NCL acquire", "NCL release",
	"condition wait", "condition set", "condition clear", "mutex lock", "mutex try", "mutex unlock", "semaphore P", "semaphore V",
}

func (k Kind) String() string {
	if k < endKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Waits reports whether a process that gives the command sleeps until its end.
func (k Kind) Waits() bool {
	switch k {
	case NCLRelease, ConditionSet, ConditionClear, MutexUnlock, SemaphoreV:
		return false
	}
	return true
}

// Messages: the low bits of Control. The highest bit is the episode of a barrier.
const (
	msgRequest  = iota + 1 // to the home: the command
	msgGrant               // from the home: the process may resume
	msgDone                // from the home: a command without a wait was carried out
	msgRefused             // from the home: a mutex is locked
	msgArrived             // Slave to Master
	msgComplete            // Master to Slave; Data2: waiting time
	msgPair                // Shuffle Exchange: the sender has arrived
	msgOwnLeft             // sent to the left, or up: the sender's pair has arrived
	msgOwnRight            // sent to the right, or down: the same
	msgForward             // forwards a notice from the sender's other side

	vertical   = 1 << 8
	episodeBit = 1 << 11
	msgMask    = 1<<8 - 1
)

// A Status is the result of a command.
type Status uint8

// The statuses.
const (
	OK       Status = iota
	Refused         // another process has the mutex
	NoObject        // the object has not been prepared at its home
	NotOwner        // a lock is released by a node that does not have it
	Overflow        // no room in the home's FIFO
)

var statusNames = []string{"ok", "refused", "no such object", "not the holder", "too many wait"}

func (s Status) String() string { return statusNames[s] }
