package output

import (
	"bytes"
	"testing"
)

// newStream returns a stream whose output is kept.
func newStream(rank int, tag bool) (*Stream, *bytes.Buffer) {
	var b bytes.Buffer
	s := &Stream{sink: newSink(&b, func(error) {})}
	if tag {
		s.prefix = prefix(rank)
	}
	return s, &b
}

func TestStreamHoldsWhatIsUnfinished(t *testing.T) {
	s, b := newStream(3, true)
	for _, step := range []struct{ in, want string }{
		{"a", ""},
		{"b\nc", "[3] ab\n"},
		{"\n", "[3] ab\n[3] c\n"},
		{"d\ne\nf", "[3] ab\n[3] c\n[3] d\n[3] e\n"},
	} {
		s.take([]byte(step.in))
		if b.String() != step.want {
			t.Errorf("after %q: %q, want %q", step.in, b, step.want)
		}
	}
	s.end()
	if want := "[3] ab\n[3] c\n[3] d\n[3] e\n[3] f\n"; b.String() != want {
		t.Errorf("at the end %q, want %q", b, want)
	}
}

func TestEndlessLineIsPassedOn(t *testing.T) {
	s, b := newStream(0, true)
	chunk := bytes.Repeat([]byte{'x'}, chunkBytes)
	for range holdBytes/chunkBytes + 1 {
		s.take(chunk)
	}
	if b.Len() < holdBytes {
		t.Fatalf("%d bytes passed on", b.Len())
	}
	s.take([]byte("y\nz\n"))
	if text := b.Bytes(); !bytes.HasSuffix(text, []byte("xy\n[0] z\n")) || bytes.Count(text, []byte("[0] ")) != 2 {
		t.Errorf("ends in %q with %d prefixes", text[len(text)-12:], bytes.Count(text, []byte("[0] ")))
	}
	if cap(s.partial) > keepBytes {
		t.Errorf("a buffer of %d bytes is kept", cap(s.partial))
	}
}

func TestForwardingDoesNotAllocate(t *testing.T) {
	s, b := newStream(0, true)
	b.Grow(1 << 20)
	line := []byte("a line as programs print it\nand half")
	s.take(line)
	if n := testing.AllocsPerRun(100, func() { s.take(line); b.Reset() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
