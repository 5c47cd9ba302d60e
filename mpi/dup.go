package mpi

import (
	"context"
	"fmt"

	"rhinet/collectives"
)

// Dup returns a communicator of the same ranks whose messages match only each other.
// All ranks of c must call it.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_dup).
func (c *Comm) Dup() (_ *Comm, err error) {
	defer c.raised(&err)
	return c.dup(at("Dup"), nil)
}

// DupWithInfo is Dup with hints, which must be equal on all ranks. The only one
// recognized is [HintAlgorithms]. A wrong value of it is ErrArg, and one that differs
// between ranks is ErrArg on all of them; others are ignored, as the standard allows. Communicators made from the result do not inherit
// them.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_dup_with_info).
func (c *Comm) DupWithInfo(info Info) (_ *Comm, err error) {
	defer c.raised(&err)
	return c.dup(at("DupWithInfo"), info)
}

// Idup begins [Comm.Dup]. The communicator may be used when the request is complete
// without an error.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_idup).
func (c *Comm) Idup() (*Comm, *Request) { return c.idup(at("Idup"), nil) }

// IdupWithInfo begins [Comm.DupWithInfo]: see [Comm.Idup].
//
// MPI 4.1, section 7.4.2 (MPI_Comm_idup_with_info).
func (c *Comm) IdupWithInfo(info Info) (*Comm, *Request) { return c.idup(at("IdupWithInfo"), info) }

// HintAlgorithms is the hint of [Comm.DupWithInfo] that names algorithms of collective
// calls to use: "bcast=chain,allreduce=ring". It replaces the variable RHINET_COLL,
// which is for the whole job.
//
// Not in the standard.
const HintAlgorithms = "rhinet_coll"

// worldOptions returns the options of communicators without hints.
func (c *Comm) worldOptions() (o collectives.Options) {
	if !c.isNull() {
		o = c.w.Collectives
	}
	return o
}

func (c *Comm) dup(s site, info Info) (*Comm, error) {
	p, err := c.heritage(s, info)
	if err != nil {
		return nil, err
	}
	b := c.base()
	if err := b.enter(s, nil); err != nil {
		return nil, p.refused(err)
	}
	made, seq, err := b.assemble(s, p.cut())
	if err = b.leave(s, err); err != nil {
		return nil, p.refused(err)
	}
	return c.duplicate(s, made, seq, p)
}

// optionsOf returns the options of a communicator made with hints, and the hints that
// are recognized.
func (c *Comm) optionsOf(s site, info Info) (o collectives.Options, hints Info, err error) {
	o = c.worldOptions()
	if list, ok := info[HintAlgorithms]; ok {
		if o.Force, err = collectives.ParseForce(list); err != nil {
			return o, nil, c.because(s, ErrArg, err, HintAlgorithms)
		}
		hints = Info{HintAlgorithms: list}
	}
	return o, hints, nil
}

// duplicate opens made as a duplicate of c.
func (c *Comm) duplicate(s site, made *core, seq uint64, p *heritage) (*Comm, error) {
	made.members, made.hints, made.topo = c.base().members, p.hints, c.topo
	made.name = fmt.Sprintf("%s.dup%d", c.name, c.born.Add(1))
	d, err := c.derive(s, made, seq, p.options)
	if err != nil {
		return nil, p.refused(err)
	}
	d.attrs.list = p.attrs
	return d, nil
}

func (c *Comm) idup(s site, info Info) (*Comm, *Request) {
	p, err := c.heritage(s, info)
	if err != nil {
		return nil, c.failedRequest(s, err)
	}
	b, whole := c.base(), p.cut()
	mine, all, d := b.member(whole), make([]member, b.size), c.unmade("a duplicate of "+c.name)
	r := b.nonblocking(s, func(c *Comm) error {
		if err := c.enter(s, nil); err != nil {
			return err
		}
		c.coll.sign(makerSign(s), int(whole.same))
		return c.leave(s, c.coll.group.Allgather(view([]member{mine}), view(all)))
	})
	return d, c.after(&r, s, nil, func(err error) error {
		if err == nil {
			err = b.against(s, whole, all)
		}
		made, seq, err := b.settle(s, mine, all, b.first, err)
		if err != nil {
			return p.refused(err)
		}
		ready, err := c.duplicate(s, made, seq, p)
		if err == nil {
			*d = *ready
		}
		return err
	})
}

// Split cuts c into communicators, one for each color, in which ranks are ordered by
// key and then by their rank in c. Colors are 0 or more; a rank with color Undefined
// gets nil. All ranks of c must call it.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_split).
func (c *Comm) Split(color, key int) (_ *Comm, err error) {
	defer c.raised(&err)
	return c.divide(at("Split"), cut{color: color, key: key, how: "split"})
}

// divide makes the communicators of a cut.
func (c *Comm) divide(s site, p cut) (*Comm, error) {
	b := c.base()
	if err := b.enter(s, nil); err != nil {
		return nil, err
	}
	if p.color < 0 && p.color != Undefined {
		return nil, b.fail(s, ErrArg, "the color is %d; colors are 0 or more, or Undefined", p.color)
	}
	made, seq, err := b.arrange(s, &p)
	if err = b.leave(s, err); err != nil {
		return nil, err
	}
	n := c.born.Add(1)
	if made == nil {
		return nil, nil
	}
	made.name = fmt.Sprintf("%s.%s%d(color %d)", c.name, p.how, n, p.color)
	return c.derive(s, made, seq, c.worldOptions())
}

// arrange is assemble of a cut that may have to ask the other ranks first.
func (c *Comm) arrange(s site, p *cut) (*core, uint64, error) {
	if p.ask != nil {
		c.coll.sign(makerSign(s), int(p.same))
		if err := p.ask(c, p); err != nil {
			return nil, 0, err
		}
	}
	return c.assemble(s, *p)
}

// failureContext returns the context for waits that no context of the program limits: nil
// where the job does not survive deaths of ranks.
func (c *Comm) failureContext() context.Context {
	if c.failures == nil {
		return nil
	}
	return c.failures.whole
}

// derive opens the communicator that its ranks have agreed on, an inter-communicator if
// c is one. It gets the context of c.
func (c *Comm) derive(s site, made *core, seq uint64, o collectives.Options) (*Comm, error) {
	made.session = c.session
	made.handler.set(c.handler.get())
	if err := c.w.open(made, seq, o); err != nil {
		return nil, c.because(s, ErrOther, err, "")
	}
	d := (&Comm{core: made, user: c.user}).bind()
	if c.inter != nil {
		return d.bridge(s)
	}
	return d, nil
}
