package mpi

import (
	"fmt"
	"hash/fnv"
	"slices"

	"rhinet/collectives"
)

// CommFromGroup makes a communicator of the processes of g, which need no common
// communicator: all of them must call it, with the same tag, which distinguishes calls
// that are made at once. g comes from a session or from a communicator, and the result
// belongs to that session or world. The only hint recognized is [HintAlgorithms]. With an
// empty group it is a local call and returns nil.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_create_from_group).
func CommFromGroup(g *Group, tag string, info ...Info) (_ *Comm, err error) {
	defer g.raised(&err)
	s := at("CommFromGroup")
	if g.Size() == 0 {
		return nil, nil
	}
	m, err := g.meet(s, tag, "communicator", info)
	if err != nil {
		return nil, err
	}
	defer m.end()
	mine, all, err := m.root.exchangeMembers(m.group, cut{key: g.Rank()})
	made, seq, err := m.root.settle(s, mine, all, 0, err)
	if err != nil {
		return nil, m.root.explain(s, err)
	}
	made.name = m.name
	return m.open(s, made, seq)
}

// IntercommFromGroups makes an inter-communicator of the processes of two groups: the
// processes of each group must call it with their own group as local, and all with the
// same tag. leader is a rank in local. remote and remoteLeader, the other group and a
// rank in it, matter only at the leader. With an empty local group it is a local call and
// returns nil; so it is with an empty remote group at a leader that is alone in its group.
//
// MPI 4.1, section 7.6.2 (MPI_Intercomm_create_from_groups).
func IntercommFromGroups(local *Group, leader int, remote *Group, remoteLeader int, tag string, info ...Info) (_ *Comm, err error) {
	defer local.raised(&err)
	s := at("IntercommFromGroups")
	if local.Size() == 0 {
		return nil, nil
	}
	m, err := local.meet(s, tag, "inter-communicator", info)
	if err != nil {
		return nil, err
	}
	defer m.end()
	if err := local.checkRank(s.call, leader); err != nil {
		return nil, err
	}
	if local.Size() == 1 && remote.Size() == 0 {
		return nil, nil
	}
	made, seq, err := m.root.unite(s, m.group, leader, func() (line, error) { return m.line(s, remote, remoteLeader) })
	if err != nil {
		return nil, m.root.explain(s, err)
	}
	made.name = m.name
	d, err := m.open(s, made, seq)
	if err != nil {
		return nil, err
	}
	return d.bridge(s)
}

// A meeting connects the processes of a group that have no communicator yet.
type meeting struct {
	root    *Comm // all processes, with the session of the group
	group   *collectives.Group
	tag     string
	name    string
	options collectives.Options
	hints   Info
}

// meet connects the processes of g. The death of one of them ends the call.
func (g *Group) meet(s site, tag, what string, info []Info) (*meeting, error) {
	var none *Comm
	switch {
	case g.session != nil && g.session.over.Load():
		return nil, none.errorAt(s, ErrSession, "the session of the group has been finalized")
	case g.Rank() == Undefined:
		return nil, none.errorAt(s, ErrGroup, "the caller is not in the group; only its processes call it")
	}
	w := g.w
	root := newComm(&core{w: w, t: w.Transport, rank: w.Rank, size: w.Size, session: g.session})
	if w.failures != nil {
		root.failures = w.failures.meet(&core{w: w, size: g.Size(), members: g.members})
	}
	m := &meeting{root: root, tag: tag, name: fmt.Sprintf("%s(%s)", what, tag)}
	var err error
	for _, i := range info {
		if m.options, m.hints, err = root.optionsOf(s, i); err != nil {
			m.end()
			return nil, err
		}
	}
	if info == nil {
		m.options = root.worldOptions()
	}
	m.group, err = collectives.New(m.among(s, g.members, what), collectives.Options{})
	return m, err
}

// end ends the watch over deaths.
func (m *meeting) end() {
	if f := m.root.failures; f != nil {
		m.root.w.failures.part(f)
	}
}

// among connects some processes for the purpose that what names.
func (m *meeting) among(s site, members []int32, what string) *meetingTransport {
	h := fnv.New32a()
	fmt.Fprint(h, what, 0, m.tag, members)
	t := &meetingTransport{collTransport: newCollTransport(m.root.core), members: members, tag: int(h.Sum32() & MaxTag)}
	t.rank = slices.Index(members, int32(m.root.w.Rank))
	t.ctx, t.call, t.mark = m.root.failureContext(), tagged(s.call, m.tag), uint32(makerSign(s))
	return t
}

// line connects this process, a leader, with the leader of the other group.
func (m *meeting) line(s site, remote *Group, leader int) (line, error) {
	if err := remote.checkRank(s.call, leader); err != nil {
		return nil, err
	}
	members := []int32{int32(m.root.w.Rank), remote.members[leader]}
	if members[0] == members[1] {
		return nil, m.root.errorAt(s, ErrGroup, "the leader of the other group is the caller itself; groups must have no process in common")
	}
	slices.Sort(members)
	return m.among(s, members, "leaders"), nil
}

// open opens the communicator that the processes have agreed on.
func (m *meeting) open(s site, made *core, seq uint64) (*Comm, error) {
	made.hints = m.hints
	return m.root.derive(s, made, seq, m.options)
}

// A meetingTransport connects processes by a context that all have from the start. Its
// tag is a hash of the members and of the program's tag.
type meetingTransport struct {
	*collTransport
	members []int32
	rank    int
	tag     int
}

// Rank is this process's number among the members.
func (t *meetingTransport) Rank() int { return t.rank }

// Size is the number of members.
func (t *meetingTransport) Size() int { return len(t.members) }

// Isend starts a send to a member.
func (t *meetingTransport) Isend(i int, buf []byte, dst, _ int) error {
	return t.post(i, buf, int(t.members[dst]), groupContext, t.tag, false)
}

// Irecv starts a receive from a member.
func (t *meetingTransport) Irecv(i int, buf []byte, src, _ int) error {
	return t.post(i, buf, int(t.members[src]), groupContext, t.tag, true)
}

// Recv is Irecv and Wait.
func (t *meetingTransport) Recv(buf []byte, src, _ int) error {
	return t.receive(buf, int(t.members[src]), groupContext, t.tag)
}
