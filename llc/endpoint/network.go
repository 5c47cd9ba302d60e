package endpoint

import (
	"fmt"

	"rhinet/llc/entry"
)

// A network is what is known of ranks on other hosts.
type network struct {
	host   int
	all    []entry.Place // by rank; nil: there is one host
	secret uint32        // ends the headers of messages
}

// Meet tells the other ranks the address of this one, and learns those of ranks on other hosts. n is nil if
// there is one host: then ranks publish their addresses as they come.
func (e *Endpoint) Meet(n *entry.Network, name []byte) error {
	if n == nil {
		e.PutName(name)
		return nil
	}
	all, secret, err := n.Meet(name)
	if err != nil {
		return err
	}
	if len(all) != len(e.gone) {
		return fmt.Errorf("llc: %d ranks have met, the job has %d", len(all), len(e.gone))
	}
	e.network = network{n.Host, all, secret}
	return nil
}

// Elsewhere reports whether a peer is on another host.
func (e *Endpoint) Elsewhere(peer int) bool { return e.all != nil && e.all[peer].Host != e.host }
