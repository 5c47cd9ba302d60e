package observe

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"rhinet/internal/clock"
)

// A Reader reads what the ranks of a job have written, at any time.
type Reader struct {
	file  *os.File
	plan  plan
	begin clock.Reading
	since int64    // time of the system's monotonic clock at begin
	away  []*Clock // clocks of ranks on other hosts, nil for those not heard from; nil: all ranks are on this host
}

// NewReader returns a reader of the memory in file, which stays open.
func NewReader(file *os.File) (*Reader, error) {
	p, err := planOf(file)
	if err != nil {
		return nil, err
	}
	since, _ := monotonic()
	return &Reader{file: file, plan: p, begin: clock.Read(), since: since}, nil
}

// planOf reads the layout of a memory.
func planOf(file *os.File) (plan, error) {
	st, err := file.Stat()
	if err != nil {
		return plan{}, fmt.Errorf("observe: %w", err)
	}
	head := make([]byte, pageBytes)
	if _, err := file.ReadAt(head, 0); err != nil {
		return plan{}, fmt.Errorf("observe: the descriptor is not the memory that mpirun made to observe the job: %w", err)
	}
	return readPlan(head, st.Size())
}

// A Call is what a rank has spent in calls of one name.
type Call struct {
	Call    string  `json:"call"`
	Count   uint64  `json:"count"`
	Bytes   uint64  `json:"bytes"`
	Timed   uint64  `json:"timed"`  // calls that were timed; the times of the others are estimated from them
	Seconds float64 `json:"time_s"` // in the calls
	Wait    float64 `json:"wait_s"` // of that, waiting for others
}

// Traffic is what one rank has sent to another.
type Traffic struct {
	From        int    `json:"from"`
	To          int    `json:"to"`
	Messages    uint64 `json:"messages"`
	Bytes       uint64 `json:"bytes"`
	Accesses    uint64 `json:"accesses,omitempty"` // to the window of To
	AccessBytes uint64 `json:"access_bytes,omitempty"`
}

// A RankStats is what one rank has done.
type RankStats struct {
	Rank    int     `json:"rank"`
	State   string  `json:"state"`
	Seconds float64 `json:"time_s"` // from the first call to the end of the last one
	Calls   []Call  `json:"calls"`

	Comms []Counters `json:"communicators"`
}

// Stats are what the ranks of a job have done.
type Stats struct {
	Program string      `json:"program"`
	Ranks   []RankStats `json:"ranks"`
	Traffic []Traffic   `json:"traffic"`
}

var stateNames = [...]string{absent: "not in MPI", entered: "ended without Finalize", left: "finalized"}

// unheard is the state of a rank whose host has sent nothing about it.
const unheard = "not reported"

func (r *Reader) state(rank int, head []byte) string {
	if r.away != nil && r.away[rank] == nil {
		return unheard
	}
	return stateNames[min(get(head, headState), left)]
}

// times converts the times of a rank to nanoseconds.
type times struct {
	tick   float64 // nanoseconds per tick
	origin int64   // the time that becomes 0, or
	zero   float64 // this many nanoseconds
}

// timesOf determines what the times in the head of a rank mean. The origin of ticks and of the system's
// time is that of the reader; virtual time begins at 0.
func (r *Reader) timesOf(rank int, head []byte) times {
	if r.away != nil {
		c := r.away[rank]
		if c == nil {
			return times{}
		}
		return times{c.Tick, c.Origin, float64(c.Wall)}
	}
	switch get(head, headUnit) {
	case unitTicks:
		return times{tick: clock.Tick(r.begin, clock.Read()), origin: r.begin.Ticks}
	case unitNanos:
		return times{tick: 1, origin: r.since - int64(get(head, headOffset))}
	}
	return times{tick: 1}
}

func (t times) nanos(at int64) float64        { return float64(at-t.origin)*t.tick + t.zero }
func (t times) seconds(lasted uint64) float64 { return float64(lasted) * t.tick / 1e9 }

