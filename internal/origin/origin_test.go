package origin

import (
	"math/rand/v2"
	"testing"

	"rhinet/internal/callsite"
)

// For random messages, some of them received and some given up, every known line is the
// right one, and the lines of the last few messages are known.
func TestOriginsAgainstAPlainList(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	lines := make([]*callsite.Line, 4)
	for i := range lines[1:] {
		lines[i+1] = &callsite.Line{File: "main.go", Number: i}
	}
	for range 200 {
		o := New()
		sent := map[Stream][]*callsite.Line{}
		givenUp := map[Stream]bool{}
		for range rnd.IntN(300) {
			key := StreamOf(uint16(2*rnd.IntN(2)), rnd.IntN(2), rnd.IntN(2))
			if rnd.IntN(40) == 0 && len(sent[key]) > 0 {
				i := rnd.IntN(len(sent[key]))
				o.Withdraw(key, sent[key][i])
				sent[key] = append(sent[key][:i:i], sent[key][i+1:]...)
				givenUp[key] = true
				continue
			}
			line := lines[rnd.IntN(1+rnd.IntN(len(lines)))]
			sent[key] = append(sent[key], line)
			o.Add(key, line)
		}
		for key, list := range sent {
			turns, one := 0, true
			for back := range len(list) {
				want := list[len(list)-1-back]
				if back > 0 && want != list[len(list)-back] {
					turns, one = turns+1, false
				}
				got := o.Line(key, back+1)
				if got != nil && got != want || !givenUp[key] && turns < keptOrigins && got != want {
					t.Fatalf("message %d from the last one is from %v, want %v", back, got, want)
				}
			}
			if all := o.Line(key, 0); all != nil && (!one || all != list[0]) || !givenUp[key] && one && len(list) > 0 && all != list[0] {
				t.Fatalf("all %d messages are from %v: %v", len(list), all, one)
			}
			if o.Line(key, len(list)+1) != nil {
				t.Fatal("more messages are known than were sent")
			}
		}
	}
}

// Streams are distinguished up to the largest rank, context and tag.
func TestKeysOfStreams(t *testing.T) {
	seen := map[Stream]bool{}
	for _, to := range []int{0, 1, 1<<17 - 1} {
		for _, ctx := range []uint16{0, 2, 1<<16 - 1} {
			for _, tag := range []int{0, 1, 1<<31 - 1} {
				seen[StreamOf(ctx, to, tag)] = true
			}
		}
	}
	if len(seen) != 27 {
		t.Errorf("%d keys of 27 streams", len(seen))
	}
}

// A rank with more streams than are kept starts anew, and does not claim that one line
// has sent a whole stream.
func TestMoreStreamsThanAreKept(t *testing.T) {
	o := New()
	line := &callsite.Line{File: "main.go", Number: 1}
	for tag := range keptStreams {
		o.Add(StreamOf(0, 1, tag), line)
	}
	if o.Line(StreamOf(0, 1, 0), 0) != line {
		t.Error("the first stream is not kept")
	}
	o.Add(StreamOf(0, 1, keptStreams), line)
	if len(o.all) != 1 || o.Line(StreamOf(0, 1, 0), 1) != nil || o.Line(StreamOf(0, 1, keptStreams), 1) != line {
		t.Errorf("%d streams", len(o.all))
	}
	o.Add(StreamOf(0, 1, 0), line)
	if o.Line(StreamOf(0, 1, 0), 1) != line || o.Line(StreamOf(0, 1, 0), 0) != nil {
		t.Error("what was sent before is not counted")
	}
}

func TestAKnownStreamTakesNoMemory(t *testing.T) {
	o := New()
	a, b := &callsite.Line{File: "main.go", Number: 1}, &callsite.Line{File: "main.go", Number: 2}
	send := func() {
		for tag := range 10 {
			o.Add(StreamOf(0, 1, tag), a)
			o.Add(StreamOf(0, 1, tag), b)
		}
	}
	for range 2 * keptOrigins {
		send()
	}
	if n := testing.AllocsPerRun(100, send); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
