package mpitest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"rhinet/llc"
	"rhinet/llc/port"
)

func TestAwaitLooksAgainWhenSomethingHappens(t *testing.T) {
	o := newOffice(2, -1)
	r := &llc.Request{Peer: 0, Buf: make([]byte, 1)}
	o.boxes[1].Start(r, false)
	go func() {
		time.Sleep(time.Millisecond)
		o.boxes[0].Send(0, 1, 0, llc.Standard, []byte{7})
	}()
	o.boxes[1].AwaitCollective("Test", nil, nil, func() bool { return o.boxes[1].Test(r) })
	if r.Buf[0] != 7 {
		t.Errorf("got %v", r.Buf)
	}
}

func TestEverythingEndsWhenTheJobFails(t *testing.T) {
	o := newOffice(2, 0)
	b := o.boxes[1]
	boom := errors.New("boom")
	open := func() *llc.Request {
		r := &llc.Request{Peer: 0, Buf: make([]byte, 1)}
		b.Start(r, false)
		return r
	}
	tested, waited, limited, any := open(), open(), open(), open()
	sent := &llc.Request{Peer: 0, Buf: make([]byte, 1)}
	b.Start(sent, true)
	o.fail(boom)
	o.fail(errors.New("later"))
	b.AwaitCollective("Test", nil, nil, func() bool { return false })
	if st, ok := b.ProbeUntil("Probe", 0, 0, 0, nil); !ok || st.Err != boom {
		t.Errorf("Probe: got %+v, %v", st, ok)
	}
	if !b.Test(tested) || b.WaitAny("WaitAny", []*llc.Request{any}, nil) != 0 || b.WaitContext(t.Context(), limited) != nil {
		t.Error("not complete")
	}
	b.Wait(waited)
	b.Wait(sent)
	for i, r := range []*llc.Request{tested, waited, limited, any, sent} {
		if r.Status.Err != boom {
			t.Errorf("request %d: got %v", i, r.Status.Err)
		}
	}
	if b.Cancel(sent) {
		t.Error("cancelled what was complete")
	}
	if len(b.posted)+len(o.boxes[0].queue) != 0 {
		t.Error("something is left")
	}
}

// Close ends the waits of its rank, those that have begun and later ones, and leaves what it has sent.
func TestCloseEndsWaits(t *testing.T) {
	o := newOffice(2, -1)
	b, other := o.boxes[1], o.boxes[0]
	if err := b.Send(0, 0, 3, llc.Standard, []byte{7}); err != nil {
		t.Fatal(err)
	}
	open := func() *llc.Request {
		r := &llc.Request{Peer: 0, Buf: make([]byte, 1)}
		b.Start(r, false)
		return r
	}
	waits := map[string]func() error{
		"Wait":        func() error { r := open(); b.Wait(r); return r.Status.Err },
		"WaitAny":     func() error { r := open(); b.WaitAny("WaitAny", []*llc.Request{r}, nil); return r.Status.Err },
		"WaitContext": func() error { r := open(); return errors.Join(b.WaitContext(t.Context(), r), r.Status.Err) },
		"Recv":        func() error { _, err := b.Recv(0, 0, 0, nil); return err },
		"Probe":       func() error { st, _ := b.ProbeUntil("Probe", 0, 0, 0, nil); return st.Err },
		"Test": func() error {
			r := open()
			for !b.Test(r) {
				time.Sleep(time.Millisecond)
			}
			return r.Status.Err
		},
	}
	over := make(chan string, len(waits)+1)
	for name, wait := range waits {
		go func() {
			if err := wait(); !errors.Is(err, port.ErrClosed) {
				name += ": " + fmt.Sprint(err)
			}
			over <- name
		}()
	}
	go func() {
		b.AwaitCollective("Test", nil, nil, func() bool { return false })
		over <- "AwaitCollective"
	}()
	time.Sleep(5 * time.Millisecond)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	for range len(waits) + 1 {
		if name := <-over; waits[name] == nil && name != "AwaitCollective" {
			t.Error(name)
		}
	}
	for name, wait := range waits {
		if err := wait(); !errors.Is(err, port.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	b.AwaitCollective("Test", nil, func() { t.Error("AwaitCollective began") }, func() bool { t.Error("AwaitCollective looked"); return true })
	b.Perform(func() { t.Error("Perform called") })
	if err := b.Close(); !errors.Is(err, port.ErrClosed) {
		t.Errorf("Close again: %v", err)
	}
	if st, err := other.Recv(0, 1, 3, make([]byte, 1)); st.Bytes != 1 || err != nil {
		t.Errorf("what was sent before: %+v, %v", st, err)
	}
}
