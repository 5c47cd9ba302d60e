package vtime

// A Policy is how a resource chooses among the requests that wait for it.
type Policy uint8

// The policies.
const (
	FirstCome  Policy = iota // the oldest request
	Priority                 // the highest Priority; among equals the oldest
	RoundRobin               // the next Line after the one that was granted last
)

// A Request asks for one unit of a resource. Actor.Act(Op, Arg) is called when
// it is granted, as an event of the rank of the resource.
type Request struct {
	Actor     Actor
	Op        int
	Arg       uint64
	Line      int // the requester, for RoundRobin: 0 to the number of lines - 1
	Priority  int
	Direction int  // on a half-duplex bus: a change of direction takes the turnaround time
	hold      Time // Use: the duration; else -1
	asked     Time
}

// A Resource has one unit or a few, each of which one module at a time can have: it is a bus, one
// direction of a link, a memory port, a processor.
type Resource struct {
	src        Source
	policy     Policy
	units      int
	lines      int
	turnaround Time
	waiting    Ring[Request]
	last       int // line that was granted last
	direction  int
	use        Meter
	held       Slots[Request] // of Use
	requests   uint64
	grants     uint64
	waited     Time
}

// NewResource returns a resource with a number of units, all free, and a number of lines that
// request them.
func NewResource(k *Kernel, name string, units, lines int, policy Policy) *Resource {
	if units < 1 || lines < 1 {
		panic(noUnits)
	}
	return &Resource{src: k.Source(name), policy: policy, units: units, lines: lines, last: lines - 1}
}

// NewBus returns a half-duplex bus: one unit, and a time to turn it around.
func NewBus(k *Kernel, name string, lines int, policy Policy, turnaround Time) *Resource {
	r := NewResource(k, name, 1, lines, policy)
	r.turnaround = turnaround
	return r
}

const (
	noUnits    = "vtime: a resource has at least one unit and one line"
	notHeld    = "vtime: a resource was released that nobody has"
	noSuchLine = "vtime: a request comes from a line that the resource does not have"
)

// Name returns the name that the resource was made with.
func (r *Resource) Name() string { return r.src.Name() }

// Acquire requests a unit. The actor that gets it calls Release when done.
func (r *Resource) Acquire(q Request) {
	q.hold = -1
	r.ask(q)
}

// Use requests a unit, holds it for a time, releases it, and then calls the actor: it is one
// transfer on a bus.
func (r *Resource) Use(q Request, hold Time) {
	q.hold = hold
	r.ask(q)
}

func (r *Resource) ask(q Request) {
	if q.Line < 0 || q.Line >= r.lines {
		panic(noSuchLine)
	}
	q.asked = r.src.k.now
	r.requests++
	r.waiting.Push(q)
	r.grant()
}

// Release releases a unit.
func (r *Resource) Release() {
	if r.use.Level() == 0 {
		panic(notHeld)
	}
	r.use.Add(r.src.k.now, -1)
	r.src.level(r.use.Level())
	r.grant()
}

// grant gives free units to waiting requests.
func (r *Resource) grant() {
	now := r.src.k.now
	for r.use.Level() < r.units && r.waiting.Len() > 0 {
		q := r.waiting.Remove(r.choose())
		r.use.Add(now, 1)
		r.src.level(r.use.Level())
		r.grants++
		r.waited += now - q.asked
		r.last = q.Line
		from := now
		if q.Direction != r.direction {
			r.direction = q.Direction
			from += r.turnaround
		}
		if q.hold < 0 {
			r.src.At(from, q.Actor, q.Op, q.Arg)
		} else {
			r.src.At(from+q.hold, r, 0, r.held.Put(q))
		}
	}
}

// choose returns the index of the request to grant next.
func (r *Resource) choose() int {
	best := 0
	for i := 1; i < r.waiting.Len() && r.policy != FirstCome; i++ {
		a, b := r.waiting.At(i), r.waiting.At(best)
		switch r.policy {
		case Priority:
			if a.Priority > b.Priority {
				best = i
			}
		case RoundRobin:
			if r.distance(a.Line) < r.distance(b.Line) {
				best = i
			}
		}
	}
	return best
}

// distance returns how far a line is after the one granted last, in round-robin order.
func (r *Resource) distance(line int) int { return (line - r.last - 1 + r.lines) % r.lines }

// Act ends the time of a Use.
func (r *Resource) Act(_ int, arg uint64) {
	q := r.held.Take(arg)
	r.Release()
	q.Actor.Act(q.Op, q.Arg)
}

// Utilisation returns the fraction of the time from 0 to now in which units were in use: 0 to 1.
func (r *Resource) Utilisation() float64 { return r.use.Mean(r.src.k.now) / float64(r.units) }

// Usage counts the requests to a resource.
type Usage struct {
	Requests uint64 // all
	Grants   uint64 // granted requests
	Waiting  int    // not yet granted
	InUse    int    // units
	Waited   Time   // sum over the granted requests
}

// Usage returns the counts so far.
func (r *Resource) Usage() Usage {
	return Usage{r.requests, r.grants, r.waiting.Len(), r.use.Level(), r.waited}
}
