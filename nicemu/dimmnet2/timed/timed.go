// Package timed gives DIMMnet-2 a clock: it computes the time that a host, its board and the switch
// interface (SWIF) take for a BOTF, and how a measurement would see it (dimmnet2, section 12). The
// controller's part is counted on the stepped model, clock by clock; all other numbers are
// parameters, with their sources.
package timed

import (
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/dimmnet2/stepped"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// Parameters returns the numbers of the model.
func Parameters() *param.Table {
	ns := func(name string, v float64, about, source string) param.Parameter {
		return param.Parameter{Name: name, Unit: "ns", Value: v, Least: 0, Most: 1e6, About: about, Source: source}
	}
	return param.New(
		ns("host.least", 201, "the host writes 24 bytes, a header and 8 bytes, into a window", "dimmnet2, 7.3"),
		ns("host.most", 409, "and 464 bytes, or more", "dimmnet2, 7.4; linear between: suggested there"),
		ns("host.issue", 81, "the host writes a BOTF into the request-issue register", "dimmnet2, 7.3"),
		ns("host.poll", 233, "the host polls a status register, or the LLCM, once", "dimmnet2, 10"),
		param.Parameter{Name: "host.sample", Value: 0.5, Least: 0, Most: 1, About: "when in a poll the value is sampled, as a part of it", Source: "dimmnet2, 10: suggested"},
		ns("controller.clock", 10, "a clock of the controller", "dimmnet2, 1"),
		ns("controller.reach", 10, "the request reaches the Window Controller", "dimmnet2, 7.3"),
		ns("swif.send", 164, "a packet of no bytes leaves", "dimmnet2, 7.4: suggested, from two points"),
		ns("swif.receive", 288, "a packet of no bytes is received", "dimmnet2, 7.4: suggested, from one point and the same slope"),
		ns("swif.byte", 1, "each byte of a packet, header included", "dimmnet2, 7.4: derived"),
	)
}

// A Model computes the times of a BOTF.
type Model struct {
	least, most, issue, poll, sample, clock, reach, send, receive, perByte vtime.Time

	lab *stepped.Lab
}

// New returns a model with the numbers of a table of Parameters.
func New(t *param.Table) (*Model, error) {
	lab, err := stepped.NewLab()
	if err != nil {
		return nil, err
	}
	ns := func(name string) vtime.Time { return vtime.Time(t.Value(name) * float64(vtime.Nanosecond)) }
	m := &Model{
		least: ns("host.least"), most: ns("host.most"), issue: ns("host.issue"), poll: ns("host.poll"), clock: ns("controller.clock"), reach: ns("controller.reach"),
		send: ns("swif.send"), receive: ns("swif.receive"), perByte: ns("swif.byte"), lab: lab,
	}
	m.sample = vtime.Time(t.Value("host.sample") * float64(m.poll))
	return m, nil
}

// MostData is the maximum number of bytes of data in one BOTF.
const MostData = dimmnet2.BOTFDataBytes

// written returns how long the host writes a packet with n bytes of data into a window.
func (m *Model) written(n int) vtime.Time {
	const first, last = 24, 464
	p := min(max(n+dimmnet2.HeaderBytes, first), last)
	return m.least + (m.most-m.least)*vtime.Time(p-first)/(last-first)
}

func (m *Model) leaves(n int) vtime.Time {
	return m.send + m.perByte*vtime.Time(n+dimmnet2.HeaderBytes)
}

func (m *Model) arrives(n int) vtime.Time {
	return m.receive + m.perByte*vtime.Time(n+dimmnet2.HeaderBytes)
}

// seen returns when a host that polls from a moment on notices an event, since it samples at one
// point of each poll and finishes the poll.
func (m *Model) seen(from, when vtime.Time) vtime.Time {
	end := from + m.poll
	for end-m.poll+m.sample < when && m.poll > 0 {
		end += m.poll
	}
	return end
}

// A Latency is the time of a part of a transfer: composed of its parts, and as a polling host
// measures it.
type Latency struct{ Theoretical, Measured vtime.Time }

// Send returns the time from the first store into a window until a packet with n bytes of data has
// left (dimmnet2, sections 7.3 and 12).
func (m *Model) Send(n int) (Latency, error) {
	send, _, err := m.lab.BOTF(dimmnet2.InPW, n)
	issued := m.written(n) + m.issue
	done := issued + m.reach + m.clock*vtime.Time(send)
	return Latency{done + m.leaves(n), m.seen(issued, done) + m.leaves(n)}, err
}

// Receive returns the time of reception into a memory (dimmnet2, sections 8.2 and 12). It is
// measured in a loop-back, from before the write to the register on: the receiver begins when the
// Window Controller has written the whole packet, and the time for sending is subtracted.
func (m *Model) Receive(memory dimmnet2.Memory, n int) (Latency, error) {
	send, receive, err := m.lab.BOTF(memory, n)
	sent := m.reach + m.clock*vtime.Time(send)
	received := m.clock * vtime.Time(receive)
	told := m.seen(m.issue, m.issue+sent+received)
	return Latency{received + m.arrives(n), told - m.issue - sent + m.arrives(n)}, err
}

// Stream returns the time until n bytes of data have left, packet by packet, from one Write Window
// or from two in turn (dimmnet2, section 9). The host refills a window when the controller has
// finished with it, and knows that at once (our choice: unstated). While the controller works, the
// host writes and issues the next packet and the request is identified; SWIF takes a packet when
// the previous one has left.
func (m *Model) Stream(n, windows int) (vtime.Time, error) {
	identify := m.clock * vtime.Time(stepped.Clocks(stepped.Obtain, 0)+stepped.Clocks(stepped.Identify, 0))
	free := make([]vtime.Time, windows)
	var host, controller, swif vtime.Time
	for k := 0; n > 0; k++ {
		size := min(n, MostData)
		send, _, err := m.lab.BOTF(dimmnet2.InPW, size)
		if err != nil {
			return 0, err
		}
		host = max(host, free[k%windows]) + m.written(size) + m.issue
		controller = max(host+m.reach+identify, controller) + m.clock*vtime.Time(send) - identify
		free[k%windows] = controller
		swif = max(controller, swif) + m.leaves(size)
		n -= size
	}
	return swif, nil
}
