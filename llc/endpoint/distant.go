package endpoint

// A Distant is an Endpoint in a network that does not report peers that have ended: a rank that waits for a
// peer checks whether the peer is still there (Check), and the launcher reports others (DetectFailures).
type Distant struct {
	Endpoint
	forget func(peer int, err error)
}

// NewDistant makes a Distant of an endpoint. forget ends what is under way to a peer whose end has been
// reported; it may be called again for the same peer.
func NewDistant(e Endpoint, forget func(peer int, err error)) Distant { return Distant{e, forget} }

// End reports the end of a peer, once, and ends what is under way to it.
func (d *Distant) End(peer int, err error) {
	if peer == d.self || d.Gone(peer) {
		return
	}
	d.Lose(peer, err)
	d.forget(peer, err)
}

// Check reports the end of a peer that was there and is gone.
func (d *Distant) Check(peer int) {
	if d.Left(peer) {
		d.End(peer, d.dead)
	}
}

// DetectFailures looks for peers that the launcher has marked as failed.
func (d *Distant) DetectFailures() bool {
	if !d.Endpoint.DetectFailures() {
		return false
	}
	for peer := range d.gone {
		if d.Gone(peer) {
			d.forget(peer, d.dead)
		}
	}
	return true
}
