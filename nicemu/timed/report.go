package timed

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// Traffic counts packets of a model: requests and confirmations of transfers are
// packets, too.
type Traffic struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
}

func (t *Traffic) add(bytes int) {
	t.Packets++
	t.Bytes += uint64(bytes)
}

// An Account is where the virtual time of a rank went, and what it sent. The rest of Time is waits.
type Account struct {
	Time     vtime.Time // its clock when it left
	Compute  vtime.Time
	Call     vtime.Time // overheads and looks in vain
	Sent     Traffic
	Received Traffic
}

// Wait returns the time in which the rank waited.
func (a *Account) Wait() vtime.Time { return a.Time - a.Compute - a.Call }

// A Report is what came of a job.
type Report struct {
	Time   vtime.Time // the latest clock of a rank
	Ranks  []Account
	Total  Traffic
	Links  []medium.Link
	Events uint64  // of the model
	Wire   Traffic // what the links carried, if the model knows: packets of the network
}

// Report returns what came of the job so far. It is called after Run.
func (s *Service) Report() Report {
	r := Report{Total: s.total, Events: s.net.Done()}
	for i := range s.ranks {
		m := &s.ranks[i]
		m.account.Time = m.at
		r.Ranks = append(r.Ranks, m.account)
		r.Time = max(r.Time, m.at)
	}
	r.Links = s.model.Links(r.Time)
	if c, ok := s.model.(medium.Counter); ok {
		r.Wire.Packets, r.Wire.Bytes = c.Carried()
	}
	return r
}
