package lowlevel

import (
	"errors"
	"math"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// pinsKept is the maximum number of buffers in the cache, and keptBytes that of bytes unless the
// program sets another.
const (
	pinsKept  = 64
	keptBytes = 64 << 20
)

// A PinCache keeps memory pinned after its use, so that the next use of it is free: pinning
// involves the NIC, and is slow (martini, section 8.3). If too much memory is pinned, the least
// recently used is unpinned. Invalidation and unpinning are one operation here, in this order.
//
// Memory that peers may access is also registered: by Acquire for as long as it is pinned, or by a
// user of Pin for any time.
type PinCache struct {
	nic     *martini.NIC
	limit   int
	entries []*Pinned
	bytes   int
	clock   uint64

	// Hits, Misses and Evictions are counters of the cache.
	Hits, Misses, Evictions uint64
}

// Pinned is one buffer in the cache.
type Pinned struct {
	Pin     martini.Pin
	Segment martini.Segment // of the whole buffer; 0: not registered
	buf     []byte
	at      uint64 // its address
	users   int
	used    uint64 // clock of the last use
}

// NewPinCache returns an empty cache that keeps at most limit bytes besides memory in use; 0 means
// 64 MiB.
func NewPinCache(nic *martini.NIC, limit int) *PinCache {
	if limit == 0 {
		limit = keptBytes
	}
	return &PinCache{nic: nic, limit: limit}
}

// Acquire pins and registers b until Release, or finds it in the cache.
func (c *PinCache) Acquire(b []byte) (*Pinned, error) {
	e, err := c.Pin(b)
	if err != nil || e.Segment != 0 {
		return e, err
	}
	err = c.making(func() (err error) {
		e.Segment, err = c.nic.RegisterPinned(e.Pin, e.buf)
		return err
	})
	if err != nil {
		c.Release(e)
		return nil, err
	}
	return e, nil
}

// Pin is Acquire without registration: peers cannot access the memory because of it.
func (c *PinCache) Pin(b []byte) (*Pinned, error) {
	c.clock++
	from := fabric.Address(b)
	for _, e := range c.entries {
		if from >= e.at && from+uint64(len(b)) <= e.at+uint64(len(e.buf)) {
			c.Hits++
			e.users++
			e.used = c.clock
			return e, nil
		}
	}
	c.Misses++
	for len(c.entries) >= pinsKept || len(c.entries) > 0 && c.bytes+len(b) > c.limit {
		if evicted, err := c.evict(); err != nil {
			return nil, err
		} else if !evicted {
			break // all in use
		}
	}
	e := &Pinned{buf: b, at: from, users: 1, used: c.clock}
	err := c.making(func() (err error) {
		e.Pin, err = c.nic.Pin(b)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.entries = append(c.entries, e)
	c.bytes += len(b)
	return e, nil
}

// making runs enter, which adds an entry to a table of the NIC, and evicts buffers while the table
// is full.
func (c *PinCache) making(enter func() error) error {
	for {
		err := enter()
		if !errors.Is(err, martini.TableFull) {
			return err
		}
		if evicted, _ := c.evict(); !evicted {
			return err
		}
	}
}

// Release ends a use. The memory stays pinned until its place is needed.
func (c *PinCache) Release(p *Pinned) { p.users-- }

// offset returns the offset of b, which is part of p.
func (p *Pinned) offset(b []byte) uint64 { return fabric.Address(b) - p.at }

// evict unpins the least recently used buffer that is not in use, and reports whether there was
// one.
func (c *PinCache) evict() (bool, error) {
	at, oldest := -1, uint64(math.MaxUint64)
	for i, e := range c.entries {
		if e.users == 0 && e.used < oldest {
			at, oldest = i, e.used
		}
	}
	if at < 0 {
		return false, nil
	}
	e := c.entries[at]
	last := len(c.entries) - 1
	c.entries[at], c.entries[last] = c.entries[last], nil
	c.entries = c.entries[:last]
	c.bytes -= len(e.buf)
	c.Evictions++
	var err error
	if e.Segment != 0 {
		err = c.nic.Release(e.Segment)
	}
	return true, errors.Join(err, c.nic.Unpin(e.Pin))
}

// Flush unpins all buffers that are not in use.
func (c *PinCache) Flush() (err error) {
	for {
		evicted, e := c.evict()
		if err = errors.Join(err, e); !evicted {
			return err
		}
	}
}
