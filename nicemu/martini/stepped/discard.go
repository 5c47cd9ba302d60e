package stepped

// Discard has the Switch Interface of a node drop every packet that arrives,
// unprocessed, or stop doing so: what is measured then is the way out of the
// other nodes alone (martini, section 13, E4).
func (m *Machine) Discard(node int, on bool) { m.nodes[node].discards = on }

// takes reports whether a node's Switch Interface has room for a packet.
func (n *node) takes() bool { return n.discards || n.receive.len() < receiveDepth }

// Drop drains and drops the packet that RFend holds, and has it go on with the
// next: what a handler does with a packet of which nobody shall hear again.
func (f *Firmware) Drop() {
	f.Spend(Handling)
	f.discard()
}
