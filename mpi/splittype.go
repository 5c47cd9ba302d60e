package mpi

import (
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"

	"rhinet/internal/hwresource"
)

// A SplitType says what the ranks of each part of [Comm.SplitType] share.
//
// MPI 4.1, section 7.4.2.
type SplitType int

// The types of splits. [Comm.SplitHardware] and [Comm.SplitResource] split by what they
// are given.
const (
	SplitShared   SplitType = iota // MPI_COMM_TYPE_SHARED: ranks that can share memory, which are all ranks of one host
	SplitUnguided                  // MPI_COMM_TYPE_HW_UNGUIDED: ranks restricted to one resource of the largest kind of which not all share one
)

// SplitType is [Comm.Split] by what the ranks share; a rank that passes kind Undefined
// gets nil. All other ranks pass the same kind.
//
// A rank that is restricted to no such resource gets nil from SplitUnguided; all ranks
// get nil if there is no kind of which the ranks have different ones. So a program calls
// it again on the result, from the hosts down to what a single rank has. [Comm.Info]
// names the kind, as [HintHwResource].
//
// MPI 4.1, section 7.4.2 (MPI_Comm_split_type).
func (c *Comm) SplitType(kind SplitType, key int) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("SplitType")
	if err := c.check(s); err != nil {
		return nil, err
	}
	if kind != SplitShared && kind != SplitUnguided && kind != Undefined {
		return nil, c.errorAt(s, ErrArg, "there is no type %d; use SplitShared, SplitUnguided or Undefined", kind)
	}
	hints := Info(nil)
	part, err := c.divide(s, cut{key: key, how: "shared", ask: func(b *Comm, p *cut) (err error) {
		hints, err = b.askKind(s, kind, p)
		return err
	}})
	if part != nil {
		part.hints = hints
	}
	return part, err
}

// askKind sets the color of a cut by kind, and returns what Info tells of its parts. All ranks exchange what they pass
// and what they are restricted to, since those that pass Undefined do not know what the others pass.
func (c *Comm) askKind(s site, kind SplitType, p *cut) (Info, error) {
	mine := slices.Repeat([]int{Undefined}, 1+int(hwresource.NumKinds))
	if mine[0] = int(kind); kind == SplitUnguided {
		m := hwresource.This()
		for k := range hwresource.NumKinds {
			mine[1+k] = resourceColor(m, k)
		}
	}
	all := make([]int, len(mine)*c.size)
	if err := c.coll.allgather(view(mine), view(all)); err != nil {
		return nil, err
	}
	if err := c.oneKind(s, all, len(mine)); err != nil {
		return nil, err
	}
	switch i := divides(all, len(mine)); {
	case kind == SplitShared:
		p.color = c.w.Host
	case kind == SplitUnguided && i >= 0:
		p.color, p.how = mine[i], hwresource.Kind(i-1).String()
		return Info{HintHwResource: HardwareScheme + p.how}, nil
	default:
		p.color = Undefined
	}
	return nil, nil
}

// oneKind returns the error for ranks that pass different kinds, or nil. all is as for divides.
func (c *Comm) oneKind(s site, all []int, n int) error {
	common := Undefined
	for at := 0; at < len(all); at += n {
		switch theirs := all[at]; {
		case common == Undefined:
			common = theirs
		case theirs != Undefined && theirs != common:
			return c.errorAt(s, ErrArg, "ranks pass the types %d and %d; all must pass the same, or Undefined", common, theirs)
		}
	}
	return nil
}

// The hints that say by what [Comm.SplitResource] splits. HintHwResource is also in
// [Comm.Info] of a communicator of ranks that have a hardware resource in common.
//
// MPI 4.1, section 7.4.2.
const (
	HintHwResource = "mpi_hw_resource_type"
	HintPset       = "mpi_pset_name"
)

// sharedMemory is the kind of resource for which the standard has a name.
const sharedMemory = "mpi_shared_memory"

