package mpi

import "rhinet/collectives"

// A heritage is what a duplicate gets from the rank that makes it. The ranks agree on it
// while they agree on the communicator, without a further message: a rank that cannot
// give its attributes contributes a color that says so, and the call fails on all ranks.
type heritage struct {
	c       *Comm
	options collectives.Options
	hints   Info
	attrs   []*attribute
	failed  error // why attrs are not complete
}

// failedColor is contributed by a rank whose attributes cannot be copied.
const failedColor = -1

// heritage copies the attributes of c, and parses hints.
func (c *Comm) heritage(s site, info Info) (p *heritage, err error) {
	p = &heritage{c: c}
	if p.options, p.hints, err = c.optionsOf(s, info); err != nil {
		return nil, err
	}
	if err := c.check(s); err != nil {
		return nil, err
	}
	p.attrs, p.failed = c.attrs.copies(c, s)
	return p, nil
}

// cut is the one of all ranks. They must pass the same of the hints that are recognized.
func (p *heritage) cut() cut {
	whole := cut{key: p.c.base().rank, same: argsHash(p.hints[HintAlgorithms]), check: p.check}
	if p.failed != nil {
		whole.color = failedColor
	}
	return whole
}

// check returns why no duplicate can be made of what the ranks contribute, or nil.
func (p *heritage) check(s site, all []member) error {
	if p.failed != nil {
		return p.failed
	}
	for _, m := range all {
		if m.color == failedColor {
			return p.c.errorAt(s, ErrOther, "the function that copies an attribute failed on rank %d of the world; it must succeed on all ranks", m.world)
		}
	}
	return nil
}

// refused deletes the attributes of a duplicate that is not made. It returns err, the reason.
func (p *heritage) refused(err error) error {
	dropped(p.c, p.attrs)
	return err
}
