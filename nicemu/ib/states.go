package ib

// States returns the number of states of a queue pair: all smaller numbers are states.
func States() State { return numStates }

// Leads reports whether Modify takes a queue pair from one state to another.
func Leads(from, to State) bool { return from < numStates && to < numStates && transitions[from][to] }

// Does says in words what a queue pair does in the state.
func (s State) Does() string {
	if s >= numStates {
		return ""
	}
	switch d := does[s]; {
	case d.send:
		return "receives and sends"
	case d.receive && d.postSend:
		return "receives; what is posted to be sent waits"
	case d.receive:
		return "receives"
	case d.postSend:
		return "flushes what is posted"
	case d.postReceive:
		return "takes receives"
	}
	return "nothing"
}
