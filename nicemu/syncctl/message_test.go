package syncctl

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/vtime"
)

func TestMessages(t *testing.T) {
	l := bare(t, Torus{3, 3})
	if _, ok := l.Inspect(8, 0); ok {
		t.Error("a message that nobody sent")
	}
	long := bytes.Repeat([]byte("abcdefg"), 100)
	for _, b := range [][]byte{[]byte("first"), nil, long} {
		if err := l.Send(0, 8, b); err != nil {
			t.Fatal(err)
		}
	}
	l.run()
	for _, want := range [][]byte{[]byte("first"), nil, long} {
		n, ok := l.Inspect(8, 0)
		got, _ := l.Receive(8, 0)
		if !ok || n != len(want) || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes %q, want %d", n, got, len(want))
		}
	}
	if _, ok := l.Receive(8, 0); ok {
		t.Error("a fourth message")
	}
	for _, c := range [][2]int{{0, 0}, {0, 9}, {-1, 0}, {9, 0}, {0, -1}} {
		if err := l.Send(c[0], c[1], nil); !errors.Is(err, ErrCommand) {
			t.Errorf("from %d to %d: %v", c[0], c[1], err)
		}
	}
	if err := l.Send(0, 1, make([]byte, 16*64+1)); !errors.Is(err, ErrCommand) {
		t.Error(err)
	}
}

// TestMessagesWaitForRoom: messages that are not taken out block the sender, and nothing is lost or
// mixed up.
func TestMessagesWaitForRoom(t *testing.T) {
	l := bare(t, Torus{2, 3}, "data.slots=3")
	rng := rand.New(rand.NewPCG(5, 6))
	var want [][]byte
	for i := range 40 {
		b := make([]byte, rng.IntN(3*64+1))
		for k := range b {
			b[k] = byte(i)
		}
		want = append(want, b)
		if err := l.Send(1, 5, b); err != nil {
			t.Fatal(err)
		}
		if err := l.Send(2, 5, []byte{byte(i)}); err != nil { // other messages pass
			t.Fatal(err)
		}
	}
	l.run()
	if p := l.pair(1, 5); p.credit != 0 || len(p.sending) == 0 {
		t.Fatalf("credit %d, %d left to send", p.credit, len(p.sending))
	}
	for i, b := range want {
		l.run()
		if got, ok := l.Receive(5, 1); !ok || !bytes.Equal(got, b) {
			t.Fatalf("message %d: %v, %d bytes, want %d", i, ok, len(got), len(b))
		}
		if got, ok := l.Receive(5, 2); !ok || got[0] != byte(i) {
			t.Fatalf("message %d of the other: %v %v", i, ok, got)
		}
	}
	l.run()
	if p := l.pair(1, 5); p.credit != 3 {
		t.Errorf("credit %d of 3", p.credit)
	}
}

// TestMessageTime: a full packet occupies a link of 100 Mb/s for 6.4 us; two hops and their
// forwarding.
func TestMessageTime(t *testing.T) {
	l := bare(t, Torus{1, 5})
	if err := l.Send(0, 2, make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	l.run()
	if want := 2 * (6400 + 1720) * vtime.Nanosecond; l.k.Now() != want {
		t.Errorf("%v, want %v", l.k.Now(), want)
	}
}

// TestEachParameterOfMessagesMatters: each parameter of data packets changes the time at which the
// last of many messages has been received.
func TestEachParameterOfMessagesMatters(t *testing.T) {
	took := func(settings ...string) vtime.Time {
		l := bare(t, Torus{1, 5}, settings...)
		const messages = 20
		for range messages {
			if err := l.Send(0, 2, make([]byte, 100)); err != nil {
				t.Fatal(err)
			}
		}
		for left := messages; left > 0; {
			l.run()
			if _, ok := l.Inspect(2, 0); !ok {
				t.Fatalf("%d messages have not come", left)
			}
			for {
				if _, ok := l.Receive(2, 0); !ok {
					break
				}
				left--
			}
		}
		return l.k.Now()
	}
	before := took()
	for _, setting := range []string{"data.rate=50", "data.hop=860", "data.packet=32", "data.header=8", "data.slots=8"} {
		if took(setting) == before {
			t.Errorf("%s changes nothing", setting)
		}
	}
}
