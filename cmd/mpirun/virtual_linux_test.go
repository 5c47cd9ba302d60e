package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"rhinet/internal/launch"
	"rhinet/mpi"
)

// counter shows that each rank has package variables of its own.
var counter int

// liveVirtually is what a rank does in virtual time.
func liveVirtually(world *mpi.Comm, what string) error {
	rank, size := world.Rank(), world.Size()
	one := []int{rank}
	switch what, detail, _ := strings.Cut(what, " "); what {
	case "pingpong":
		return virtualPingpong(world, detail)
	case "mix":
		return virtualMix(world)
	case "compute":
		err := mpi.Compute(world, detail, 1e6)
		for range 10_000_000 { // milliseconds, on any machine
			counter ^= counter<<1 + 1
		}
		fmt.Printf("rank %d at %.9f\n", rank, mpi.Wtime())
		return err
	case "calls":
		if world.Rank() == 0 {
			_, _, err := mpi.WaitSome(mpi.Irecv(world, []int{0}, 1, 1), mpi.Irecv(world, []int{0}, 1, 2))
			return err
		}
		_, _, err := mpi.Mprobe(world, 0, 3)
		return err
	case "cycle":
		_, err := mpi.Recv(world, one, (rank+1)%size, 7)
		return err
	case "leave":
		if rank == 1 {
			for range size - 1 { // the others have left Init, and are about to wait
				if _, err := mpi.Recv(world, one, mpi.AnySource, 7); err != nil {
					return err
				}
			}
			time.Sleep(100 * time.Millisecond)
			os.Exit(0)
		}
		err := mpi.Send(world, one, 1, 7)
		if err == nil {
			_, err = mpi.Recv(world, one, 1, 7)
		}
		return err
	case "kill":
		if rank == 1 {
			os.Exit(3)
		}
		return mpi.Barrier(world)
	case "abort":
		if rank == 1 {
			mpi.Abort(world, 9)
		}
		return mpi.Barrier(world)
	case "windows":
		return virtualWindows(world)
	case "outstanding":
		return virtualOutstanding(world)
	case "goroutine":
		return virtualGoroutines(world)
	case "across":
		return virtualAcross(world)
	case "late":
		return virtualLate(world)
	case "deadline":
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if _, err := mpi.Recv(world.WithContext(ctx), one, (rank+1)%size, 7); !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("a wait with a deadline: %v", err)
		}
		return nil
	}
	return fmt.Errorf("no part %q", what)
}

// virtualPingpong prints the one-way time of messages of the given number of bytes.
func virtualPingpong(world *mpi.Comm, bytes string) error {
	var n int
	fmt.Sscan(bytes, &n)
	b := make([]byte, n)
	const rounds = 4
	for range 2 {
		start := mpi.Wtime()
		for range rounds {
			var err error
			if world.Rank() == 0 {
				if err = mpi.Send(world, b, 1, 0); err == nil {
					_, err = mpi.Recv(world, b, 1, 0)
				}
			} else if _, err = mpi.Recv(world, b, 0, 0); err == nil {
				err = mpi.Send(world, b, 0, 0)
			}
			if err != nil {
				return err
			}
		}
		if world.Rank() == 0 {
			fmt.Printf("%.3f\n", (mpi.Wtime()-start)/2/rounds*1e9)
		}
	}
	return nil
}

// virtualMix makes calls that programs make, in an irregular pattern, and prints its clock after each.
func virtualMix(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	say := func(what string) {
		counter++
		fmt.Printf("%d %d %s %.12f\n", rank, counter, what, mpi.Wtime())
	}
	sum, long := []int{rank}, make([]float64, 5000)
	for i := range 4 {
		if err := mpi.Compute(world, "ep", float64(1000*((rank*7+i*3)%5))); err != nil {
			return err
		}
		if err := mpi.Allreduce(world, sum, sum, mpi.Sum); err != nil {
			return err
		}
		say("Allreduce")
		var requests []*mpi.Request
		for peer := range size {
			if peer != rank {
				requests = append(requests, mpi.Irecv(world, make([]int, 3), mpi.AnySource, i), mpi.Isend(world, []int{rank, i, peer}, peer, i))
			}
		}
		for done := false; !done; { // a loop that does nothing but let time pass
			done = true
			for _, r := range requests {
				if _, ok, err := r.Test(); err != nil {
					return err
				} else if !ok {
					done = false
				}
			}
		}
		say("Test")
		for range 100 { // more than a window
			if err := mpi.Send(world, sum, (rank+1)%size, 99); err != nil {
				return err
			}
		}
		for range 100 {
			if _, err := mpi.Recv(world, []int{0}, mpi.AnySource, 99); err != nil {
				return err
			}
		}
		say("stream")
		if err := mpi.Bcast(world, long, i%size); err != nil {
			return err
		}
		say("Bcast")
	}
	return nil
}

