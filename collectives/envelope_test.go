package collectives

import (
	"bytes"
	"errors"
	"testing"
)

// A descriptor from another process is checked: offset and length.
func TestEnvelopesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name string
		e    []byte
		want string // the part; "" for an error of its length
		sent int    // receives posted
	}{
		{"short", []byte{4, 0, 3, 0, 'a', 'b', 'c'}, "abc", 0},
		{"further on", []byte{6, 0, 3, 0, 9, 9, 'a', 'b', 'c'}, "abc", 0},
		{"announced", []byte{0, 0, 255, 255, 0, 0, 0}, "...", 1},
		{"too short", []byte{4, 0, 2, 0, 'a', 'b', 'c'}, "", 0},
		{"too long", []byte{4, 0, 4, 0, 'a', 'b', 'c', 'd'}, "", 0},
		{"much too long", []byte{4, 0, 3, 1, 'a', 'b', 'c', 'd'}, "", 0},
		{"beyond the end", []byte{5, 0, 3, 0, 'a', 'b', 'c'}, "", 0},
		{"far beyond the end", []byte{254, 255, 3, 0, 'a', 'b', 'c'}, "", 0},
		{"beyond the end by its upper half", []byte{4, 1, 3, 0, 'a', 'b', 'c'}, "", 0},
	} {
		f := newFake(0, 2)
		g := mustGroup(t, f, Options{})
		part := []byte("...")
		x := execution{sched: &schedule{steps: []step{{op: opDisclose, peer: 1, a: region{bufIn, 0, len(c.e)}, b: region{bufOut, 0, 3}}}}}
		x.bufs[bufIn], x.bufs[bufOut] = c.e, part
		x.advance(g, true)
		if f.posts != c.sent || x.open != c.sent {
			t.Errorf("%s: %d receives, %d open", c.name, f.posts, x.open)
		}
		if c.want == "" {
			var e *LengthError
			if !errors.As(x.err, &e) || e.Want != 3 || e.From != 1 || e.Got != int(c.e[2])+int(c.e[3])<<8 || !errors.Is(x.err, ErrLength) {
				t.Errorf("%s: %v", c.name, x.err)
			}
			c.want = "..."
		} else if x.err != nil {
			t.Errorf("%s: %v", c.name, x.err)
		}
		if !bytes.Equal(part, []byte(c.want)) {
			t.Errorf("%s: %q", c.name, part)
		}
		past, posts, waits := []byte("..."), f.posts, f.waits
		err := g.Disclose(past, c.e, 0, 1)
		if !bytes.Equal(past, part) || (err == nil) != (x.err == nil) || err != nil && err.Error() != x.err.Error() || f.posts-posts != c.sent || f.waits-waits != c.sent {
			t.Errorf("%s, past the group: %q, %v, not %q, %v; %d receives, %d waits", c.name, past, err, part, x.err, f.posts-posts, f.waits-waits)
		}
	}
}

// A message that was announced and cannot be received is the error of the call.
func TestDisclosedMessagesThatFail(t *testing.T) {
	announced := []byte{0, 0, 255, 255}
	for want, f := range map[error]*fake{errPost: {size: 2, slots: 64, failPost: 1}, errWait: {size: 2, slots: 64, failWait: 1}} {
		if err := mustGroup(t, f, Options{}).Disclose(make([]byte, 3), announced, 0, 1); err != want {
			t.Errorf("%v instead of %v", err, want)
		}
	}
}

// After an error the content of the exchange is not used.
func TestEnvelopesOfAFailedExchangeAreNotOpened(t *testing.T) {
	f := newFake(0, 2)
	x := execution{err: errWait}
	x.bufs[bufIn], x.bufs[bufOut] = []byte{0, 0, 255, 255}, []byte("...")
	x.disclose(mustGroup(t, f, Options{}), &step{a: region{bufIn, 0, 4}, b: region{bufOut, 0, 3}}, true)
	if f.posts != 0 || x.open != 0 || x.err != errWait {
		t.Errorf("%d receives, %v", f.posts, x.err)
	}
}
