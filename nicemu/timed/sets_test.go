package timed

import (
	"errors"
	"math/bits"
	"slices"
	"testing"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// meeting is the latency network with sets: all ranks learn of events after a microsecond.
type meeting struct {
	latency
	came map[int]uint64
	all  []uint64 // members of the sets used so far
}

func (m *meeting) Sets() int { return 3 }

func (m *meeting) each(members uint64, to vtime.Actor, op int, arg uint32) {
	for left := members; left != 0; left &= left - 1 {
		m.src.At(m.k.Now()+vtime.Microsecond, to, op, medium.AtMember(bits.TrailingZeros64(left), arg))
	}
}

func (m *meeting) Multicast(_, _ int, members uint64, _ int, to vtime.Actor, op int, arg uint32) {
	m.all = append(m.all, members)
	m.each(members, to, op, arg)
}

func (m *meeting) Meet(src, set int, members uint64, to vtime.Actor, op int) {
	m.all = append(m.all, members)
	if m.came[set] |= 1 << src; m.came[set] == members {
		m.came[set] = 0
		m.each(members, to, op, uint32(set))
	}
}

// meetingJob returns a job on that network.
func meetingJob(t *testing.T, ranks int) (*job, *meeting) {
	m := &meeting{came: map[int]uint64{}}
	return jobOn(t, ranks, Config{}, func(k *vtime.Kernel) (medium.Model, error) {
		m.latency = latency{k, k.Source("meeting")}
		return m, nil
	}), m
}

// TestSets: members receive a member's multicast, with the place that it names, and then that all
// have arrived; other ranks receive nothing; each rank pays for its operations.
func TestSets(t *testing.T) {
	const set, members = 1, 0b1011
	j, _ := meetingJob(t, 4)
	r := j.run(func(n *Node) {
		if n.rank == 2 {
			return
		}
		if n.rank == 3 {
			n.Multicast(set, members, 48, []byte("to all"))
		}
		n.Meet(set, members)
		if m := await(n); m.Kind != Spread || m.Peer != 3 || m.Head[0] != set || m.Head[1] != 48 || string(m.Data) != "to all" {
			t.Errorf("rank %d: %+v", n.rank, m)
		}
		if m := await(n); m.Kind != Met || m.Head[0] != set {
			t.Errorf("rank %d: %+v", n.rank, m)
		}
		// rank 3 pays 100 ns for each operation; all learn a microsecond later that it has arrived,
		// and pay 100 ns to receive that
		if want := 1300 * vtime.Nanosecond; n.Now() != want {
			t.Errorf("rank %d goes on at %v, want %v", n.rank, n.Now(), want)
		}
	})
	if r.Total != (Traffic{4, 6}) || r.Ranks[0].Received != (Traffic{2, 6}) || r.Ranks[2].Received.Packets != 0 || r.Ranks[3].Sent != (Traffic{2, 6}) {
		t.Errorf("%+v", r)
	}
}

// TestNumbersOfSets: each number is reserved once until it is freed, by any rank.
func TestNumbersOfSets(t *testing.T) {
	j, _ := meetingJob(t, 2)
	var all []int
	for i := range 3 {
		set, err := j.nodes[i%2].ReserveSet()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, set)
	}
	if slices.Sort(all); !slices.Equal(all, []int{0, 1, 2}) {
		t.Error(all)
	}
	if set, err := j.nodes[1].ReserveSet(); !errors.Is(err, ErrNoSet) {
		t.Errorf("set %d of 3, %v", set, err)
	}
	j.nodes[0].FreeSet(1)
	if set, err := j.nodes[1].ReserveSet(); set != 1 || err != nil {
		t.Errorf("set %d, %v", set, err)
	}
	none := newJob(t, 2, Config{})
	if set, err := none.nodes[0].ReserveSet(); !errors.Is(err, ErrNoSet) {
		t.Errorf("set %d of a network that has none, %v", set, err)
	}
}

// TestForgedSets: packets for sets that do not exist, with ranks that do not exist, or of ranks
// that are not members, are dropped.
func TestForgedSets(t *testing.T) {
	for name, c := range map[string]struct {
		set     int
		members uint64
	}{
		"a set that is none": {3, 0b11}, "set -1": {-1, 0b11}, "a rank that is none": {0, 0b111}, "rank 63": {0, 1<<63 | 1}, "no members": {0, 0}, "not a member": {0, 0b10},
	} {
		j, m := meetingJob(t, 2)
		r := j.run(func(n *Node) {
			if n.rank == 0 {
				n.Multicast(c.set, c.members, 0, make([]byte, 100))
				n.Meet(c.set, c.members)
			}
		})
		if len(m.all) > 0 || r.Total.Packets > 0 {
			t.Errorf("%s: %b, %+v", name, m.all, r.Total)
		}
	}
}
