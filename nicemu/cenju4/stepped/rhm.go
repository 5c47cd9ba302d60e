package stepped

import (
	"rhinet/nicemu/cenju4"
)

// An entry is a header in a queue.
type entry struct {
	number uint64
	*posted
}

// rhm is the Read Header Module: it serves the remote-read header queue and the task's in turn.
type rhm struct {
	node    *node
	state   State
	user    []entry
	replies []entry
	most    int // highest number of headers that have waited in the remote-read header queue
	turn    bool
	age     int
	under   int // reply-generating parcels: the Remote Read Counter
	job     *job
}

func (r *rhm) busy() bool { return r.state != Idle || len(r.user) > 0 || len(r.replies) > 0 }

// step does the work of one state.
func (r *rhm) step() {
	switch r.state {
	case Idle:
		r.take()
	case Read:
		r.become(Check)
	case Check:
		r.check()
	case Look:
		r.look()
	case Store:
		if !r.node.spm.store(r.job) {
			r.become(Store)
			return
		}
		r.become(Idle)
	}
}

// take takes the next header, from the two queues in turn if both have some. A header that
// generates a reply stays in its queue as long as too many are in flight.
func (r *rhm) take() {
	hw := r.node.hw
	r.turn = !r.turn
	ready := len(r.user) > 0
	var header cenju4.Parcel
	if ready {
		header = hw.Header(r.user[0].number, false)
		ready = !answered(header.Protocol) || header.Type != cenju4.Singlecast || r.under < cenju4.ReplyLimit(hw.Ranks())
	}
	switch {
	case len(r.replies) > 0 && (r.turn || !ready):
		e := r.replies[0]
		r.replies = r.replies[1:]
		r.job = &job{posted: e.posted, header: hw.Header(e.number, true), reply: true}
	case ready:
		e := r.user[0]
		r.user = r.user[1:]
		e.parcel = header
		r.job = &job{posted: e.posted, header: header}
	default:
		return
	}
	r.age++
	r.job.age = r.age
	r.become(Read)
}

// check applies the rules to a header; a reply comes from the hardware and needs no check.
func (r *rhm) check() {
	if !r.job.reply {
		if r.node.hw.Closed() {
			r.refuse(cenju4.Closed)
			return
		}
		for _, rule := range rules {
			if rule.broken(&r.job.header) {
				r.refuse(rule.why)
				return
			}
		}
	}
	r.become(Look)
}

// refuse refuses the parcel: it interrupts the OS.
func (r *rhm) refuse(why cenju4.Reason) {
	r.node.hw.CountRefused(why, false)
	r.job.refuse(r.node.number, why)
	r.job.done = true
	r.become(Idle)
}

// look looks up the destination of the parcel, in the table of its type.
func (r *rhm) look() {
	j, hw := r.job, r.node.hw
	offset := int(j.header.Dest)
	var why cenju4.Reason
	switch j.header.Type {
	case cenju4.Synchronization:
		why = r.lookSync(offset)
	case cenju4.Multicast:
		var set cenju4.Set
		set, why = hw.Set(offset)
		j.to = set.Nodes()
	default:
		var node int
		node, _, why = hw.Destination(offset)
		if j.to = []int{node}; why == 0 && node >= hw.Ranks() {
			why = cenju4.NoNode
		}
	}
	if why != 0 {
		r.refuse(why)
		return
	}
	if !j.reply {
		j.waits = len(j.to)
	}
	if !j.reply && answered(j.header.Protocol) && j.header.Type == cenju4.Singlecast {
		r.under++
	}
	j.cuts = j.header.Cutter()
	r.become(Store)
}

func (r *rhm) lookSync(offset int) cenju4.Reason {
	j, hw := r.job, r.node.hw
	members, sid, agreed, why := hw.Sync(offset)
	switch {
	case why != 0:
		return why
	case members.Members>>r.node.number&1 == 0 || !agreed:
		return cenju4.NoSet
	case *hw.SyncsSent(sid) != *hw.SyncsArrived(sid):
		return cenju4.Pending
	}
	*hw.SyncsSent(sid)++
	j.sync, j.sid = members, sid
	return 0
}

func (r *rhm) become(s State) {
	r.node.tell(RHM, r.state, s)
	r.state = s
}
