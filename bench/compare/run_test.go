package compare

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rhinet/bench/peer"
)

// shell is a runtime whose command is a shell script.
func shell(name, script string) Runtime {
	return Runtime{
		Name: name,
		command: func(job []Cell, _ time.Duration) []string {
			args := []string{"sh", "-c", script, name}
			for _, c := range job {
				args = append(args, c.Test, join(c.Bytes))
			}
			return args
		},
		read: rows(peer.Parse),
		slow: slow,
	}
}

func options(rounds int) Options {
	return Options{Cells: []Cell{{"barrier", 2, []int{0}}}, Rounds: rounds, Budget: time.Millisecond, Limit: 5 * time.Second, Progress: func(int, int, string) {}}
}

func TestOrderRotates(t *testing.T) {
	opts := options(3)
	var order []string
	opts.Progress = func(_, _ int, what string) { order = append(order, strings.Fields(what)[2]) }
	row := "echo row barrier 2 0 1 1.5"
	if _, err := Run(t.Context(), []Runtime{shell("A", row), shell("B", row), shell("C", row)}, opts); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(order), "[A, B, C, B, C, A, C, A, B,]"; got != want {
		t.Errorf("order is %s, want %s", got, want)
	}
}

func TestHangingPeerIsBoundedAndNoted(t *testing.T) {
	opts := options(4)
	opts.Limit = 300 * time.Millisecond
	start := time.Now()
	res, err := Run(t.Context(), []Runtime{shell("ours", "echo row barrier 2 0 1 1.5"), shell("stuck", "sleep 60 & sleep 60")}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Notes) != failuresAllowed || !strings.Contains(res.Notes[0], "stuck: barrier on 2 ranks did not end within 300ms") {
		t.Errorf("notes are %q", res.Notes)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestOurFailureEndsTheComparison(t *testing.T) {
	for script, want := range map[string]string{
		"echo broken >&2; exit 7":      "broken",
		"echo row barrier 2 0 one 1.5": "one",
		"echo nothing":                 "gave 0 rows for 1 sizes",
	} {
		_, err := Run(t.Context(), []Runtime{shell("ours", script)}, options(1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q in it", script, err, want)
		}
	}
}

func TestHelloCountsRanks(t *testing.T) {
	opts := options(1)
	opts.Cells = []Cell{{Hello, 2, []int{0}}}
	res, err := Run(t.Context(), []Runtime{shell("ours", "echo hello 0 900; echo hello 1 1000")}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if s := res.Samples[1]; s.Test != Memory || s.Value != 1000 {
		t.Errorf("memory sample is %+v", s)
	}
	if _, err := Run(t.Context(), []Runtime{shell("ours", "echo hello 0 900")}, opts); err == nil || !strings.Contains(err.Error(), "printed 1 lines") {
		t.Errorf("a missing rank gives %v", err)
	}
}

func TestMissingPeerSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Peers(t.Context(), []string{"openmpi"}, t.TempDir())
	if !errors.Is(err, ErrNoPeers) || !strings.Contains(err.Error(), "apt-get install openmpi-bin libopenmpi-dev") {
		t.Errorf("error is %v", err)
	}
}

// Keys are different for different figures, even if their names are the same when joined.
func TestKeysDoNotMeet(t *testing.T) {
	r := &run{res: &Result{Samples: []Sample{{Round: 1, Runtime: "a", Test: "bc", Ranks: 1, Bytes: 8}},
		Failures: []Failure{{1, "a", "bc", 2}, {1, "a", "bc", 2}}}}
	r.index()
	for _, c := range []struct {
		round         int
		runtime, test string
		ranks, bytes  int
		missing       bool
	}{
		{1, "a", "bc", 1, 8, false}, {1, "ab", "c", 1, 8, true}, {11, "a", "bc", 1, 8, true}, {1, "a", "bc1", 1, 8, true},
		{2, "a", "bc", 2, 8, false}, {2, "ab", "c", 2, 8, true},
	} {
		if got := r.missing(c.round, c.runtime, []Cell{{c.test, c.ranks, []int{c.bytes}}}); (len(got) == 1) != c.missing {
			t.Errorf("%+v: missing are %v", c, got)
		}
	}
}

func TestOneRoundIsNotMany(t *testing.T) {
	if got := (&Result{Rounds: 1, Runtimes: []string{"a"}}).Legend(); !strings.HasPrefix(got, "1 round in rotated order, ") {
		t.Errorf("legend %q", got)
	}
}

// A comparison of kernels explains what the rates count.
func TestRemarksOnRates(t *testing.T) {
	res := &Result{Rounds: 1, Runtimes: []string{"a"}, Samples: []Sample{{Round: 0, Runtime: "a", Test: "LU.S", Ranks: 1, Value: 5, Unit: mops}}}
	if got := strings.Join(res.Remarks(), "\n"); !strings.Contains(got, "of these our loops execute: LU 47 %") {
		t.Errorf("remarks %q", got)
	}
	res.Samples[0].Test, res.Samples[0].Unit = "pingpong", ""
	if got := strings.Join(res.Remarks(), "\n"); strings.Contains(got, "Mop/s") {
		t.Errorf("remarks %q", got)
	}
}
