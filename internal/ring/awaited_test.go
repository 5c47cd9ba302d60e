package ring

import "testing"

// TestAwaited: a reader that sends one packet for each payload waits for the next payload; one that
// receives several before it sends, or sends several, does not.
func TestAwaited(t *testing.T) {
	m := new(Inlet)
	talk := Ring{spread: true}
	out := Outlet{ring: &talk}
	if talk.awaited() {
		t.Error("awaited before it is known what comes back")
	}
	out.Heed(m)
	for i, step := range []struct {
		came uint64 // since the previous step
		want bool
	}{{1, false}, {1, true}, {1, true}, {0, false}, {1, false}, {1, true}, {2, false}, {0, false}, {2, false}, {1, false}, {1, true}} {
		m.slot += step.came
		if got := talk.awaited(); got != step.want {
			t.Errorf("step %d, %d packets came: awaited is %v", i, step.came, got)
		}
	}
	talk.spread = false
	if m.slot++; talk.awaited() {
		t.Error("awaited by a rank that shares its processor")
	}
}

// TestPutAsksForAnswers: Put of a payload that is not too long checks whether it is awaited, and writes the
// same in both cases.
func TestPutAsksForAnswers(t *testing.T) {
	l := Layout{Slots: 8, Bytes: 64 << 10, Spread: true}
	mem := Memory(l.Size())
	r, in := Open(mem, l), new(Inlet)
	read := NewReader(mem, l, 0, 0)
	(&Outlet{ring: &r}).Heed(in)
	pos := uint64(0)
	for i, n := range []int{demoteBytes, demoteBytes + 1, demoteBytes, Short + 1} {
		in.slot++
		data := make([]byte, n)
		data[0], data[n-1] = byte(i+1), byte(i+1)
		pos = r.Put(uint64(i), pos, &[3]uint64{1 << 32}, data)
		var p Packet
		if ok, err := read.Poll(&p); !ok || err != nil || len(p.Data) != n || p.Data[0] != byte(i+1) || p.Data[n-1] != byte(i+1) {
			t.Fatalf("packet %d: %v, %v, %d bytes", i, ok, err, len(p.Data))
		}
		read.Consume()
		if known := []uint64{1, 1, 3, 4}[i]; r.known != known {
			t.Errorf("packet %d of %d bytes: %d answers known, not %d", i, n, r.known, known)
		}
	}
}
