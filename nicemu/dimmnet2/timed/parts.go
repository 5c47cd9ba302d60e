package timed

import (
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/dimmnet2/stepped"
	"rhinet/nicemu/vtime"
)

// A Packet is how long the parts of two boards are busy with a packet that a BOTF sends to a
// receive ring in SO-DIMM (dimmnet2, sections 7, 8 and 11).
type Packet struct {
	Control vtime.Time // request and Window Controller, until the window is free
	Leave   vtime.Time // the sending switch interface
	Wire    vtime.Time // the bytes on a link
	Enter   vtime.Time // the receiving switch interface
	Receive vtime.Time // the Receive Controller, until it may take the next packet
	Told    vtime.Time // time after that until the host can see the packet
}

// Packet returns the times of a packet with n bytes of data, at most MostData, in whole lines.
func (m *Model) Packet(n int) (Packet, error) {
	n = max(1, (n+dimmnet2.LineBytes-1)/dimmnet2.LineBytes) * dimmnet2.LineBytes
	send, receive, err := m.lab.BOTF(dimmnet2.InDIMM, n)
	status := stepped.Clocks(stepped.WriteStatus, 0)
	return Packet{
		Control: m.reach + m.clock*vtime.Time(send), Leave: m.leaves(n), Wire: m.perByte * vtime.Time(n+dimmnet2.HeaderBytes), Enter: m.arrives(n),
		Receive: m.clock * vtime.Time(receive-status+stepped.Clocks(stepped.CheckSpace, 0)), Told: m.clock * vtime.Time(status),
	}, err
}

// Host is the costs for a processor, as times and in nanoseconds a byte.
type Host struct {
	Send     vtime.Time // filling a window with a packet without data, and issuing the request
	SendByte float64
	Look     vtime.Time // polling the LLCM
	Read     vtime.Time // having the board read a packet without data from SO-DIMM, and noticing that it has
	ReadByte float64
}

// Host returns the costs for a processor. A poll that finds a value counts in full: on average it
// begins half a poll before the value is there, and ends with it.
func (m *Model) Host() Host {
	const first, last = 24, 464
	each := float64(m.most-m.least) / (last - first)
	clocks := 0
	for _, s := range []stepped.State{stepped.Obtain, stepped.Identify, stepped.Start, stepped.Local, stepped.Activate, stepped.Column} {
		clocks += stepped.Clocks(s, 0)
	}
	const burst = 16
	return Host{
		Send: m.least - vtime.Time(each*(first-dimmnet2.HeaderBytes)) + m.issue, SendByte: each / float64(vtime.Nanosecond),
		Look: m.poll, Read: m.issue + m.reach + m.clock*vtime.Time(clocks) + m.poll, ReadByte: m.clock.Nanoseconds() / burst,
	}
}
