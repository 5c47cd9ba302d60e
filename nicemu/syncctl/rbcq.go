package syncctl

import "fmt"

// Never is the Set_d of a node's last code: the node takes part in no more synchronizations.
const Never = -1

// RBCQ is the logic of RBCQ-1 (sync-controller, section 7): barrier regions with one kind of code.
// A node's code k says that the node has reached k, and the node's next code waits until all
// participants of k have.
//
// Head[i] is 1 exactly if Counter[i] is 0.
type RBCQ struct {
	wait    []bool
	setD    []int
	head    []bool
	counter []int
}

// NewRBCQ returns the initial state of n nodes: all take part in the first synchronization.
func NewRBCQ(n int) *RBCQ {
	r := &RBCQ{make([]bool, n), make([]int, n), make([]bool, n), make([]int, n)}
	for i := range r.head {
		r.head[i] = true
	}
	return r
}

// Nodes returns the number of nodes.
func (r *RBCQ) Nodes() int { return len(r.head) }

// Wait raises PE Wait of a node, which executes a code: setD is one more than the number of
// synchronizations that it skips before its next code, or Never.
func (r *RBCQ) Wait(node, setD int) error {
	switch {
	case node < 0 || node >= len(r.wait):
		return fmt.Errorf("syncctl: node %d of %d", node, len(r.wait))
	case setD != Never && (setD < 1 || setD > 1<<16-1):
		return fmt.Errorf("syncctl: Set_d of node %d is %d; it is 1 to %d, or Never", node, setD, 1<<16-1)
	case r.wait[node]:
		return fmt.Errorf("syncctl: node %d executes a code, and waits in one already", node)
	case r.counter[node] == Never:
		return fmt.Errorf("syncctl: node %d executes a code after its last one", node)
	}
	r.wait[node], r.setD[node] = true, setD
	return nil
}

// Step applies the rules once: it gives PE Go to all nodes that wait at the head (rules 1 to 3) or,
// if there are none and the head is empty, advances to the next head (rule 4). It returns the
// released nodes, and whether anything has changed.
func (r *RBCQ) Step() (released []int, changed bool) {
	for i := range r.head {
		if r.head[i] && r.wait[i] {
			r.counter[i], r.head[i], r.wait[i] = r.setD[i], false, false
			released = append(released, i)
		}
	}
	if len(released) > 0 {
		return released, true
	}
	return nil, r.advance()
}

// advance is rule 4: an empty head is replaced by the next.
func (r *RBCQ) advance() bool {
	some := false
	for i := range r.head {
		if r.head[i] {
			return false
		}
		some = some || r.counter[i] != Never
	}
	if !some {
		return false
	}
	for i, c := range r.counter {
		if c != Never {
			r.counter[i]--
			r.head[i] = r.counter[i] == 0
		}
	}
	return true
}

// Ended reports whether every node has executed its last code.
func (r *RBCQ) Ended() bool {
	for _, c := range r.counter {
		if c != Never {
			return false
		}
	}
	return true
}

// Counter returns the Counter of a node: the distance to its next participation, or Never.
func (r *RBCQ) Counter(node int) int { return r.counter[node] }

// State returns PE Wait, BQ-Head and Counter of all nodes, in the notation of the specification.
func (r *RBCQ) State() (wait, head, counter string) {
	bit := func(b bool) string {
		if b {
			return "1"
		}
		return "0"
	}
	for i := range r.head {
		wait, head = wait+bit(r.wait[i]), head+bit(r.head[i])
		if i > 0 {
			counter += " "
		}
		if r.counter[i] == Never {
			counter += "N"
		} else {
			counter += fmt.Sprint(r.counter[i])
		}
	}
	return wait, head, counter
}

// SetD returns, for each node, the Set_d of each of its codes in a program. The program lists the
// participants of each synchronization; the first one has all nodes (sync-controller, section 9).
func SetD(nodes int, program [][]int) ([][]int, error) {
	if len(program) == 0 || len(program[0]) != nodes {
		return nil, fmt.Errorf("syncctl: all %d nodes take part in the first synchronization of a program", nodes)
	}
	last := make([]int, nodes)
	lists := make([][]int, nodes)
	for i := range last {
		last[i] = -1
	}
	for k, members := range program {
		for _, n := range members {
			if n < 0 || n >= nodes || last[n] == k {
				return nil, fmt.Errorf("syncctl: synchronization %d names node %d; nodes are 0 to %d, each once", k, n, nodes-1)
			}
			if last[n] >= 0 {
				lists[n][len(lists[n])-1] = k - last[n]
			}
			lists[n], last[n] = append(lists[n], Never), k
		}
	}
	return lists, nil
}
