package endpoint

import (
	"rhinet/llc/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/lowlevel"
)

// An Endpoint is one rank's end of its Martini. A translator embeds it and adds the ways of packets.
type Endpoint struct {
	endpoint.Endpoint
	nic *martini.NIC

	cache *lowlevel.PinCache // nil: nothing stays pinned after its use
	lent  map[martini.Segment]*lowlevel.Pinned
}

// Register enters the processes of a job into the tables of their NICs, as the
// job's manager, before any of them runs (martini, section 8.5).
func Register(f *fabric.Fabric) error {
	_, err := martini.Manage(f)
	return err
}

// Open connects rank to its NIC in the memory of a job.
func Open(f *fabric.Fabric, rank int, o martini.Options) (Endpoint, error) {
	nic, err := martini.Open(f, rank, o)
	if err != nil {
		return Endpoint{}, err
	}
	return Endpoint{Endpoint: endpoint.New(f, rank, martini.Gone), nic: nic}, nil
}

// NIC returns the NIC.
func (e *Endpoint) NIC() *martini.NIC { return e.nic }

// Close withdraws all registrations. A rank that aborts keeps that status.
func (e *Endpoint) Close() error {
	e.Finish()
	return e.nic.Close()
}
