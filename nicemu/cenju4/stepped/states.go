package stepped

import "fmt"

// A State is the state of a module.
type State uint8

// The states. All modules have Idle; the next four are RHM's, then those of SPM and Receiver.
const (
	Idle      State = iota
	Read            // a header is read from its queue
	Check           // the header is checked
	Look            // look-up in the node table or a header table
	Store           // into a header register
	Limits          // check of all pages of the parcel: segment table and page table
	Translate       // look-up of this packet's page in the TLB
	Miss            // the TLB is filled from the tables
	Data            // the body, requested line by line
	Send            // the packet goes into the network
	Notify          // the pattern that reports a parcel as sent
	Write           // to memory
	Append          // to a message buffer
	Update          // of a word
	Reply           // a header for the remote-read header queue
	Tell            // log record, interrupt, notification buffer
	numStates
)

var stateNames = [numStates]string{
	"IDLE", "READ", "CHECK", "LOOK", "STORE", "LIMITS", "TRANSLATE", "MISS", "DATA", "SEND", "NOTIFY", "WRITE", "APPEND", "UPDATE", "REPLY", "TELL",
}

// String returns the state in capitals.
func (s State) String() string { return stateNames[s] }

// A Module is a kind of module.
type Module uint8

// The modules.
const (
	RHM Module = iota
	SPM
	Receiver
)

// String returns the module's name.
func (m Module) String() string { return [...]string{"RHM", "SPM", "Receiver"}[m] }

// A transition leads from one state of a module to another.
type transition struct {
	module   Module
	from, to State
}

// transitions lists all transitions, with a text for each.
var transitions = map[transition]string{
	{RHM, Idle, Read}:   "a header is queued",
	{RHM, Read, Check}:  "read",
	{RHM, Check, Idle}:  "refused",
	{RHM, Check, Look}:  "nothing against it",
	{RHM, Look, Idle}:   "no destination",
	{RHM, Look, Store}:  "port bits added",
	{RHM, Store, Store}: "no header register is free",
	{RHM, Store, Idle}:  "stored",

	{SPM, Idle, Limits}:         "first packet of a parcel",
	{SPM, Idle, Translate}:      "another packet of a parcel",
	{SPM, Idle, Send}:           "nothing to read",
	{SPM, Limits, Idle}:         "source refused",
	{SPM, Limits, Translate}:    "all pages may be read",
	{SPM, Limits, Send}:         "nothing to read",
	{SPM, Translate, Miss}:      "not in the TLB",
	{SPM, Miss, Translate}:      "in the TLB",
	{SPM, Translate, Data}:      "translated",
	{SPM, Data, Send}:           "read",
	{SPM, Send, Idle}:           "sent",
	{SPM, Send, Notify}:         "last packet sent",
	{SPM, Notify, Idle}:         "told",
	{Receiver, Idle, Limits}:    "first packet of a parcel",
	{Receiver, Idle, Translate}: "another packet of a parcel",
	{Receiver, Idle, Idle}:      "packet of a parcel that was refused",
	{Receiver, Idle, Append}:    "message",
	{Receiver, Idle, Tell}:      "nothing to write",

	{Receiver, Limits, Idle}:      "refused",
	{Receiver, Limits, Translate}: "all pages may be reached",
	{Receiver, Limits, Tell}:      "an answer with nothing to translate",
	{Receiver, Limits, Reply}:     "data may be read",
	{Receiver, Translate, Miss}:   "not in the TLB",
	{Receiver, Miss, Translate}:   "in the TLB",
	{Receiver, Translate, Write}:  "translated",
	{Receiver, Translate, Update}: "translated",
	{Receiver, Write, Idle}:       "more packets come",
	{Receiver, Write, Tell}:       "last packet written",
	{Receiver, Append, Idle}:      "no room",
	{Receiver, Append, Tell}:      "appended",
	{Receiver, Update, Idle}:      "no word of the job",
	{Receiver, Update, Tell}:      "updated",
	{Receiver, Update, Reply}:     "updated, the old value goes back",
	{Receiver, Reply, Tell}:       "queued",
	{Receiver, Tell, Idle}:        "told",
}

// why returns the text of a transition, and panics if there is none.
func why(m Module, from, to State) string {
	text, ok := transitions[transition{m, from, to}]
	if !ok {
		panic(fmt.Sprintf("stepped: no transition of %v from %v to %v", m, from, to))
	}
	return text
}
