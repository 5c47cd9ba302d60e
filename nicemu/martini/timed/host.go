package timed

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// Times of a program on a host, for models that do not run it as a [Process].

// PassTime is the duration of [Process.Pass].
func (sys *System) PassTime(words int) vtime.Time {
	s := &sys.s
	each := s.detect
	switch {
	case words <= s.ways:
		each = s.probe
	case words <= s.waysSecond:
		each = s.probeSecond
	}
	return vtime.Time(words) * each
}

// CallTime is the duration of [Process.Call].
func (sys *System) CallTime() vtime.Time { return sys.s.call }

// MessageTime is the duration of [Process.Message].
func (sys *System) MessageTime() vtime.Time { return sys.s.mpi }

// DetectTime is the duration of [Process.Detect].
func (sys *System) DetectTime() vtime.Time { return sys.s.detect }

// StoreTime is the time in which a processor stores the words of a request.
func (sys *System) StoreTime(t *Transfer) vtime.Time { return vtime.Time(t.words()) * sys.s.store }

// CopyRate is the time that [Process.Copy] takes for each byte.
func (sys *System) CopyRate(cached bool) medium.Rate {
	per := sys.s.copyMemory
	if cached {
		per = sys.s.copy
	}
	return medium.Rate(per*1e3 + 0.5) // picoseconds to femtoseconds
}

// ZeroRate is the time that [Process.Zero] takes for each byte.
func (sys *System) ZeroRate() medium.Rate { return (sys.CopyRate(false) + 1) / 2 }

// Least returns a lower bound of the time from a host's request to its NIC until any host can see
// an effect: one word through the bridge, and one into memory.
func (sys *System) Least() vtime.Time {
	s := &sys.s
	bus := s.core.Span(s.busWrite + s.busWord)
	return s.store + 2*bus + s.memory + s.detect
}

// Buses returns for what part of the time until now each PCI bus was in use.
func (sys *System) Buses() []medium.Link {
	var all []medium.Link
	for _, n := range sys.nodes {
		all = append(all, medium.Link{Name: n.bus.Name(), Used: n.bus.Utilisation()})
	}
	return all
}
