package traffic

import (
	"errors"
	"fmt"
	"sync"

	"rhinet/mpi"
)

// A judge checks what one rank receives in one exchange against the plan. Receives are judged in the order
// in which they were posted, except for several goroutines of a rank, which have no order.
type judge struct {
	x      *exchange
	list   []int // messages to this rank, in order of number
	class  Class
	posted []*arrival
	judged int

	mu    sync.Mutex
	flows map[int][]int // wild: by source, messages that no receive has taken
}

// An arrival is one receive.
type arrival struct {
	number int    // of the receive
	buf    []byte // with a guard behind it
	done   bool
	st     mpi.Status
	err    error
}

func newJudge(x *exchange) *judge {
	j := &judge{x: x, class: x.s.Classes[x.rank], flows: map[int][]int{}}
	for i := range x.s.Messages {
		if m := &x.s.Messages[i]; m.To == x.rank {
			j.list = append(j.list, i)
			j.flows[m.From] = append(j.flows[m.From], i)
		}
	}
	return j
}

// post records the next receive, and returns it with its arguments.
func (j *judge) post(number int) (a *arrival, src, tag int) {
	a = j.arrival(number)
	j.posted = append(j.posted, a)
	src, tag = j.wanted(number)
	return a, src, tag
}

// arrival returns this rank's receive with the given number.
func (j *judge) arrival(number int) *arrival {
	m := &j.x.s.Messages[j.list[number]]
	n := m.Bytes
	switch {
	case m.Short:
		n /= 2
	case j.class.wild():
		for _, i := range j.list {
			n = max(n, j.x.s.Messages[i].Bytes)
		}
	}
	return &arrival{number: number, buf: room(n)}
}

// wanted returns source and tag of a receive.
func (j *judge) wanted(number int) (src, tag int) {
	m := &j.x.s.Messages[j.list[number]]
	src, tag = j.x.local(m.From), m.Tag
	if j.class.wild() {
		src = mpi.AnySource
	}
	if j.class == AnyTag || j.class == Any {
		tag = mpi.AnyTag
	}
	return src, tag
}

// complete records the result of a receive, and judges what can be judged.
func (j *judge) complete(a *arrival, st mpi.Status, err error) error {
	a.st, a.err, a.done = st, err, true
	for ; j.judged < len(j.posted) && j.posted[j.judged].done; j.judged++ {
		if err := j.next(j.posted[j.judged]); err != nil {
			return err
		}
		j.posted[j.judged].buf = nil
	}
	return nil
}

// next judges the receive after those already judged.
func (j *judge) next(a *arrival) error {
	want := j.list[a.number]
	if j.class.wild() {
		if a.err != nil {
			return j.wrong(a, "%w", a.err)
		}
		var err error
		if want, err = j.pop(a); err != nil {
			return err
		}
	}
	return j.compare(a, want)
}

// pop removes the next message of a receive's source from its flow.
func (j *judge) pop(a *arrival) (int, error) {
	if a.st.Source < 0 || a.st.Source >= len(j.x.members) {
		return 0, j.wrong(a, "the status names source %d of %d", a.st.Source, len(j.x.members))
	}
	from := j.x.members[a.st.Source]
	flow := j.flows[from]
	if len(flow) == 0 {
		return 0, j.wrong(a, "rank %d has no more messages for this rank; this is %s", from, j.identify(a))
	}
	j.flows[from] = flow[1:]
	return flow[0], nil
}

// compare checks a receive against the message that it must have taken.
func (j *judge) compare(a *arrival, want int) error {
	m := &j.x.s.Messages[want]
	if !intact(a.buf) {
		return j.wrong(a, "bytes behind the buffer of %d have changed", len(a.buf))
	}
	got := a.buf
	if m.Short {
		if !errors.Is(a.err, mpi.ErrTruncate) {
			return j.wrong(a, "message %d of %d bytes into %d is no truncation but %v", want, m.Bytes, len(a.buf), a.err)
		}
	} else {
		if a.err != nil {
			return j.wrong(a, "%w", a.err)
		}
		st := mpi.Status{Source: j.x.local(m.From), Tag: m.Tag, Count: m.Bytes, Bytes: int64(m.Bytes)}
		if a.st != st {
			return j.wrong(a, "the status is %+v, that of message %d, which is next, %+v; this is %s", a.st, want, st, j.identify(a))
		}
		got = got[:m.Bytes]
	}
	if at := j.x.key(want).differs(got); at >= 0 {
		return j.wrong(a, "message %d of rank %d is next, %d bytes, and byte %d is not its; this is %s", want, m.From, m.Bytes, at, j.identify(a))
	}
	return nil
}

// identify says which message of the exchange is in a buffer.
func (j *judge) identify(a *arrival) string {
	n := min(max(int(a.st.Bytes), 0), len(a.buf))
	for i := range j.x.s.Messages {
		if m := &j.x.s.Messages[i]; n >= 8 && m.Bytes == n && j.x.key(i).differs(a.buf[:n]) < 0 {
			return fmt.Sprintf("message %d, from %d to %d", i, m.From, m.To)
		}
	}
	return "no whole message of this exchange that can be told"
}

func (j *judge) wrong(a *arrival, format string, args ...any) error {
	src, tag := j.wanted(a.number)
	return fmt.Errorf("receive %d of %d (source %d, tag %d): %w", a.number, len(j.list), src, tag, fmt.Errorf(format, args...))
}

// A member is one of several goroutines of a rank that receive. It sees the messages of a source in order, but not
// all of them.
type member struct {
	j    *judge
	last map[int]int // by source: the number of the last message that it took
}

// take judges what a member has received.
func (c *member) take(a *arrival, st mpi.Status, err error) error {
	j := c.j
	if a.st, a.err = st, err; err != nil {
		return j.wrong(a, "%w", err)
	}
	if st.Source < 0 || st.Source >= len(j.x.members) || st.Bytes < 0 || st.Bytes > int64(len(a.buf)) {
		return j.wrong(a, "the status is %+v", st)
	}
	from := j.x.members[st.Source]
	i, ok := j.find(from, a)
	if !ok {
		return j.wrong(a, "no message that rank %d sent and nobody took is this, of %d bytes; this is %s", from, st.Bytes, j.identify(a))
	}
	if before, any := c.last[from]; any && i < before && st.Bytes >= 8 {
		return j.wrong(a, "message %d of rank %d was overtaken by message %d", i, from, before)
	}
	if st.Bytes >= 8 {
		c.last[from] = i
	}
	return j.compare(a, i)
}

// find removes the message in a from the flow of a source.
func (j *judge) find(from int, a *arrival) (int, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	flow := j.flows[from]
	for k, i := range flow {
		m := &j.x.s.Messages[i]
		if int64(m.Bytes) == a.st.Bytes && m.Tag == a.st.Tag && j.x.key(i).differs(a.buf[:m.Bytes]) < 0 {
			j.flows[from] = append(append([]int(nil), flow[:k]...), flow[k+1:]...)
			return i, true
		}
	}
	return 0, false
}
