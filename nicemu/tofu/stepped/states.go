package stepped

import "fmt"

// A State is the state of a module.
type State uint8

// The states. All modules have Idle; the next four are those of an injection port, the others those
// of a receiver.
const (
	Idle    State = iota
	Check         // checks before anything leaves
	Send          // the next packet leaves
	Wait          // for the answer
	Done          // the completion is written
	Look          // the tag is looked up
	Reserve       // room in the queue of notices is reserved
	Move          // bytes are written or read, or a word is swapped
	Tell          // the notice is written
	Answer        // to the port from which the order came
	numStates
)

var stateNames = [numStates]string{"IDLE", "CHECK", "SEND", "WAIT", "DONE", "LOOK", "RESERVE", "MOVE", "TELL", "ANSWER"}

// String returns the state in capitals.
func (s State) String() string { return stateNames[s] }

// A Module is a kind of module.
type Module uint8

// The modules.
const (
	InjectionPort Module = iota
	Receiver
)

// String returns the module's name.
func (m Module) String() string { return [...]string{"port", "receiver"}[m] }

// A transition leads from one state of a module to another.
type transition struct {
	module   Module
	from, to State
}

// transitions lists all transitions, with a text for each.
var transitions = map[transition]string{
	{InjectionPort, Idle, Check}: "an order is posted",
	{InjectionPort, Check, Done}: "refused here",
	{InjectionPort, Check, Send}: "nothing against it",
	{InjectionPort, Send, Send}:  "bytes left",
	{InjectionPort, Send, Wait}:  "all has left",
	{InjectionPort, Wait, Wait}:  "bytes came",
	{InjectionPort, Wait, Done}:  "answered",
	{InjectionPort, Done, Idle}:  "completed",

	{Receiver, Idle, Look}:    "first packet",
	{Receiver, Idle, Move}:    "packet of an order that goes on",
	{Receiver, Idle, Idle}:    "packet of an order that was refused",
	{Receiver, Idle, Answer}:  "last packet of an order that was refused",
	{Receiver, Look, Reserve}: "a notice is wanted",
	{Receiver, Look, Move}:    "allowed",
	{Receiver, Look, Answer}:  "refused",
	{Receiver, Look, Idle}:    "refused, more packets come",

	{Receiver, Reserve, Move}:   "there is room",
	{Receiver, Reserve, Answer}: "the queue is full",
	{Receiver, Reserve, Idle}:   "the queue is full, more packets come",
	{Receiver, Move, Move}:      "bytes left to read",
	{Receiver, Move, Idle}:      "more packets come",
	{Receiver, Move, Tell}:      "all is written",
	{Receiver, Move, Answer}:    "all is done",
	{Receiver, Tell, Answer}:    "told",
	{Receiver, Answer, Idle}:    "answered",
}

// why returns the text of a transition, and panics if there is none.
func why(m Module, from, to State) string {
	text, ok := transitions[transition{m, from, to}]
	if !ok {
		panic(fmt.Sprintf("stepped: no transition of a %v from %v to %v", m, from, to))
	}
	return text
}
