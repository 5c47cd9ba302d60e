package traffic

import (
	"fmt"

	"rhinet/mpi"
)

// Run executes this rank's part of the plan. All ranks of world must call it, as many as the plan has. It
// ends at the first violation, with an error that names seed, lane and step; calls of other lanes may then
// still be waiting.
func (p *Plan) Run(world *mpi.Comm) error {
	if world.Size() != p.Ranks {
		return fmt.Errorf("traffic: a plan for %d ranks on %d", p.Ranks, world.Size())
	}
	errs := make(chan error, len(p.Lanes))
	var comms []*mpi.Comm
	for i := range p.Lanes {
		c, err := world.Dup()
		if err != nil {
			return fmt.Errorf("traffic: seed %d: a communicator for lane %d: %w", p.Seed, i, err)
		}
		comms = append(comms, c)
		l := &lane{plan: p, number: i, rank: world.Rank(), comms: []*mpi.Comm{c}}
		go func() { errs <- l.run() }()
	}
	for range p.Lanes {
		if err := <-errs; err != nil {
			return err
		}
	}
	for i, c := range comms {
		if err := c.Free(); err != nil {
			return fmt.Errorf("traffic: seed %d: lane %d is freed: %w", p.Seed, i, err)
		}
	}
	return mpi.Barrier(world)
}

// A lane is one rank's part of one lane.
type lane struct {
	plan   *Plan
	number int
	rank   int // in the world
	step   int
	comms  []*mpi.Comm // the current one is the last; nil if this rank is in none
}

// run carries out all steps.
func (l *lane) run() error {
	steps := l.plan.Lanes[l.number]
	for l.step = range steps {
		if err := l.do(&steps[l.step]); err != nil {
			return fmt.Errorf("traffic: seed %d on %d ranks, lane %d, step %d (%v), rank %d: %w",
				l.plan.Seed, l.plan.Ranks, l.number, l.step, steps[l.step].Kind, l.rank, err)
		}
	}
	return nil
}

func (l *lane) do(s *Step) error {
	c := l.comms[len(l.comms)-1]
	if s.Kind == Free {
		l.comms = l.comms[:len(l.comms)-1]
		if c == nil {
			return nil
		}
		return c.Free()
	}
	members, local := s.group(l.rank)
	if c == nil {
		if s.Kind == Dup || s.Kind == Split {
			l.comms = append(l.comms, nil)
		}
		return nil
	}
	if c.Size() != len(members) || c.Rank() != local {
		return fmt.Errorf("this is rank %d of %d of the communicator; the plan says %d of %v", c.Rank(), c.Size(), local, members)
	}
	switch s.Kind {
	case Dup:
		d, err := c.Dup()
		l.comms = append(l.comms, d)
		return err
	case Split:
		return l.split(c, s)
	case Collective:
		return s.Call.run(c, l.key)
	}
	return l.exchange(c, s, members, local)
}

// key returns the key of number n in this step.
func (l *lane) key(n int) key { return keyOf(l.plan.Seed, l.number, l.step, n) }

func (l *lane) split(c *mpi.Comm, s *Step) error {
	color := s.Colors[l.rank]
	if color < 0 {
		color = mpi.Undefined
	}
	d, err := c.Split(color, s.Keys[l.rank])
	l.comms = append(l.comms, d)
	if err == nil && (d == nil) != (color == mpi.Undefined) {
		err = fmt.Errorf("color %d gave communicator %v", color, d)
	}
	return err
}
