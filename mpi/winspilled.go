package mpi

import (
	"errors"
	"sync/atomic"

	"rhinet/internal/layout"
)

// A spilled is the reach of a dynamic window whose regions the network interface reads
// and writes. It has room for a thousand or two of all windows, and needs some itself.
// So a rank exposes only regions that have slots, and serves accesses to the others by
// messages (see [attachments]). All accesses to a region go one way, so updates are
// atomic; locks are in the memory that the ranks share.
type spilled struct {
	*exposed
	rest   *served
	served atomic.Bool // this rank serves regions
}

func spill(x *exposed) *spilled { return &spilled{exposed: x, rest: newServed(x.c, nil, true)} }

// serves returns the word that tells whether a rank serves regions.
func (d *spilled) serves(rank int) *uint64 { return &elements[uint64](d.of(rank))[servesAt/8] }

// way returns the reach to a place.
func (d *spilled) way(target int, at uint64) (reach, error) {
	id, _ := splitPlace(at)
	switch {
	case id&slotted != 0:
		return d.exposed, nil
	case atomic.LoadUint64(d.serves(target)) == 0:
		return nil, errNotAttached // nobody would answer
	}
	return d.rest, nil
}

func (d *spilled) put(target int, at uint64, data []byte) error {
	r, err := d.way(target, at)
	if err != nil {
		return err
	}
	return r.put(target, at, data)
}

func (d *spilled) get(target int, at uint64, buf []byte) error {
	r, err := d.way(target, at)
	if err != nil {
		return err
	}
	return r.get(target, at, buf)
}

func (d *spilled) update(target int, at uint64, u *update) error {
	r, err := d.way(target, at)
	if err != nil {
		return err
	}
	return r.update(target, at, u)
}

// The first byte of a layout tells the region: at may be outside of it.
func (d *spilled) moveLayout(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	r, err := d.way(target, at+uint64(l.TrueLB()))
	if err != nil {
		return err
	}
	return r.moveLayout(target, at, l, mem, put)
}

func (d *spilled) updateLayout(target int, at uint64, l *layout.Type, u *update) error {
	r, err := d.way(target, at+uint64(l.TrueLB()))
	if err != nil {
		return err
	}
	return r.updateLayout(target, at, l, u)
}

func (d *spilled) expose(id uint64, mem []byte) error {
	if id&slotted != 0 {
		return d.exposed.expose(id, mem)
	}
	if !d.served.Swap(true) {
		d.rest.start()
	}
	err := d.rest.expose(id, mem)
	atomic.StoreUint64(d.serves(d.c.rank), 1)
	return err
}

func (d *spilled) hide(id uint64) error {
	if id&slotted != 0 {
		return d.exposed.hide(id)
	}
	return d.rest.hide(id)
}

func (d *spilled) close() (err error) {
	if d.served.Load() {
		err = d.rest.close()
	}
	return errors.Join(err, d.exposed.close())
}

// server returns what serves accesses to this rank's part, or nil.
func (w *window) server() *served {
	switch r := unobserved(w.reach).(type) {
	case *served:
		return r
	case *spilled:
		if r.served.Load() {
			return r.rest
		}
	}
	return nil
}
