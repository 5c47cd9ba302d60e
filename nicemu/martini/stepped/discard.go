package stepped

// Discard makes the Switch Interface of a node drop every packet that arrives, unprocessed, or stop
// dropping. With it, the sending side of the other nodes is measured alone (martini, section 13,
// E4).
func (m *Machine) Discard(node int, on bool) { m.nodes[node].discards = on }

// takes reports whether a node's Switch Interface has room for a packet.
func (n *node) takes() bool { return n.discards || n.receive.len() < receiveDepth }

// Drop drains and drops the packet that RFend holds, and resumes RFend with the next one: handlers
// call it for a packet that has no further effect.
func (f *Firmware) Drop() {
	f.Spend(Handling)
	f.discard()
}
