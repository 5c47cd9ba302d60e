package mpitest

import (
	"errors"
	"testing"
	"time"

	"rhinet/llc"
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
	if st, ok := b.Probe(0, 0, 0, true); !ok || st.Err != boom {
		t.Errorf("Probe: got %+v, %v", st, ok)
	}
	if !b.Test(tested) || b.WaitAny([]*llc.Request{any}) != 0 || b.WaitContext(t.Context(), limited) != nil {
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
