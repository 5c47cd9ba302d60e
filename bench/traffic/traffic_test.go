package traffic

import (
	"flag"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

var seeds = flag.Int("seeds", 40, "how many seeds to run on the reference transport")

// small are options of plans that take little time and memory.
var small = Options{Budget: 1 << 20, Most: 1 << 20, Steps: 6}

// No plan depends on buffering, or on an order that the standard does not guarantee: each runs even if
// every send waits for its receive.
func TestPlansNeedNoBuffer(t *testing.T) {
	n := *seeds
	if testing.Short() {
		n /= 4
	}
	for seed := range uint64(n) {
		o := small
		o.Ranks, o.Cancels = 1+int(seed%6), true
		p := Draw(seed, o)
		if err := mpitest.World(o.Ranks, p.Run, mpitest.Unbuffered(), mpitest.Timeout(2*time.Minute)); err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
	}
}

// A plan depends on seed and options alone, and differs from the next.
func TestPlansRepeat(t *testing.T) {
	o := small
	o.Ranks = 5
	a, b, c := Draw(9, o), Draw(9, o), Draw(10, o)
	if !reflect.DeepEqual(a, b) || a.String() != b.String() {
		t.Error("seed 9 gave two plans")
	}
	if a.String() == c.String() {
		t.Error("seeds 9 and 10 gave one plan")
	}
}

// Plans contain everything that can be drawn, and respect their limits.
func TestPlansDrawAll(t *testing.T) {
	missing := map[string]bool{"sendrecv": true, "short": true, "during it": true, "nap 0s": true}
	for _, list := range [][]string{kindNames[:], classNames[:], styleNames[:], sendNames[:], recvNames[:], calls} {
		for _, word := range list {
			missing[word] = true
		}
	}
	for seed := range uint64(200) {
		o := small
		o.Ranks, o.Most = 2+int(seed%15), 100_000
		p := Draw(seed, o)
		for word := range missing {
			if strings.Contains(p.String(), word) {
				delete(missing, word)
			}
		}
		for _, lane := range p.Lanes {
			for i := range lane {
				bytes := 0
				for _, m := range lane[i].Messages {
					if bytes += m.Bytes; m.Bytes > o.Most {
						t.Fatalf("seed %d: %+v", seed, m)
					}
				}
				if bytes > o.Budget {
					t.Fatalf("seed %d: an exchange of %d bytes", seed, bytes)
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("never drawn: %v", missing)
	}
}

// If the number of ranks is not the plan's, nothing is sent.
func TestWrongNumberOfRanks(t *testing.T) {
	o := small
	o.Ranks = 3
	err := mpitest.World(2, Draw(1, o).Run, mpitest.Mailboxes())
	if err == nil || !strings.Contains(err.Error(), "a plan for 3 ranks on 2") {
		t.Error(err)
	}
}

// A violation is one error that names seed, lane, step and rank.
func TestViolationsAreNamed(t *testing.T) {
	o := small
	o.Ranks = 2
	mine := Draw(4, o)
	s := Step{Kind: Exchange, Groups: [][]int{{0, 1}}, Classes: make([]Class, 2), Styles: make([]Style, 2), Windows: []int{1, 1}, Naps: make([]time.Duration, 2)}
	s.Messages = []Message{{From: 0, To: 1, Tag: 1, Bytes: 100}, {From: 0, To: 1, Tag: 1, Bytes: 100}}
	mine.Lanes = [][]Step{{s}}
	theirs := *mine
	swapped := s
	swapped.Messages = []Message{s.Messages[0], {From: 0, To: 1, Tag: 1, Bytes: 99}}
	theirs.Lanes = [][]Step{{swapped}}
	err := mpitest.World(2, func(world *mpi.Comm) error {
		if world.Rank() == 0 {
			return theirs.Run(world)
		}
		return mine.Run(world)
	}, mpitest.Mailboxes())
	for _, want := range []string{"traffic: seed 4 on 2 ranks, lane 0, step 0 (exchange), rank 1: receive 1 of 2 (source 0, tag 1): the status is"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// received returns a judge of rank 1 for messages of 64 bytes from rank 0, and arrivals that contain them
// in the order given by which.
func received(class Class, which ...int) (*judge, []*arrival) {
	s := &Step{Classes: []Class{class, class}}
	for range which {
		s.Messages = append(s.Messages, Message{From: 0, To: 1, Tag: 3, Bytes: 64})
	}
	x := &exchange{l: &lane{plan: &Plan{Seed: 1}}, s: s, rank: 1, members: []int{0, 1}}
	x.j = newJudge(x)
	var list []*arrival
	for number, i := range which {
		a := x.j.arrival(number)
		x.key(i).fill(a.buf)
		a.st = mpi.Status{Source: 0, Tag: 3, Count: 64, Bytes: 64}
		list = append(list, a)
	}
	return x.j, list
}

// What a faulty network would deliver is detected in every class.
func TestJudge(t *testing.T) {
	for want, spoil := range map[string]func(j *judge, a []*arrival){
		"":                                    func(*judge, []*arrival) {},
		"bytes behind the buffer":             func(_ *judge, a []*arrival) { a[1].buf[:65][64]++ },
		"and byte 17 is not its; this is no":  func(_ *judge, a []*arrival) { a[1].buf[17]++ },
		"this is message 2":                   func(_ *judge, a []*arrival) { a[1].buf, a[2].buf = a[2].buf, a[1].buf },
		"no more messages for this rank":      func(j *judge, _ []*arrival) { j.flows[0] = j.flows[0][:1] },
		"the status names source 5":           func(_ *judge, a []*arrival) { a[0].st.Source = 5 },
		"the status is {Source:0 Tag:4":       func(_ *judge, a []*arrival) { a[2].st.Tag = 4 },
		"the status is {Source:0 Tag:3 Count": func(_ *judge, a []*arrival) { a[2].st.Bytes = 63 },
		"lost":                                func(_ *judge, a []*arrival) { a[0].err = fmt.Errorf("lost") },
	} {
		for class := Exact; class <= Any; class++ {
			if !class.wild() && (strings.HasPrefix(want, "no more") || strings.HasPrefix(want, "the status names")) {
				continue
			}
			j, list := received(class, 0, 1, 2)
			spoil(j, list)
			var err error
			j.posted = append(j.posted, list...)
			for _, i := range []int{2, 0, 1} { // they complete out of order
				if err == nil {
					err = j.complete(list[i], list[i].st, list[i].err)
				}
			}
			if want == "" && (err != nil || j.judged != 3) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%v: want %q, got %v", class, want, err)
			}
		}
	}
}

// When several goroutines receive, each gets the messages of a source in order, and no message is received
// twice.
func TestJudgeOfSeveralGoroutines(t *testing.T) {
	take := func(order ...int) error {
		j, list := received(Any, 0, 1, 2)
		c := &member{j, map[int]int{}}
		for _, i := range order {
			b := *list[i]
			b.buf = append([]byte(nil), b.buf[:cap(b.buf)]...)[:64]
			if err := c.take(&b, b.st, nil); err != nil {
				return err
			}
		}
		return nil
	}
	if err := take(0, 2); err != nil {
		t.Error(err)
	}
	if err := take(0, 2, 1); err == nil || !strings.Contains(err.Error(), "message 1 of rank 0 was overtaken by message 2") {
		t.Error(err)
	}
	if err := take(0, 0); err == nil || !strings.Contains(err.Error(), "nobody took") {
		t.Error(err)
	}
	j, list := received(Any, 0)
	c := &member{j, map[int]int{}}
	if err := c.take(list[0], mpi.Status{Source: 7}, nil); err == nil || !strings.Contains(err.Error(), "Source:7") {
		t.Error(err)
	}
	if err := c.take(list[0], list[0].st, mpi.ErrTruncate); err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Error(err)
	}
}

// The bytes of different keys differ, and a difference is found in every position.
func TestContent(t *testing.T) {
	for n := range 40 {
		b := make([]byte, n)
		k := keyOf(1, 2, 3, 4)
		k.fill(b)
		if at := k.differs(b); at >= 0 {
			t.Fatalf("%d bytes differ at %d from themselves", n, at)
		}
		for i := range b {
			b[i] ^= 4
			if at := k.differs(b); at != i {
				t.Fatalf("of %d bytes, %d is wrong, %d found", n, i, at)
			}
			b[i] ^= 4
		}
		if at := keyOf(1, 2, 3, 5).differs(b); n >= 8 && at < 0 {
			t.Fatalf("%d bytes of another key", n)
		}
	}
}
