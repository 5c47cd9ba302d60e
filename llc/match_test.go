package llc_test

import (
	"bytes"
	"testing"

	"rhinet/llc"
	"rhinet/llc/nictest"
)

// MPI 4.1, section 3.8.2: a message that was matched is found only by the receive of its handle, whether it
// is short, long or to the peer itself; its status has the tag that it was sent with.
func TestMatchTakesAMessageOutOfReach(t *testing.T) {
	for _, to := range []int{0, 1} {
		for _, size := range []int{0, 100, 100_000} {
			l := newLoop(t, 2, nictest.DefaultCaps())
			data := bytes.Repeat([]byte{7}, size)
			s := &llc.Request{Peer: to, Context: 2, Tag: 5, Buf: data}
			l.engines[0].Send(s)
			l.run()
			e := l.engines[to]
			if _, ok := e.Match(2, 0, 6, 9, 77); ok {
				t.Error("a message with tag 5 matches tag 6")
			}
			st, ok := e.Match(2, llc.AnyPeer, 5, 9, 77)
			if !ok || st.Source != 0 || st.Tag != 5 || st.Bytes != int64(size) {
				t.Fatalf("Match: %v, %v", st, ok)
			}
			if st, ok := e.Probe(2, llc.AnyPeer, llc.AnyTag); ok {
				t.Errorf("Probe finds %v", st)
			}
			r := &llc.Request{Peer: 0, Context: 9, Tag: 77, Buf: make([]byte, size)}
			e.Recv(r)
			l.run()
			if !r.Done() || !s.Done() || r.Status.Tag != 5 || r.Status.Err != nil || !bytes.Equal(r.Buf, data) {
				t.Errorf("%d bytes to %d: %v, %v: %+v", size, to, r.Done(), s.Done(), r.Status)
			}
		}
	}
}
