package timed

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"testing"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// controlled is the latency network with barrier controllers: a rank learns after a microsecond
// that its code is passed.
type controlled struct {
	latency
	all map[use]*going
}

// A use is a sequence of some ranks, from a place on, and their progress.
type use struct {
	number        int
	members, base uint64
}

type going struct {
	done    map[int]int    // number of codes, by rank
	waiting map[int]uint32 // the arguments of waiting ranks
}

func (c *controlled) Sequences() int { return 2 }

func (c *controlled) Code(src, number int, members, base uint64, to vtime.Actor, op int, arg uint32) {
	u := use{number, members, base}
	if c.all[u] == nil {
		c.all[u] = &going{map[int]int{}, map[int]uint32{}}
	}
	s := c.all[u]
	s.done[src]++
	s.waiting[src] = arg
	least := s.done[src]
	for left := members; left != 0; left &= left - 1 {
		least = min(least, s.done[bits.TrailingZeros64(left)])
	}
	for who := range 64 {
		if arg, ok := s.waiting[who]; ok && least >= s.done[who]-1 {
			delete(s.waiting, who)
			c.src.At(c.k.Now()+vtime.Microsecond, to, op, medium.AtMember(who, arg))
		}
	}
}

// controlledJob returns a job on that network.
func controlledJob(t *testing.T, ranks int) (*job, *controlled) {
	c := &controlled{all: map[use]*going{}}
	return jobOn(t, ranks, Config{}, func(k *vtime.Kernel) (medium.Model, error) {
		c.latency = latency{k, k.Source("controlled")}
		return c, nil
	}), c
}

// TestCodes: members learn that their codes are passed, with the marks of the other members at the
// previous place; other ranks receive nothing.
func TestCodes(t *testing.T) {
	const number, members, codes = 1, 0b1011, 6
	j, _ := controlledJob(t, 4)
	r := j.run(func(n *Node) {
		for base := uint64(5); base < 100 && n.rank != 2; base += 40 { // a sequence, and others that replace it
			for place := range uint32(codes) {
				n.Compute(vtime.Time(n.rank+1) * vtime.Microsecond)
				n.Code(number, members, base, place<<8|uint32(n.rank))
				m := await(n)
				if m.Kind != Passed || m.Peer != n.rank || m.Head != [3]uint64{number, members, base} {
					t.Errorf("rank %d: %+v", n.rank, m)
				}
				var want []byte
				for _, rank := range []uint32{0, 1, 3} {
					mark := (place-1)<<8 | rank
					if place == 0 {
						mark = 0
					}
					want = binary.LittleEndian.AppendUint32(want, mark)
				}
				if !slices.Equal(m.Data, want) {
					t.Errorf("rank %d, place %d: marks %x, want %x", n.rank, place, m.Data, want)
				}
			}
		}
	})
	if sent := r.Ranks[3].Sent.Packets; sent != 3*codes || r.Ranks[2].Received.Packets != 0 || r.Ranks[0].Received.Packets != 3*codes {
		t.Errorf("%+v", r)
	}
	if len(j.s.codes.all) > 2 {
		t.Errorf("%d sequences are kept", len(j.s.codes.all))
	}
}

// TestForgedCodes: codes in a sequence that does not exist, of ranks that do not exist or are not
// members, and while one waits, are ignored.
func TestForgedCodes(t *testing.T) {
	for name, k := range map[string]struct {
		number  int
		members uint64
	}{
		"a sequence that is none": {2, 0b11}, "sequence -1": {-1, 0b11}, "a rank that is none": {0, 0b111}, "rank 63": {0, 1<<63 | 1}, "no members": {0, 0}, "not a member": {0, 0b10},
	} {
		j, c := controlledJob(t, 2)
		r := j.run(func(n *Node) {
			if n.rank == 0 {
				n.Code(k.number, k.members, 1, 1)
			}
		})
		if len(c.all) > 0 || r.Total.Packets > 0 {
			t.Errorf("%s: %v, %+v", name, c.all, r.Total)
		}
	}
	j, c := controlledJob(t, 2)
	j.run(func(n *Node) {
		if n.rank == 0 {
			n.Code(0, 0b11, 1, 1)
			n.Code(0, 0b11, 1, 2)
		}
	})
	if n := c.all[use{0, 0b11, 1}].done[0]; n != 1 {
		t.Errorf("%d codes at a time", n)
	}
	none := newJob(t, 2, Config{})
	if r := none.run(func(n *Node) { n.Code(0, 0b11, 1, 1) }); r.Total.Packets != 0 {
		t.Errorf("%+v", r.Total)
	}
}
