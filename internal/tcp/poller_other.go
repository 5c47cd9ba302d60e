//go:build !linux

package tcp

// A Poller is not available on this system.
type Poller struct{}

// NewPoller fails here.
func NewPoller() (*Poller, error) { return nil, ErrUnavailable }

// Add fails here.
func (p *Poller) Add(Socket, int, bool) error { return ErrUnavailable }

// Change does nothing here.
func (p *Poller) Change(Socket, int, bool) {}

// Remove does nothing here.
func (p *Poller) Remove(Socket) {}

// Look finds nothing here.
func (p *Poller) Look([]Ready) int { return 0 }

// Await ends at once here.
func (p *Poller) Await() bool { return false }

// Release does nothing here.
func (p *Poller) Release() {}

// Close does nothing here.
func (p *Poller) Close() error { return nil }