// SplitHardware is [Comm.Split] by the hardware resource of a kind that a rank is
// restricted to. kind is one that [HwResourceInfo] lists, with or without
// [HardwareScheme]; a name of it in other MPI libraries, such as "socket", "numanode",
// "L3Cache" or "hwloc://PU"; or "mpi_shared_memory", which is [SplitShared]. A rank that
// is not restricted to one gets nil, as do a rank that passes "" (MPI_UNDEFINED) and all
// ranks if there is no such kind. All other ranks pass the same kind.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_split_type with MPI_COMM_TYPE_HW_GUIDED).
func (c *Comm) SplitHardware(kind string, key int) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("SplitHardware")
	if err := c.check(s); err != nil {
		return nil, err
	}
	return c.splitHardware(s, kind, key)
}

// SplitResource is [Comm.Split] by what info names: the hardware resource
// [HintHwResource], as in [Comm.SplitHardware], or the set of processes [HintPset], as in
// [Session.Group]. A rank whose info names neither (MPI_UNDEFINED), or that is not in the
// set, gets nil. All other ranks pass the same.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_split_type with MPI_COMM_TYPE_RESOURCE_GUIDED).
func (c *Comm) SplitResource(info Info, key int) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("SplitResource")
	if err := c.check(s); err != nil {
		return nil, err
	}
	if kind, ok := info[HintHwResource]; ok {
		return c.splitHardware(s, kind, key)
	}
	color, what := Undefined, ""
	if name, ok := info[HintPset]; ok {
		what = HintPset + "=" + strings.ToLower(name)
		g, err := c.pset(s, name)
		if err != nil {
			return nil, err
		}
		if g.Rank() != Undefined {
			color = int(g.members[0])
		}
	}
	return c.divide(s, cut{color: color, key: key, how: "resource", ask: agreed(what)})
}

// agreed is the ask of a cut by what all ranks pass alike but those that pass nothing, which go along with the others.
func agreed(what string) func(b *Comm, p *cut) error {
	return func(b *Comm, p *cut) error {
		if what != "" {
			p.same = argsHash(what) | 1
		}
		all := make([]uint32, b.size)
		err := b.coll.allgather(view([]uint32{p.same}), view(all))
		for _, theirs := range all {
			if p.same == 0 {
				p.same = theirs
			}
		}
		return err
	}
}

func (c *Comm) splitHardware(s site, kind string, key int) (*Comm, error) {
	switch kind {
	case "":
		return c.divide(s, cut{color: Undefined, key: key, ask: agreed("")})
	case sharedMemory:
		return c.splitBy(s, c.w.Host, key, kind, "shared")
	}
	k, found := resourceNamed(kind)
	if !found { // the others must pass the same, so that they get nothing, too
		return c.splitBy(s, Undefined, key, kind, "hardware")
	}
	return c.splitBy(s, resourceColor(hwresource.This(), k), key, HardwareScheme+k.String(), k.String())
}

// splitBy divides c by a kind of resource, which Info tells.
func (c *Comm) splitBy(s site, color, key int, kind, how string) (*Comm, error) {
	part, err := c.divide(s, cut{color: color, key: key, how: how, ask: agreed(HintHwResource + "=" + kind)})
	if part != nil {
		part.hints = Info{HintHwResource: kind}
	}
	return part, err
}

// resourceColor returns the color of the resource of a kind that the process is restricted to,
// or Undefined.
func resourceColor(m hwresource.Machine, k hwresource.Kind) int {
	one, _ := m.Instance(k)
	if one == "" {
		return Undefined
	}
	host, _ := os.Hostname()
	hash := fnv.New32a()
	fmt.Fprint(hash, host, " ", one)
	return int(hash.Sum32() >> 1)
}

// divides returns the index of the last color of which some ranks have one, and not all
// the same, or -1. all has of each rank its kind of split and n-1 colors.
func divides(all []int, n int) int {
	for i := n - 1; i > 0; i-- {
		some, same := false, true
		for at := i; at < len(all); at += n {
			some, same = some || all[at] != Undefined, same && all[at] == all[i]
		}
		if some && !same {
			return i
		}
	}
	return -1
}
