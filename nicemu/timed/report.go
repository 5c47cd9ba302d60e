package timed

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// Traffic counts packets of a model, including requests and confirmations of transfers.
type Traffic struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
}

func (t *Traffic) add(bytes int) {
	t.Packets++
	t.Bytes += uint64(bytes)
}

// An Account says on what the virtual time of a rank was spent, and how much it sent. The rest of
// Time is waits.
type Account struct {
	Time     vtime.Time // its clock when it left
	Compute  vtime.Time
	Call     vtime.Time // overheads and polls that found nothing
	Sent     Traffic
	Received Traffic
}

// Wait returns the time in which the rank waited.
func (a *Account) Wait() vtime.Time { return a.Time - a.Compute - a.Call }

// A Report is the result of a job.
type Report struct {
	Time   vtime.Time // the latest clock of a rank
	Ranks  []Account
	Total  Traffic
	Links  []medium.Link
	Events uint64  // of the model
	Wire   Traffic // what the links carried, if the model counts it: packets of the network
}

// Report returns the report of the job so far. It is called after Run.
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
