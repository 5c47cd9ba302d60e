package tofu

// A Command is the operation of an order.
type Command uint8

// The commands of orders and, for refusals, the other requests of a process.
const (
	noCommand Command = iota
	Put               // copy Local to the target
	Get               // copy from the target to Local
	Direct            // put Local, at most DirectBytes bytes that the order carries itself
	Swap              // compare and swap an aligned word of the target
	register
	withdraw
	numCommands
)

// commands lists for each command the right that it needs, and whether it can ask for a notice.
var commands = [numCommands]struct {
	name   string
	need   Right
	notice bool
}{
	noCommand: {name: "nothing"},
	Put:       {"put", MayPut, true},
	Get:       {"get", MayGet, false},
	Direct:    {"direct put", MayPut, true},
	Swap:      {"swap", MaySwap, false},
	register:  {name: "registration"},
	withdraw:  {name: "withdrawal"},
}

// String returns the command in a word or two.
func (c Command) String() string {
	if c < numCommands {
		return commands[c].name
	}
	return "unknown command"
}

// An Order is a descriptor that a process posts at an injection port.
//
// Our choice: local memory is a slice that the caller lends until Post returns, and needs no tag. A
// process can access its own memory without a NIC as well; the protection of other processes is
// checked at the target.
type Order struct {
	Command   Command
	Node      int
	Tag       Tag
	Offset    uint64 // in bytes
	Local     []byte
	Old, New  uint64 // Swap
	Notify    bool   // a notice is written for the target's process
	Immediate [3]uint64
}

// bytes returns the number of bytes that the order accesses at the target.
func (o *Order) bytes() uint64 {
	if o.Command == Swap {
		return wordBytes
	}
	return uint64(len(o.Local))
}

const wordBytes = 8

// admit makes the checks of the injection port. Immediate is for the process: the low halves of its
// first two words belong to the queue.
func (n *NIC) admit(o *Order) Reason {
	switch {
	case n.closed.Load():
		return Closed
	case o.Command == noCommand || o.Command > Swap, o.Notify && !commands[o.Command].notice:
		return NoCommand
	case o.Command == Direct && len(o.Local) > DirectBytes:
		return WrongLength
	case o.Command == Swap && o.Offset%wordBytes != 0:
		return Misplaced
	case uint(o.Node) >= uint(n.ranks) || !nodeOf(n.f, o.Node).up():
		return NoNode
	}
	return 0
}
