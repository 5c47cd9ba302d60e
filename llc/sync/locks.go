package sync

import "rhinet/llc/ir"

var (
	_ ir.Locker = (*Translator)(nil)
	_ ir.Memory = (*Translator)(nil) // the name of a lock never stands for memory
)

// ReserveLock takes a lock of this node's RP.
func (t *Translator) ReserveLock() (number int, err error) { return t.hardware.ReserveLock() }

// FreeLock gives back a lock.
func (t *Translator) FreeLock(number int) { t.hardware.FreeLock(number) }

// Acquire is an NCL acquire request to the RP of a peer.
func (t *Translator) Acquire(home, number int) (turn uint64, err error) {
	return t.hardware.Acquire(home, number)
}

// Granted reports whether the response has come.
func (t *Translator) Granted(home, number int, turn uint64) (bool, error) {
	return t.hardware.Granted(home, number, turn)
}

// Holder returns the peer at the head of the FIFO of a lock.
func (t *Translator) Holder(home, number int) int {
	if peer := t.hardware.Holder(home, number); peer >= 0 {
		return peer
	}
	return ir.NoPeer
}

// ReleaseLock is an NCL release request; the next holder is interrupted.
func (t *Translator) ReleaseLock(home, number int, turn uint64) error {
	return t.interrupt(t.hardware.Release(home, number, turn))
}

// Withdraw takes back an NCL acquire request; the holder, which may be another one then, is interrupted.
func (t *Translator) Withdraw(home, number int, turn uint64) error {
	return t.interrupt(t.hardware.Withdraw(home, number, turn))
}

// Count counts at the RP of a peer; the holder, which waits for 0, is interrupted.
func (t *Translator) Count(home, number int, more bool) error {
	return t.interrupt(t.hardware.Count(home, number, more))
}

// Counter returns the count at the RP of a peer.
func (t *Translator) Counter(home, number int) (uint64, error) {
	return t.hardware.Counter(home, number)
}

// interrupt wakes a peer, if there is one.
func (t *Translator) interrupt(peer int, err error) error {
	if err == nil && peer >= 0 {
		t.Wake(peer)
	}
	return err
}
