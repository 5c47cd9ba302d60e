package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/launch"
	"rhinet/internal/observe"
	"rhinet/mpi"
)

// liveObserved is what a rank does that is observed.
func liveObserved(world *mpi.Comm, what string) error {
	me, n := world.Rank(), world.Size()
	if dir, found := strings.CutPrefix(what, "gone "); found {
		return os.Remove(dir)
	}
	if err := exchanges(world, (me+1)%n, (me+n-1)%n); err != nil {
		return err
	}
	switch what {
	case "dies":
		if err := mpi.Barrier(world); err != nil {
			return err
		}
		if me == 1 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return mpi.Barrier(world)
	case "counts":
		return counts(world, (me+1)%n, (me+n-1)%n)
	case "names":
		return names(world)
	case "waits":
		_, err := mpi.Recv(world, []int{0}, (me+1)%n, 9) // a message that is never sent
		return err
	case "barrier":
		if isRoot(world) {
			return mpi.Barrier(world)
		}
		_, err := mpi.Recv(world, []int{0}, 0, 9) // a message that is never sent
		return err
	case "profile":
		keep = make([]byte, 16<<20) // so that there is something to sample
		return nil
	case "accesses":
		return accesses(world, (me+1)%n)
	case "late fence":
		return lateFence(world)
	case "completions":
		return completions(world, (me+1)%n, (me+n-1)%n)
	}
	return nil
}

// keep is memory that stays in use.
var keep []byte

// exchanges makes a known number of calls.
func exchanges(world *mpi.Comm, right, left int) error {
	out, in := make([]byte, 100), make([]byte, 100)
	for range 300 {
		r := mpi.Irecv(world, in, left, 1)
		if err := mpi.Send(world, out, right, 1); err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	for range 50 {
		if _, err := mpi.Sendrecv(world, out[:8], right, 2, in, left, 2); err != nil {
			return err
		}
	}
	reqs := []*mpi.Request{mpi.Irecv(world, in, left, 3), mpi.Isend(world, out[:10], right, 3)}
	if err := mpi.WaitAll(reqs...); err != nil {
		return err
	}
	sum := []int{0}
	for range 7 {
		if err := mpi.Allreduce(world, []int{1}, sum, mpi.Sum); err != nil {
			return err
		}
	}
	_, err := mpi.Iallreduce(world, []int{1}, sum, mpi.Sum).Wait()
	return err
}

// accesses accesses the window of another rank.
func accesses(world *mpi.Comm, right int) error {
	w, err := mpi.WinAllocate[int](world, 4)
	if err != nil {
		return err
	}
	if err := w.LockAll(); err != nil {
		return err
	}
	for i := range 5 {
		if err := w.Put([]int{1, 2}, right, i%3); err != nil {
			return err
		}
	}
	if _, err := w.FetchAndOp(1, right, 3, mpi.Sum); err != nil {
		return err
	}
	if err := w.UnlockAll(); err != nil {
		return err
	}
	return w.Free()
}

// lateFence has rank 0 wait for the others in its second Fence.
func lateFence(world *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](world, 4)
	if err != nil {
		return err
	}
	if err := errors.Join(w.Fence(), w.Put([]int{world.Rank()}, (world.Rank()+1)%world.Size(), 0)); err != nil {
		return err
	}
	if world.Rank() == 0 {
		err = errors.Join(mpi.Send(world, []int{0}, 1, 0), mpi.Send(world, []int{0}, 2, 0))
	} else {
		_, err = mpi.Recv(world, []int{0}, 0, 0)
		time.Sleep(200 * time.Millisecond)
	}
	return errors.Join(err, w.Fence(), w.Free())
}

// The time of a Fence includes, in a checked job, that in which ranks exchange their accesses: most of the wait
// for ranks that are late.
func TestStatsOfAFenceIncludeItsComparison(t *testing.T) {
	for _, options := range [][]string{nil, {"--check"}} {
		s := observed(t, 0, "late fence", options...)
		if f := callOf(s, 0, "Fence"); f.Count != 2 || f.Seconds < 0.05 {
			t.Errorf("%v: %+v, want 2 calls, and at least 0.05 s", options, f)
		}
		for _, part := range []string{"Alltoall", "Alltoallv", "Barrier"} {
			if c := callOf(s, 0, part); c.Count != 0 {
				t.Errorf("%v: %+v, a part of Fence", options, c)
			}
		}
	}
}

// observed runs a job of 3 ranks and returns its statistics.
func observed(t *testing.T, wantStatus int, what string, more ...string) *observe.Stats {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stats.json")
	args := append([]string{"-n", "3", "--stats=" + file, "-x", playRank + "=observed " + what}, more...)
	if status, _, err := mpirun(t, append(args, os.Args[0])...); status != wantStatus {
		t.Fatalf("status %d, %s", status, err)
	}
	return readStats(t, file)
}