// virtualWindows lets every rank read and change memory of the others while it waits in each of the calls
// that wait, and prints its clock.
func virtualWindows(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	next, last := (rank+1)%size, (rank+size-1)%size
	w, err := mpi.WinAllocate[int](world, 4000)
	if err != nil {
		return err
	}
	if err := w.LockAll(); err != nil {
		return err
	}
	long, back := make([]int, 4000), make([]int, 4000)
	for i := range long {
		long[i] = rank
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range 5 {
		in, out := []int{0}, []int{i}
		var received, sent *mpi.Request
		steps := []func() error{
			func() error { return w.Put(long, next, 0) },
			func() error { return w.Get(back, last, 0) },
			func() error { _, err := w.FetchAndOp(1, 0, i, mpi.Sum); return err },
			func() error {
				received, sent = mpi.Irecv(world, in, last, i), mpi.Isend(world, out, next, i)
				return nil
			},
			func() (err error) {
				for done := false; !done && err == nil; {
					_, done, err = received.Test()
				}
				return err
			},
			func() error { return mpi.WaitAll(sent) },
			func() error { return mpi.Send(world, long, next, 9) },
			func() error { _, err := mpi.Probe(world, last, 9); return err },
			func() error { _, err := mpi.Recv(world.WithContext(ctx), back, last, 9); return err },
			func() error { return mpi.Barrier(world) },
		}
		order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		if rank == 0 { // one rank has to receive first
			order = []int{0, 1, 2, 3, 4, 5, 7, 8, 6, 9}
		}
		for _, k := range order {
			if err := steps[k](); err != nil {
				return err
			}
			fmt.Printf("%d %d %d %.12f\n", rank, i, k, mpi.Wtime())
		}
		if in[0] != i {
			return fmt.Errorf("%d came, not %d", in[0], i)
		}
	}
	if err := w.Put([]int{-7}, next, 3999); err != nil {
		return err
	}
	for w.Local()[3999] != -7 { // rank last puts it there
		if err := w.Sync(); err != nil {
			return err
		}
	}
	polls := 0
	for _, poll := range []func() (int, error){
		func() (int, error) { return w.FetchAndOp(0, rank, 3998, mpi.NoOp) },
		func() (int, error) {
			v := []int{0}
			err := w.Get(v, rank, 3998)
			return v[0], err
		},
	} {
		err := w.Accumulate([]int{1}, next, 3998, mpi.Sum)
		for seen := 0; err == nil && seen <= polls; {
			seen, err = poll()
		}
		if err != nil {
			return err
		}
		polls++
	}
	if err := w.UnlockAll(); err != nil {
		return err
	}
	return w.Free()
}

// TestWindowsInVirtualTime: windows are served during calls of any kind, and times are the same in each
// run.
func TestWindowsInVirtualTime(t *testing.T) {
	first := ""
	for i, processors := range []string{"1", "2", "2"} {
		status, out, errs := virtually(t, "windows", "-n", "3", "--time", "loggp:g=100,S=1000", "-x", "GOMAXPROCS="+processors)
		if status != 0 {
			t.Fatalf("status %d, %s%s", status, out, errs)
		}
		all := strings.Join(sorted(strings.Split(out, "\n")), "\n") + errs
		if i == 0 {
			first = all
		} else if all != first {
			t.Fatalf("two runs differ:\n%s\n%s", first, all)
		}
	}
}

// virtualGoroutines makes calls from several goroutines of each rank at once.
func virtualGoroutines(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	errs := make(chan error, 4)
	var wg sync.WaitGroup
	for g := range cap(errs) {
		wg.Go(func() {
			for i := range 20 {
				in := []int{0}
				_, err := mpi.Sendrecv(world, []int{i}, (rank+1)%size, g, in, (rank+size-1)%size, g)
				if err == nil && in[0] != i {
					err = fmt.Errorf("goroutine %d got %d instead of %d", g, in[0], i)
				}
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

// virtually runs ranks of this test program in virtual time.
func virtually(t *testing.T, part string, args ...string) (status int, out, errs string) {
	t.Helper()
	all := append([]string{"--timeout", "1m", "-x", playRank + "=virtual " + part}, args...)
	return mpirun(t, append(all, os.Args[0])...)
}

// TestLatencyOfTheModel: the time of a ping-pong is that of LogGP, to the last digit, in each protocol.
func TestLatencyOfTheModel(t *testing.T) {
	const model = "loggp:L=1us,o=200,g=0,G=0.5,O=0.1,S=1000"
	for bytes, want := range map[string]string{
		"0":    "1400.000",                 // o + L + o
		"1000": "2100.000",                 // o + 1000 O + 1000 G + L + o + 1000 O
		"1001": fmt.Sprint(1400*2, ".000"), // see below
	} {
		status, out, errs := virtually(t, "pingpong "+bytes, "-n", "2", "-q", "--time", model)
		lines := strings.Fields(out)
		if status != 0 || len(lines) != 2 || lines[0] != lines[1] {
			t.Errorf("%s bytes: status %d, %q, %s", bytes, status, out, errs)
			continue
		}
		if bytes == "1001" { // a rendezvous: an offer, a request, its answer with the bytes, and a report for which no rank waits
			var ns float64
			fmt.Sscan(lines[1], &ns)
			if least := 1400 + 200 + 2000 + 500.5; math.Abs(ns-least) > 1500 || ns < least {
				t.Errorf("%s bytes: %s ns; at least %.1f, and little more", bytes, lines[1], least)
			}
			continue
		}
		if lines[1] != want {
			t.Errorf("%s bytes: %s ns, want %s", bytes, lines[1], want)
		}
	}
}

// TestTimeIsTheSameEverywhere: two runs, on any number of processors, print the same.
func TestTimeIsTheSameEverywhere(t *testing.T) {
	for _, model := range []string{"loggp:g=100,G=2", "fattree:k=2,rate=1", "martini", "martini:pm", "martini:vp", "martini:vpush", "cenju4", "dimmnet2", "sync"} {
		first := ""
		for i, processors := range []string{"1", "2", "2", "1"} {
			file := filepath.Join(t.TempDir(), "report")
			status, out, errs := virtually(t, "mix", "-n", "5", "--time", model, "--compute", "counted", "--time-report", file, "-x", "GOMAXPROCS="+processors)
			report, err := os.ReadFile(file)
			if status != 0 || err != nil {
				t.Fatalf("%s: status %d, %v, %s", model, status, err, errs)
			}
			lines := strings.Split(out, "\n")
			all := strings.Join(sorted(lines), "\n") + errs + string(report)
			if i == 0 {
				first = all
			} else if all != first {
				t.Fatalf("%s: two runs differ:\n%s\n%s", model, first, all)
			}
		}
	}
}

func TestComputingCosts(t *testing.T) {
	for compute, check := range map[string]func(seconds float64) bool{
		"none":         func(s float64) bool { return s < 1e-6 },
		"counted:xeon": func(s float64) bool { return math.Abs(s-1e6/1.404e9) < 1e-6 },
		"measured":     func(s float64) bool { return s > 1e-6 },
	} {
		status, out, errs := virtually(t, "compute ep", "-q", "--time", "loggp", "--compute", compute)
		var seconds float64
		if _, err := fmt.Sscanf(out, "rank 0 at %f", &seconds); err != nil || status != 0 || !check(seconds) {
			t.Errorf("%s: status %d, %q, %s", compute, status, out, errs)
		}
	}
	if status, _, errs := virtually(t, "compute knitting", "-q", "--time", "loggp", "--compute", "counted"); status != 1 ||
		!strings.Contains(errs, `no rate for operations of the kind "knitting"`) {
		t.Errorf("an unknown kind: status %d, %s", status, errs)
	}
}

// TestVirtualEnds: jobs in virtual time end as others do, and a hang is detected at once.
func TestVirtualEnds(t *testing.T) {
	for part, want := range map[string]struct {
		status int
		text   string
	}{
		"cycle":     {launch.StatusFailed, "deadlock: 0 -> 1 -> 2 -> 0: each of these ranks waits for the next"},
		"leave":     {launch.StatusFailed, "exited with status 0 without Finalize while others wait"},
		"kill":      {3, "exited with status 3"},
		"abort":     {9, "called Abort and exited with status 9"},
		"windows":   {0, ""},
		"goroutine": {0, ""},
		"deadline":  {0, ""},
		"across":    {0, ""},
	} {
		start := time.Now()
		status, _, errs := virtually(t, part, "-q", "-n", "3", "--time", "loggp")
		if status != want.status || !strings.Contains(errs, want.text) {
			t.Errorf("%s: status %d, want %d; %q", part, status, want.status, errs)
		}
		if d := time.Since(start); d > 50*time.Second {
			t.Errorf("%s: took %v", part, d)
		}
	}
	if _, _, errs := virtually(t, "cycle", "-n", "2", "--time", "loggp"); !strings.Contains(errs, "the job hangs: every rank waits, and nothing is under way") {
		t.Error(errs)
	}
}

// Waits of the forms of WaitAny and Probe have the name of the call.
func TestVirtualWaitsHaveTheNameOfTheCall(t *testing.T) {
	_, _, errs := virtually(t, "calls", "-n", "2", "--time", "loggp")
	for _, row := range []string{`\n0 +WaitSome \(peer 1 tag 1, peer 1 tag 2\) +1 +- `, `\n1 +Mprobe +0 +3 `} {
		if !regexp.MustCompile(row).MatchString(errs) {
			t.Errorf("%q is missing in\n%s", row, errs)
		}
	}
}

// TestVirtualReport: the report is complete, and a file that cannot be written is
// a failure.
func TestVirtualReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report")
	status, _, errs := virtually(t, "pingpong 8", "-n", "2", "--time", "loggp:o=100", "--time-report", file)
	for _, want := range []string{"s of virtual time on loggp:L=1000,", "compute none", "rank  ", "mean  ", "links: 4, in use "} {
		if status != 0 || !strings.Contains(errs, want) {
			t.Errorf("status %d, no %q in %s", status, want, errs)
		}
	}
	var report struct {
		Model   string
		Seconds float64
		Total   struct{ Packets, Bytes uint64 }
		Ranks   []struct {
			Seconds float64
			Compute float64 `json:"compute_s"`
			Call    float64 `json:"calls_s"`
			Wait    float64 `json:"waits_s"`
			Sent    struct{ Bytes uint64 }
		}
		Links []struct{ Utilisation float64 }
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	if err != nil || report.Seconds <= 0 || len(report.Ranks) != 2 || len(report.Links) != 4 || report.Total.Packets == 0 {
		t.Fatalf("%v: %s", err, text)
	}
	var sent uint64
	for _, r := range report.Ranks {
		sent += r.Sent.Bytes
		if sum := r.Compute + r.Call + r.Wait; math.Abs(sum-r.Seconds) > 1e-12 || r.Seconds > report.Seconds {
			t.Errorf("%+v: its parts are %v", r, sum)
		}
	}
	if sent != report.Total.Bytes {
		t.Errorf("ranks sent %d bytes of %d", sent, report.Total.Bytes)
	}
	if status, _, errs := virtually(t, "pingpong 8", "-q", "-n", "2", "--time", "loggp", "--time-report", "/dev/full"); status != launch.StatusFailed ||
		errs != "mpirun: cannot write the report: write /dev/full: no space left on device\n" {
		t.Errorf("status %d, %s", status, errs)
	}
}