// read reads the region of a rank up to its cells, and folds the cells in.
func (r *Reader) read(rank int) ([]byte, error) {
	b := make([]byte, r.plan.cellsAt())
	if _, err := r.file.ReadAt(b, r.plan.regionAt(rank)); err != nil {
		return b, err
	}
	cells := make([]byte, r.plan.used(b))
	_, err := r.file.ReadAt(cells, r.plan.regionAt(rank)+int64(r.plan.cellsAt()))
	r.plan.fold(b, cells)
	return b, err
}

// Stats reads what all ranks have done so far.
func (r *Reader) Stats(program string) (*Stats, error) {
	s := &Stats{Program: program, Traffic: []Traffic{}} // JSON has [] where there is nothing, not null
	for rank := range r.plan.ranks {
		b, err := r.read(rank)
		if err != nil {
			return nil, fmt.Errorf("observe: rank %d: %w", rank, err)
		}
		t := r.timesOf(rank, b)
		all := RankStats{Rank: rank, State: r.state(rank, b)}
		if last, first := get(b, headLast), get(b, headFirst); last > first {
			all.Seconds = t.seconds(last - first)
		}
		all.Calls = limited(b, t, all.Seconds)
		slices.SortStableFunc(all.Calls, func(a, b Call) int { return cmp.Compare(b.Seconds, a.Seconds) })
		all.Comms = r.plan.counters(b, t)
		s.Ranks = append(s.Ranks, all)
		s.Traffic = append(s.Traffic, r.traffic(b, rank)...)
	}
	return s, nil
}

// running is the state of a rank of a running job that has called Init and not Finalize.
const running = "running"

// SoFar is Stats for a job whose ranks run: one without Finalize has not ended.
func (r *Reader) SoFar(program string) (*Stats, error) {
	s, err := r.Stats(program)
	if err != nil {
		return nil, err
	}
	for i := range s.Ranks {
		if state := &s.Ranks[i].State; *state == stateNames[entered] {
			*state = running
		}
	}
	return s, nil
}

// limited reads the rows of a rank, whose calls took seconds at most: where the estimates are higher, each is
// lowered by the same factor. If the measured times alone are higher, the calls of several goroutines
// overlap, and there is no limit.
func limited(b []byte, t times, seconds float64) []Call {
	calls := readCalls(b, t, 1)
	all := sum(calls)
	if all <= seconds {
		return calls
	}
	const exact = 1 + 1e-9 // sums of the same times differ a little
	measured := sum(readCalls(b, t, 0))
	if measured > seconds*exact {
		return calls
	}
	return readCalls(b, t, max(0, (seconds-measured)/(all-measured)))
}

// readCalls reads the rows of a rank that have calls; see readCall.
func readCalls(b []byte, t times, share float64) []Call {
	list := []Call{}
	for i := range mostRows {
		at := pageBytes + i*rowBytes
		if c := readCall(b[at:at+rowBytes], t, share); c.Count > 0 {
			list = append(list, c)
		}
	}
	return list
}

// sum returns the time in all calls.
func sum(list []Call) (seconds float64) {
	for _, c := range list {
		seconds += c.Seconds
	}
	return seconds
}

// readCall reads a row. Calls that were not timed get a share of the mean time of those that were; sleeps are
// known exactly.
func readCall(b []byte, t times, share float64) Call {
	c := Call{Call: nameOf(b), Count: get(b, rowCount), Bytes: get(b, rowBytesMoved) + get(b, rowBytesAdded), Timed: get(b, rowSamples)}
	scale := 0.0
	if c.Timed > 0 {
		scale = 1 + share*(float64(c.Count)/float64(c.Timed)-1)
	}
	c.Wait = t.seconds(get(b, rowSleep)) + scale*t.seconds(get(b, rowBrief))
	c.Seconds = c.Wait + scale*t.seconds(get(b, rowOwn))
	return c
}

func (r *Reader) traffic(b []byte, rank int) (list []Traffic) {
	for to := range r.plan.ranks {
		p := b[r.plan.peersAt()+to*peerBytes:]
		t := Traffic{rank, to, get(p, peerMessages), get(p, peerBytesSent), get(p, peerAccesses), get(p, peerBytesAccessed)}
		if t.Messages > 0 || t.Accesses > 0 {
			list = append(list, t)
		}
	}
	return list
}
