package martini

// A Command is double word DWCommand of a request.
type Command uint64

// MakeCommand composes a Command.
func MakeCommand(op, flag int, bytes uint64) Command {
	return Command(uint64(op) | uint64(uint16(flag))<<8 | bytes<<24)
}

// Op returns the command itself: CommandPush, CommandPull, ...
func (c Command) Op() int { return int(uint8(c)) }

// Flag returns the completion flag, or 0.
func (c Command) Flag() int { return int(uint16(c >> 8)) }

// Bytes returns the number of bytes to move; for a lock command, the lock.
func (c Command) Bytes() uint64 { return uint64(c >> 24) }

// A Target is double word DWTarget of a request.
type Target uint64

// MakeTarget composes a Target.
func MakeTarget(node, pid int) Target { return Target(uint64(uint16(node)) | uint64(uint16(pid))<<16) }

// Node returns the node.
func (t Target) Node() int { return int(uint16(t)) }

// PID returns the process at the node.
func (t Target) PID() int { return int(uint16(t >> 16)) }

// Flits are the header of a packet (martini, section 4.3); the layout is in regs.go.
type Flits []uint64

// TypeFlit composes the first flit. The length is the rest of the request, including this packet;
// in a pull request, the number of requested bytes.
func TypeFlit(kind uint8, flag int, length uint64) uint64 {
	return uint64(kind) | uint64(uint16(flag))<<8 | length<<24
}

// TargetFlit composes the second flit: key as MakeKey makes it.
func TargetFlit(key uint64, node int) uint64 { return key | uint64(uint16(node))<<48 }

// Kind returns the packet type.
func (f Flits) Kind() uint8 { return uint8(f[flitType]) }

// Flag returns the completion flag at the issuer, or 0.
func (f Flits) Flag() int { return int(uint16(f[flitType] >> 8)) }

// Length returns the length in bytes; see TypeFlit.
func (f Flits) Length() uint64 { return f[flitType] >> 24 }

// Key returns PGID and PID, as MakeKey makes them.
func (f Flits) Key() uint64 { return f[flitTarget] & (1<<48 - 1) }

// PGID returns the process group.
func (f Flits) PGID() uint32 { return uint32(f[flitTarget]) }

// PID returns the process at the node.
func (f Flits) PID() int { return int(uint16(f[flitTarget] >> 32)) }

// Node returns the node that the packet goes to.
func (f Flits) Node() int { return int(f[flitTarget] >> 48) }

// Segment returns the segment at the target.
func (f Flits) Segment() Segment { return Segment(f[flitSegment]) }

// Own overwrites the PGID by that of key: a packet from a Window carries the PGID of the Window's
// owner (martini, section 4.3).
func (f Flits) Own(key uint64) { f[flitTarget] = f[flitTarget]&^0xffffffff | uint64(uint32(key)) }
