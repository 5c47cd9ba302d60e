package stepped

import "rhinet/nicemu/martini"

// Attach makes the fast path of all NICs fall back to the machine: the fast path handles the common
// cases, and the machine runs all others (a miss, a violation, a packet or a request for firmware),
// from the kick on, on the same tables and the same memory. The observer of [Options] then sees
// exactly these.
//
// Several goroutines may still use the NICs; the machine serves one at a time, which steps it. No
// other code may step it, kick, or write AOTF. That goroutine calls the functions of Options, which
// must not use the NICs.
func (m *Machine) Attach() {
	for _, n := range m.nodes {
		n.nic.FallBack(n)
	}
}

// Detach ends Attach.
func (m *Machine) Detach() {
	for _, n := range m.nodes {
		n.nic.FallBack(nil)
	}
}

// fallBackSteps is the maximum number of steps of a request, besides one for each byte: a packet
// takes less than a hundred, and a miss some thirty. A suspended module, or a full VPUSH ring, can
// keep a request for ever.
const fallBackSteps = 1 << 16

// Run implements [martini.Stepper].
func (n *node) Run(window, dw int, value uint64) (martini.Outcome, error) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	from := n.knownAt
	serial, err := n.m.Kick(n.id, window, dw, value)
	if err != nil {
		return martini.Outcome{}, err
	}
	w := n.nic.Window(window)
	size := martini.Command(w.Read(martini.DWCommand)).Bytes()
	if dw == martini.DWBotf {
		size = w.Read(martini.DWImage+martini.FlitType) >> 24
	}
	return n.outcome(from, window, serial, size)
}

// RunAOTF implements [martini.Stepper].
func (n *node) RunAOTF(address uint32, value uint64) (martini.Outcome, error) {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	from := n.knownAt
	if err := n.m.WriteAOTF(n.id, address, value); err != nil {
		return martini.Outcome{}, err
	}
	return n.outcome(from, martini.Windows, 0, 8)
}

// outcome runs the machine until a request of size bytes has ended, and returns what its issuer has
// learned about it since entry from.
func (n *node) outcome(from, window int, serial, size uint64) (martini.Outcome, error) {
	if err := n.m.Run(fallBackSteps + int(min(size, 1<<40))); err != nil {
		return martini.Outcome{}, err
	}
	for i := from; i < n.knownAt; i++ {
		if k := n.known[i%len(n.known)]; k.Window == window && k.Serial == serial {
			return martini.Outcome{Reason: k.Reason, Left: k.Left}, nil
		}
	}
	return martini.Outcome{}, nil
}