func readStats(t *testing.T, file string) *observe.Stats {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s observe.Stats
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// callOf returns what a rank's calls of one kind cost.
func callOf(s *observe.Stats, rank int, call string) observe.Call {
	for _, c := range s.Ranks[rank].Calls {
		if c.Call == call {
			return c
		}
	}
	return observe.Call{}
}

// Checked calls are counted like others, each once.
func TestStatsCountCheckedCallsOnce(t *testing.T) {
	plain, checked := observed(t, 0, ""), observed(t, 0, "", "--check")
	for rank := range 3 {
		for _, call := range []string{"Send", "Irecv", "Wait", "Sendrecv", "Isend", "WaitAll", "Allreduce"} {
			want, got := callOf(plain, rank, call), callOf(checked, rank, call)
			if want.Count == 0 || got.Count != want.Count || got.Bytes != want.Bytes {
				t.Errorf("rank %d, %s: %+v, want %+v", rank, call, got, want)
			}
		}
	}
}

// Calls, bytes and pairs are counted exactly.
func TestStatsCountCalls(t *testing.T) {
	s := observed(t, 0, "")
	for rank := range 3 {
		for call, want := range map[string][2]uint64{
			"Send": {300, 30000}, "Irecv": {301, 0}, "Wait": {301, 30000}, "Sendrecv": {50, 800}, "Isend": {1, 10}, "WaitAll": {1, 10},
			"Allreduce": {7, 56}, "Iallreduce": {1, 0}, "Finalize": {1, 0},
		} {
			c := callOf(s, rank, call)
			if call == "Iallreduce" { // its data moves later
				c.Bytes = 0
			}
			if c.Count != want[0] || c.Bytes != want[1] {
				t.Errorf("rank %d, %s: %+v, want %v", rank, call, c, want)
			}
			if c.Wait < 0 || c.Wait > c.Seconds {
				t.Errorf("rank %d, %s: waits %v of %v s", rank, call, c.Wait, c.Seconds)
			}
		}
		if r := s.Ranks[rank]; r.State != "finalized" || r.Seconds <= 0 {
			t.Errorf("%+v", r)
		}
	}
	for rank := range 3 {
		to := observe.Traffic{From: rank, To: (rank + 1) % 3}
		i := slices.IndexFunc(s.Traffic, func(x observe.Traffic) bool { return x.From == to.From && x.To == to.To })
		if i < 0 || s.Traffic[i].Messages < 351 || s.Traffic[i].Bytes < 30410 {
			t.Errorf("%d to %d: %+v", to.From, to.To, s.Traffic)
		}
	}
}

func TestStatsOfWindows(t *testing.T) {
	s := observed(t, 0, "accesses")
	for rank := range 3 {
		if put, op := callOf(s, rank, "Put"), callOf(s, rank, "FetchAndOp"); put.Count != 5 || put.Bytes != 80 || op.Count != 1 || op.Bytes != 8 {
			t.Errorf("rank %d: %+v, %+v", rank, put, op)
		}
		// The collective calls that make and free the window are no calls of the program.
		for call, n := range map[string]uint64{"WinAllocate": 1, "WinFree": 1, "Allgather": 0, "Bcast": 0, "Barrier": 0, "Allreduce": 7} {
			if c := callOf(s, rank, call); uint64(c.Count) != n {
				t.Errorf("rank %d: %d calls of %s, want %d", rank, c.Count, call, n)
			}
		}
	}
	if i := slices.IndexFunc(s.Traffic, func(x observe.Traffic) bool { return x.Accesses == 6 && x.AccessBytes == 88 }); i < 0 {
		t.Errorf("%+v", s.Traffic)
	}
}

// The statistics of the ranks up to a failure are written, and the status is that of the job.
func TestStatsOfAJobThatFails(t *testing.T) {
	s := observed(t, 128+9, "dies")
	for rank := range 3 {
		if c := callOf(s, rank, "Send"); c.Count != 300 {
			t.Errorf("rank %d: %+v", rank, c)
		}
		if state := s.Ranks[rank].State; state != "ended without Finalize" {
			t.Errorf("rank %d %s", rank, state)
		}
	}
}

// In virtual time the times are those of the model.
func TestStatsInVirtualTime(t *testing.T) {
	s := observed(t, 0, "", "--time", "loggp:L=1ms")
	c := callOf(s, 0, "Wait")
	if c.Timed != c.Count || c.Seconds < 0.1 || c.Wait < 0.9*c.Seconds {
		t.Errorf("%+v", c)
	}
	file := filepath.Join(t.TempDir(), "stats.json")
	status, _, errs := virtually(t, "pingpong 8", "-q", "-n", "2", "--time", "loggp", "--stats="+file)
	if status != 0 {
		t.Fatal(errs)
	}
	s = readStats(t, file)
	for rank := range 2 { // 0 is a valid beginning, too
		for _, call := range []string{"Send", "Recv"} {
			if c := callOf(s, rank, call); c.Count != 8 || c.Timed != 8 {
				t.Errorf("rank %d: %+v", rank, c)
			}
		}
	}
}

func TestStatsAreText(t *testing.T) {
	for _, args := range [][]string{{"--stats"}, {"-stats"}, {"--stats=-"}} {
		status, _, err := mpirun(t, append(append([]string{"-n", "3"}, args...), "-x", playRank+"=observed ", os.Args[0])...)
		if status != 0 || !strings.Contains(err, "calls of 3 ranks") || !strings.Contains(err, "Allreduce     21") {
			t.Errorf("%q: status %d, %s", args, status, err)
		}
	}
	status, _, err := mpirun(t, "--stats", "true")
	if status != 0 || !strings.Contains(err, "0 (not in MPI)") {
		t.Errorf("status %d, %s", status, err)
	}
}

func TestWrongStats(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "a.html"), 0o755)
	for file, want := range map[string]string{
		"x.csv":                         "name a file that ends in .txt, .json or .html, which says how it is written",
		"":                              "name a file that ends in .txt, .json or .html, which says how it is written",
		"x":                             "name a file that ends in .txt, .json or .html, which says how it is written",
		filepath.Join(dir, "no/x.html"): "there is no directory " + filepath.Join(dir, "no") + " to write to",
		filepath.Join(dir, "a.html"):    "it is a directory; name a file",
	} {
		status, out, err := mpirun(t, "--stats="+file, "true")
		if want := fmt.Sprintf("mpirun: --stats %s: %s\n", file, want); status != launch.StatusUsage || out != "" || err != want {
			t.Errorf("status %d, %q, want %q", status, err, want)
		}
	}
	gone := filepath.Join(dir, "gone")
	os.Mkdir(gone, 0o755)
	file := filepath.Join(gone, "x.json")
	status, _, err := mpirun(t, "--stats="+file, "rmdir", gone)
	if want := "mpirun: cannot write what the ranks did: open " + file + ": no such file or directory\n"; status != launch.StatusFailed || err != want {
		t.Errorf("status %d, %q", status, err)
	}
}

