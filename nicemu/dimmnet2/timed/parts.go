package timed

import (
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/dimmnet2/stepped"
	"rhinet/nicemu/vtime"
)

// A Packet tells how long the parts of two boards are busy with a packet that a BOTF sends to a receive
// ring in SO-DIMM (dimmnet2, sections 7, 8 and 11).
type Packet struct {
	Control vtime.Time // request and Window Controller, until the window is free
	Leave   vtime.Time // the sending switch interface
	Wire    vtime.Time // the bytes on a link
	Enter   vtime.Time // the receiving switch interface
	Receive vtime.Time // the Receive Controller, until it may take the next packet
	Told    vtime.Time // from there until the host can see it
}

// Packet returns the parts of a packet with n bytes of data, at most MostData, in whole lines.
func (m *Model) Packet(n int) (Packet, error) {
	n = max(1, (n+dimmnet2.LineBytes-1)/dimmnet2.LineBytes) * dimmnet2.LineBytes
	send, receive, err := m.lab.BOTF(dimmnet2.InDIMM, n)
	status := stepped.Clocks(stepped.WriteStatus, 0)
	return Packet{
		Control: m.reach + m.clock*vtime.Time(send), Leave: m.leaves(n), Wire: m.perByte * vtime.Time(n+dimmnet2.HeaderBytes), Enter: m.arrives(n),
		Receive: m.clock * vtime.Time(receive-status+stepped.Clocks(stepped.CheckSpace, 0)), Told: m.clock * vtime.Time(status),
	}, err
}

// Host is what a processor pays, in time and in nanoseconds a byte.
type Host struct {
	Send     vtime.Time // fills a window with a packet of no data, and issues the request
	SendByte float64
	Look     vtime.Time // at the LLCM
	Read     vtime.Time // has the board bring a packet of no data from SO-DIMM, and sees that it has
	ReadByte float64
}

// Host returns the costs of a processor: of a poll that finds something all of it, as it begins half
// a poll before the value is there, on average, and ends with it.
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
