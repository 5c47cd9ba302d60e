package llc_test

import (
	"bytes"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// A loop drives engines over the loopback network from one goroutine.
type loop struct {
	testing.TB
	nics    []ir.Translator
	engines []*llc.Engine
	ev      ir.Event
}

func newLoop(t testing.TB, peers int, caps ir.Caps) *loop {
	return newLoopOn(t, nictest.Loopback(peers, caps), caps)
}

func newLoopOn(t testing.TB, nics []ir.Translator, caps ir.Caps) *loop {
	l := &loop{TB: t, nics: nics}
	for i := range nics {
		l.engines = append(l.engines, llc.New(llc.Config{Self: i, Peers: len(nics), Caps: caps}))
	}
	return l
}

// post carries out what engine i wants done.
func (l *loop) post(i int) bool {
	cmds := l.engines[i].Take()
	for k := range cmds {
		l.nics[i].Post(&cmds[k])
	}
	return len(cmds) > 0
}

// turn gives engine i one event, or a retry, and reports whether anything happened.
func (l *loop) turn(i int) bool {
	busy := l.post(i)
	if l.nics[i].Poll(&l.ev) {
		if err := l.engines[i].Step(&l.ev); err != nil {
			l.Fatalf("engine %d: %v", i, err)
		}
		busy = true
	} else {
		l.engines[i].Retry()
	}
	return l.post(i) || busy
}

// run turns all engines until nothing happens any more.
func (l *loop) run() {
	l.Helper()
	for range 1000000 {
		busy := false
		for i := range l.engines {
			busy = l.turn(i) || busy
		}
		if !busy {
			return
		}
	}
	l.Fatal("the engines do not come to rest")
}

// until turns all engines until r is done.
func (l *loop) until(r *llc.Request) {
	l.Helper()
	for range 1000000 {
		if r.Done() {
			return
		}
		for i := range l.engines {
			l.turn(i)
		}
	}
	l.Fatalf("not done: %+v", r)
}

// pattern returns n bytes that depend on seed.
func pattern(n, seed int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8 + seed*31 + 1)
	}
	return b
}

// transfer sends size bytes from 0 to 1 and checks them.
func (l *loop) transfer(size, tag int, mode llc.Mode) {
	l.Helper()
	want, got := pattern(size, tag), make([]byte, size)
	s := &llc.Request{Peer: 1, Context: 2, Tag: tag, Mode: mode, Buf: want}
	r := &llc.Request{Peer: 0, Context: 2, Tag: tag, Buf: got}
	if tag%2 == 0 {
		l.engines[1].Recv(r)
	}
	l.engines[0].Send(s)
	if tag%2 != 0 {
		l.run()
		l.engines[1].Recv(r)
	}
	l.until(s)
	l.until(r)
	if s.Status.Err != nil || r.Status.Err != nil || r.Status.Bytes != int64(size) || r.Status.Source != 0 || r.Status.Tag != tag {
		l.Fatalf("%d bytes: send %+v, receive %+v", size, s.Status, r.Status)
	}
	if !bytes.Equal(want, got) {
		l.Fatalf("%d bytes arrived wrong", size)
	}
}

func TestEverySizeArrives(t *testing.T) {
	for _, remote := range []bool{true, false} {
		for _, rings := range []int{0, 4} {
			caps := nictest.DefaultCaps()
			caps.Remote, caps.Rings = remote, rings
			l := newLoop(t, 2, caps)
			tag := 0
			for _, size := range []int{0, 1, 39, 40, 41, 64, 1000, 1024, 1025, 2000, 4096, 4097, 20000, 32767, 32768, 100001, 1 << 20} {
				for _, mode := range []llc.Mode{llc.Standard, llc.Synchronous} {
					for range 2 {
						l.transfer(size, tag, mode)
						tag++
					}
				}
			}
			l.run()
			for i, e := range l.engines {
				s := e.Snapshot()
				if !e.Idle() || s.Transfers+s.Segments+s.Words+s.Queued+s.Copies+s.Incoming+s.Posted+s.Unexpected != 0 {
					t.Errorf("remote=%v rings=%d engine %d at rest: %+v", remote, rings, i, s)
				}
			}
		}
	}
}