// A trace has a slice for each call, and an arrow for each message that arrived.
func TestTraceOfAJob(t *testing.T) {
	for what, status := range map[string]int{"": 0, "dies": 128 + 9} {
		file := filepath.Join(t.TempDir(), "trace.json")
		got, _, text := mpirun(t, "-n", "3", "--trace", file, "-x", playRank+"=observed "+what, os.Args[0])
		if got != status {
			t.Fatalf("status %d, %s", got, text)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var trace struct {
			TraceEvents []struct {
				Ph, Name string
				ID       int
				Ts, Dur  float64
			}
		}
		if err := json.Unmarshal(b, &trace); err != nil {
			t.Fatal(err)
		}
		slices, begins, ends := map[string]int{}, map[int]float64{}, map[int]float64{}
		for _, e := range trace.TraceEvents {
			switch e.Ph {
			case "X":
				slices[e.Name]++
			case "s":
				begins[e.ID] = e.Ts
			case "f":
				ends[e.ID] = e.Ts
			}
		}
		if slices["Send"] != 900 || slices["Sendrecv"] != 150 || slices["Allreduce"] != 21 {
			t.Errorf("%q: slices %v", what, slices)
		}
		if len(begins) < 1053 || len(begins) != len(ends) {
			t.Errorf("%q: %d arrows begin, %d end", what, len(begins), len(ends))
		}
		for id, from := range begins {
			if to, there := ends[id]; !there || to < from {
				t.Errorf("%q: arrow %d from %v to %v", what, id, from, to)
			}
		}
	}
}

func TestWrongTrace(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string]string{
		"":                              "the file's name is empty",
		dir:                             "it is a directory; name a file",
		filepath.Join(dir, "no/x.json"): "there is no directory " + filepath.Join(dir, "no") + " to write to",
	} {
		status, out, err := mpirun(t, "--trace", file, "true")
		if want := fmt.Sprintf("mpirun: --trace %s: %s\n", file, want); status != launch.StatusUsage || out != "" || err != want {
			t.Errorf("status %d, %q, want %q", status, err, want)
		}
	}
}

// A job whose ranks wait for each other is ended, with the table of a hang.
func TestStall(t *testing.T) {
	status, _, err := mpirun(t, "-n", "2", "--stall", "300ms", "-x", playRank+"=observed waits", os.Args[0])
	for _, want := range []string{"mpirun: the job was ended because no rank has made progress for 300ms; what the ranks waited for:\n", "0     Recv  1     9    8", "deadlock: 0 -> 1 -> 0"} {
		if status != launch.StatusTimeout || !strings.Contains(err, want) {
			t.Errorf("status %d, %q is missing in\n%s", status, want, err)
		}
	}
	if status, _, err := mpirun(t, "-n", "2", "--stall", "10m", "-x", playRank+"=observed ", os.Args[0]); status != 0 || err != "" {
		t.Errorf("status %d, %s", status, err)
	}
	if status, _, err := mpirun(t, "--stall", "10ms", "sleep", "0.2"); status != 0 || err != "" {
		t.Errorf("no MPI: status %d, %s", status, err)
	}
}
