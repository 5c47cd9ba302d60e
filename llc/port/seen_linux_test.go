package port

import (
	"errors"
	"sync"
	"syscall"
	"testing"

	"rhinet/internal/observe"
	"rhinet/llc"
	"rhinet/llc/nictest"
)

// openSeen returns two ports whose calls are recorded, and a reader of the records.
func openSeen(t *testing.T, traced bool) ([]*Counting, *observe.Reader) {
	t.Helper()
	file, err := observe.Create(2, traced)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	reader, err := observe.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	ps := make([]*Counting, 2)
	for i, nic := range nictest.Loopback(2, nictest.DefaultCaps()) {
		fd, err := syscall.Dup(int(file.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		to, err := observe.Open(fd, i, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		ps[i] = New(Config{NIC: nic, Policy: oversubscribed(), Observe: to}).Counting()
		t.Cleanup(func() {
			ps[i].Close()
			to.Close()
		})
	}
	return ps, reader
}

// seenCalls returns what a rank has done, by call.
func seenCalls(t *testing.T, r *observe.Reader, rank int) map[string]observe.Call {
	t.Helper()
	s, err := r.Stats("")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]observe.Call{}
	for _, c := range s.Ranks[rank].Calls {
		all[c.Call] = c
	}
	return all
}

// A port counts its calls and their bytes exactly, by the lane and the slow path, timed or not.
func TestPortCountsItsCalls(t *testing.T) {
	for _, bytes := range []int{8, 3000, 100000} {
		ps, reader := openSeen(t, true)
		const n = 600
		both(t, ps, func(p *Counting, self int) {
			buf, mine, key := payload(1, bytes), make([]byte, bytes), llc.MakeKey(0, 0)
			spares := spareOf(2)
			for i := range n {
				if self == 0 {
					send(t, p, 0, 1, i, buf)
					recv(t, p, 0, 1, i, buf)
				} else {
					if _, err := p.RecvFor("Bcast", key, 0, i, mine); err != nil {
						t.Error(err)
					}
					send(t, p, 0, 0, i, buf)
				}
				in := p.Irecv(spares, key, 1-self, n+i, mine)
				out, _ := p.Isend(spares, key, 1-self, n+i, buf)
				if in == nil || out == nil {
					t.Error("no lane")
					return
				}
				in.Link, out.Link = out, nil
				p.WaitAll(in)
				spares.Put(in, in)
				spares.Put(out, out)
			}
			if self == 0 {
				if err := p.Send(key, 1, n, llc.Synchronous, buf); err != nil {
					t.Error(err)
				}
			} else {
				recv(t, p, 0, 0, n, buf)
			}
		})
		moved := uint64(n * bytes)
		want := []map[string][2]uint64{
			{"Send": {n, moved}, "Recv": {n, moved}, "Irecv": {n, 0}, "Isend": {n, moved}, "WaitAll": {n, moved}, "Ssend": {1, uint64(bytes)}},
			{"Send": {n, moved}, "Recv": {1, uint64(bytes)}, "Irecv": {n, 0}, "Isend": {n, moved}, "WaitAll": {n, moved}},
		}
		for rank, want := range want {
			got := seenCalls(t, reader, rank)
			for call, w := range want {
				if c := got[call]; c.Count != w[0] || c.Bytes != w[1] || c.Timed == 0 && w[0] == n || c.Timed > c.Count || c.Wait < 0 || c.Wait > c.Seconds {
					t.Errorf("%d bytes, rank %d, %s: %+v, want %v", bytes, rank, call, c, w)
				}
			}
			if len(got) != len(want) {
				t.Errorf("rank %d: %v", rank, got)
			}
			if timed := got["Send"].Timed + got["Isend"].Timed + got["Irecv"].Timed + got["Recv"].Timed; timed > 500 {
				t.Errorf("rank %d: %d calls were timed", rank, timed)
			}
		}
		s, err := reader.Stats("")
		if err != nil {
			t.Fatal(err)
		}
		for i, extra := range []uint64{1, 0} {
			if got := s.Traffic[i]; got.Messages != 2*n+extra || got.Bytes != 2*moved+extra*uint64(bytes) {
				t.Errorf("%+v", got)
			}
		}
	}
}

// So it does with those in pieces.
func TestPortCountsPieces(t *testing.T) {
	for _, bytes := range []int{48, 3000, 100_000} {
		ps, reader := openSeen(t, true)
		const n = 600
		both(t, ps, func(p *Counting, self int) {
			b := newSparse(payload(1, bytes))
			for i := range n {
				var err error
				if self == 0 {
					err = p.SendPieces(0, 1, i, b)
				} else {
					_, err = p.RecvPieces(0, 0, i, b)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
		for rank, call := range []string{"Send", "Recv"} {
			all := seenCalls(t, reader, rank)
			c := all[call]
			if c.Count != n || c.Bytes != uint64(n*bytes) || c.Timed == 0 || c.Timed > 300 || c.Wait < 0 || c.Wait > c.Seconds || len(all) != 1 {
				t.Errorf("%d bytes, rank %d: %+v", bytes, rank, all)
			}
		}
	}
}

// Goroutines that call at the same time are all counted.
func TestPortCountsGoroutines(t *testing.T) {
	ps, reader := openSeen(t, false)
	const each, n = 4, 300
	both(t, ps, func(p *Counting, self int) {
		var all sync.WaitGroup
		for g := range each {
			all.Go(func() {
				for i := range n {
					if self == 0 {
						send(t, p, 0, 1, g, payload(i, 8))
						continue
					}
					if g%2 == 0 {
						recv(t, p, 0, 0, g, payload(i, 8))
					} else if _, err := p.RecvFor("Bcast", llc.MakeKey(0, 0), 0, g, make([]byte, 8)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
	})
	if c := seenCalls(t, reader, 0)["Send"]; c.Count != each*n || c.Bytes != 8*each*n {
		t.Errorf("%+v", c)
	}
	if c := seenCalls(t, reader, 1)["Recv"]; c.Count != each/2*n || c.Bytes != 8*each/2*n {
		t.Errorf("%+v", c)
	}
}

// A port that is closed counts nothing more.
func TestClosedPortCountsNothing(t *testing.T) {
	ps, reader := openSeen(t, false)
	send(t, ps[0], 0, 1, 1, payload(1, 8))
	recv(t, ps[1], 0, 0, 1, payload(1, 8))
	seen := ps[0].seen
	if err := ps[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := seen.Close(); err != nil {
		t.Fatal(err)
	}
	key, spares := llc.MakeKey(0, 0), spareOf(1)
	if err := ps[0].Send(key, 1, 1, llc.Standard, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Send: %v", err)
	}
	if _, err := ps[0].Recv(key, 1, 1, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Recv: %v", err)
	}
	if r, _ := ps[0].Isend(spares, key, 1, 1, nil); r != nil || ps[0].Irecv(spares, key, 1, 1, nil) != nil {
		t.Error("a closed port begins a transfer")
	}
	ps[0].WaitAll(nil)
	if c := seenCalls(t, reader, 0)["Send"]; c.Count != 1 {
		t.Errorf("%+v", c)
	}
}

// Counting does not allocate, timed or not.
func TestCountingDoesNotAllocate(t *testing.T) {
	ps, _ := openSeen(t, true)
	acquaint(t, []*Port{ps[0].Port, ps[1].Port})
	buf, key := make([]byte, 8), llc.MakeKey(0, 0)
	if n := testing.AllocsPerRun(1000, func() {
		_ = ps[0].Send(key, 1, 1, llc.Standard, buf)
		_, _ = ps[1].Recv(key, 0, 1, buf)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
