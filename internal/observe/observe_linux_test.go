package observe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// memory makes the memory of a job, and its reader.
func memory(t *testing.T, ranks int, traced bool) (*os.File, *Reader) {
	t.Helper()
	file, err := Create(ranks, traced)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	reader, err := NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, reader
}

// opened returns a rank of a job with a clock.
func opened(t *testing.T, file *os.File, rank, ranks int, now func() int64) *Rank {
	t.Helper()
	r, err := Open(dup(t, file), rank, ranks, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// job makes the memory of a job and its reader, and opens ranks with their own clocks, which advance by a
// nanosecond at each reading.
func job(t *testing.T, ranks int, traced bool) (*Reader, []*Rank) {
	t.Helper()
	file, reader := memory(t, ranks, traced)
	all := make([]*Rank, ranks)
	for i := range all {
		var now atomic.Int64
		all[i] = opened(t, file, i, ranks, func() int64 { return now.Add(1) })
	}
	return reader, all
}

// still makes a job with one open rank, most of whose calls are not timed, with a clock that does not
// advance.
func still(t *testing.T, ranks int, traced bool) (*Reader, *Rank, *int64) {
	t.Helper()
	file, reader := memory(t, ranks, traced)
	now := int64(1)
	r := opened(t, file, 0, ranks, func() int64 { return now })
	r.every = false
	return reader, r, &now
}

func dup(t *testing.T, file *os.File) int {
	t.Helper()
	fd, err := unix.Dup(int(file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func stats(t *testing.T, r *Reader) *Stats {
	t.Helper()
	s, err := r.Stats("./prog")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	reader, ranks := job(t, 3, false)
	for range 10 {
		r := ranks[0]
		m := r.Begin()
		r.End(m, Send, &Transfer{Flags: Sends, Peer: 2, Tag: 7, Bytes: 100})
	}
	r := ranks[0]
	r.Point(0, Send, &Transfer{Flags: Sends, Peer: 1, Bytes: 5})
	r.Add("Bcast", 5)
	r.End(r.Begin(), r.Named("Bcast"), &Transfer{Peer: -1})
	r.End(r.Begin(), r.Named("Put"), &Transfer{Flags: Accesses, Peer: 2, Bytes: 64})
	ranks[2].End(ranks[2].Begin(), Recv, &Transfer{Flags: Receives, Peer: 0, Bytes: 100})
	if err := ranks[0].Close(); err != nil {
		t.Fatal(err)
	}
	s := stats(t, reader)
	if len(s.Ranks) != 3 || s.Ranks[0].State != "finalized" || s.Ranks[1].State != "ended without Finalize" || len(s.Ranks[1].Calls) != 0 {
		t.Errorf("%+v", s.Ranks)
	}
	by := map[string]Call{}
	for _, c := range s.Ranks[0].Calls {
		by[c.Call] = c
	}
	if c := by["Send"]; c.Count != 10 || c.Bytes != 1000 || c.Timed != 10 || c.Seconds < 9e-9 || c.Wait != 0 {
		t.Errorf("Send: %+v", c)
	}
	if by["Bcast"].Count != 1 || by["Bcast"].Bytes != 5 || by["Put"].Bytes != 64 {
		t.Errorf("%+v", by)
	}
	want := []Traffic{{From: 0, To: 1, Messages: 1, Bytes: 5}, {From: 0, To: 2, Messages: 10, Bytes: 1000, Accesses: 1, AccessBytes: 64}}
	if !slices.Equal(s.Traffic, want) {
		t.Errorf("traffic %+v", s.Traffic)
	}
	ranks[0].End(ranks[0].Begin(), Send, &Transfer{Flags: Sends, Peer: 2}) // after Finalize: no longer counted
	ranks[0].Add("Bcast", 1)
	ranks[0].Point(0, Send, &Transfer{Flags: Sends, Peer: 2})
	if again := stats(t, reader); !slices.Equal(again.Traffic, want) {
		t.Errorf("after Close %+v", again.Traffic)
	}
}

// While a job runs, a rank without Finalize has not ended. One that has paused has, until it resumes.
func TestStatesOfARunningJob(t *testing.T) {
	file, reader := memory(t, 5, false)
	for rank := range 4 {
		r := opened(t, file, rank, 5, func() int64 { return 1 })
		switch rank {
		case 1:
			r.Close()
			r.Pause() // too late: it changes nothing
			r.Resume()
		case 2, 3:
			if r.Pause(); rank == 3 {
				r.Resume()
			}
		}
	}
	s, err := reader.SoFar("./prog")
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range []string{"running", "finalized", "finalized", "running", "not in MPI"} {
		if got := s.Ranks[rank].State; got != want {
			t.Errorf("rank %d is %s, want %s", rank, got, want)
		}
	}
	file.Close()
	if _, err := reader.SoFar("./prog"); err == nil {
		t.Error("memory that is closed is read")
	}
}

// For calls that are not timed, the sleep is known, and the rest is estimated.
func TestTimesAreEstimated(t *testing.T) {
	reader, r, now := still(t, 1, false)
	const calls = 100000
	for i := range calls {
		m := r.Begin()
		w := r.Meter.Begin()
		*now += 30 // waits for that long
		if i == calls/2 {
			asleep := r.Meter.Sleep()
			*now += 5e9
			r.Meter.Woke(asleep)
		}
		r.Meter.End(w)
		*now += 70
		r.End(m, Recv, &Transfer{Peer: 0})
	}
	r.Close() // until then, its time ends with the last call that was timed
	c := stats(t, reader).Ranks[0].Calls[0]
	if c.Count != calls || c.Timed < calls/20 || c.Timed > calls/10 {
		t.Errorf("%d of %d calls were timed", c.Timed, c.Count)
	}
	if wait, all := 5+calls*30e-9, 5+calls*100e-9; c.Wait < wait-1e-9 || c.Wait > wait+1e-9 || c.Seconds < all-1e-9 || c.Seconds > all+1e-9 {
		t.Errorf("%v s, of which %v wait; want %v and %v", c.Seconds, c.Wait, all, wait)
	}
}

// If the calls that happen to be timed are the long ones, the estimates are limited by the rank's time; sleeps
// stay as they were measured.
func TestEstimatesAreLimited(t *testing.T) {
	reader, r, now := still(t, 1, false)
	for i := range 10000 {
		m := r.Begin()
		if m.at != untimed {
			*now += 1000
		}
		if i == 100 {
			asleep := r.Meter.Sleep()
			*now += 5000
			r.Meter.Woke(asleep)
		}
		r.End(m, []Row{Send, Recv}[i%2], &Transfer{Peer: 0})
	}
	r.Close()
	rank := stats(t, reader).Ranks[0]
	all, slept := sum(rank.Calls), rank.Calls[0].Wait+rank.Calls[1].Wait
	if all < rank.Seconds-1e-12 || all > rank.Seconds+1e-12 || slept < 5e-6-1e-12 || slept > 5e-6+1e-12 {
		t.Errorf("%v s in calls, of which %v wait; the rank took %v", all, slept, rank.Seconds)
	}
	timed := rank.Calls[0].Timed + rank.Calls[1].Timed
	if want := float64(timed)*1e-6 + 5e-6; timed > 5000 || rank.Seconds < want-1e-12 || rank.Seconds > want+1e-12 {
		t.Errorf("%d calls were timed, in %v s", timed, rank.Seconds)
	}
}

// Times that were measured are not limited: the calls of goroutines overlap.
func TestOverlappingCallsAreNotLimited(t *testing.T) {
	reader, r, now := still(t, 1, false)
	marks := []Mark{r.Begin(), r.Begin()}
	*now += 1000
	for _, m := range marks {
		r.End(m, Send, &Transfer{Peer: 0})
	}
	r.Close()
	if rank := stats(t, reader).Ranks[0]; rank.Calls[0].Seconds < 2e-6-1e-12 {
		t.Errorf("%+v", rank)
	}
}

func TestMoreCallsThanRows(t *testing.T) {
	reader, ranks := job(t, 1, false)
	for i := range 3 * mostRows {
		r := ranks[0]
		r.End(r.Begin(), r.Named(fmt.Sprintf("AVeryLongNameOfACallThatGoesOn%d", i)), &Transfer{Peer: -1})
	}
	calls := stats(t, reader).Ranks[0].Calls
	sum := uint64(0)
	for _, c := range calls {
		sum += c.Count
	}
	if sum != 3*mostRows || len(calls) != mostRows-int(named) || !slices.ContainsFunc(calls, func(c Call) bool { return c.Call == other }) {
		t.Errorf("%d calls in %d rows", sum, len(calls))
	}
}

func TestManyGoroutines(t *testing.T) {
	reader, ranks := job(t, 2, false)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				ranks[0].End(ranks[0].Begin(), Isend, &Transfer{Flags: Sends, Peer: 1, Bytes: 1})
			}
		})
	}
	all.Wait()
	if s := stats(t, reader); s.Traffic[0].Messages != 8000 || s.Ranks[0].Calls[0].Count != 8000 {
		t.Errorf("%+v", s)
	}
}

// The hot path must not allocate.
func TestWritingDoesNotAllocate(t *testing.T) {
	_, ranks := job(t, 2, true)
	r := ranks[0]
	if n := testing.AllocsPerRun(1000, func() {
		m := r.Begin()
		r.End(m, r.Named("Barrier"), &Transfer{Peer: 1})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestForeignMemoryIsRefused(t *testing.T) {
	good, err := Create(2, false)
	if err != nil {
		t.Fatal(err)
	}
	defer good.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	other, err := os.Create(t.TempDir() + "/other")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.Truncate(1 << 20)
	for what, open := range map[string]func() error{
		"/dev/null":       func() error { _, err := Open(dup(t, null), 0, 2, nil); return err },
		"zeros":           func() error { _, err := Open(dup(t, other), 0, 2, nil); return err },
		"no descriptor":   func() error { _, err := Open(1<<20, 0, 2, nil); return err },
		"negative":        func() error { _, err := Open(-1, 0, 2, nil); return err },
		"another size":    func() error { _, err := Open(dup(t, good), 0, 3, nil); return err },
		"a rank too many": func() error { _, err := Open(dup(t, good), 2, 2, nil); return err },
		"a reader":        func() error { _, err := NewReader(other); return err },
	} {
		if err := open(); err == nil || !strings.HasPrefix(err.Error(), "observe: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A rank may write anything to its region; it can be read and printed all the same.
func TestDamagedMemoryIsRead(t *testing.T) {
	reader, ranks := job(t, 2, true)
	for i := range ranks[1].mem[:ranks[1].plan.eventsAt()+pageBytes] {
		ranks[1].mem[i] = 0xff
	}
	s := stats(t, reader)
	var text bytes.Buffer
	if err := s.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(strings.ReplaceAll(text.String(), "\n", ""), func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("%q", text.String())
	}
	var page bytes.Buffer
	if err := s.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
}

// Lists that are empty are so in JSON, and not null.
func TestRanksThatDidNothing(t *testing.T) {
	_, reader := memory(t, 2, false)
	var js bytes.Buffer
	if err := stats(t, reader).WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"calls", "communicators", "traffic"} {
		if !strings.Contains(js.String(), `"`+list+`": []`) || strings.Contains(js.String(), "null") {
			t.Errorf("%s: not an empty list in\n%s", list, js.String())
		}
	}
}

func TestWaysToWrite(t *testing.T) {
	reader, ranks := job(t, 2, false)
	for i, r := range ranks {
		r.End(r.Begin(), Send, &Transfer{Flags: Sends, Peer: 1 - i, Bytes: 1000 * (i + 1)})
	}
	s := stats(t, reader)
	s.Program = "./a <b>&"
	var text, js, page bytes.Buffer
	for _, err := range []error{s.WriteText(&text), s.WriteJSON(&js), s.WriteHTML(&page)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"calls of 2 ranks", "Send      2   3000", "1 (2000)", "0 (ended without Finalize)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text.String())
		}
	}
	var back Stats
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || back.Traffic[1].Bytes != 2000 || back.Ranks[1].Calls[0].Call != "Send" {
		t.Errorf("%+v, %v", back, err)
	}
	for _, want := range []string{"<title>./a &lt;b&gt;&amp;: calls of 2 ranks</title>", `style="--heat: 60`, `data-key="3000"`} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("%q is missing in the page", want)
		}
	}
	if strings.Contains(page.String(), "<b>") || strings.Contains(page.String(), "ZgotmplZ") {
		t.Error("the page takes the program's name for markup")
	}
}

// Large jobs are shown as lists.
func TestManyRanks(t *testing.T) {
	s := &Stats{Program: "p"}
	for i := range 100 {
		s.Ranks = append(s.Ranks, RankStats{Rank: i, Calls: []Call{{Call: "Send", Count: 1, Timed: 1, Seconds: float64(i)}}})
		s.Traffic = append(s.Traffic, Traffic{From: i, To: 99 - i, Messages: 1, Bytes: uint64(i)})
	}
	var text, page bytes.Buffer
	if err := s.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if out := text.String(); !strings.Contains(out, "100 pairs, most bytes first\n  99 -> 0: 1 (99)\n") || strings.Count(out, "\n") > 30 || !strings.Contains(out, "99  99.000000") {
		t.Error(out)
	}
	if s.Matrix() != nil || strings.Count(page.String(), "<tr>") < 200 {
		t.Error("the page does not list the pairs")
	}
}
