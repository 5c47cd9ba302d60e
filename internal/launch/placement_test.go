package launch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rhinet/internal/integer"
)

func TestPlacement(t *testing.T) {
	for _, c := range []struct {
		ranks, limit int
		cores        []int
		bind         Bind
		want         string
	}{
		{2, 2, []int{0, 1}, BindAuto, "0|1"},
		{1, 4, []int{0, 1, 2, 3}, BindAuto, "0-3"},
		{2, 8, []int{0, 4, 1, 5, 2, 6, 3, 7}, BindAuto, "0,4,1,5|2,6,3,7"},
		{3, 4, []int{0, 1, 2, 3}, BindAuto, "0|1|2"},
		{5, 8, []int{0, 1, 2, 3, 4, 5, 6, 7}, BindAuto, "0|1|3|4|6"},
		{3, 2, []int{0, 1}, BindAuto, "||"},
		{3, 2, []int{0, 1}, BindCore, "0|0|1"},
		{2, 2, []int{0, 1, 2, 3}, BindAuto, "|"}, // a quota: several jobs may share these cores
		{2, 2, []int{0, 1, 2, 3}, BindCore, "0-1|2-3"},
		{2, 2, []int{0, 1}, BindNone, "|"},
		{2, 2, nil, BindCore, "|"},
	} {
		var got []string
		for _, s := range place([]Part{{Ranks: c.ranks}}, c.cores, c.limit, c.bind) {
			got = append(got, integer.Ranges(s.Cores))
		}
		if text := strings.Join(got, "|"); text != c.want {
			t.Errorf("%d ranks on %v, at most %d, %d: %s, want %s", c.ranks, c.cores, c.limit, c.bind, text, c.want)
		}
	}
}

func TestPartsGetTheirRanksInOrder(t *testing.T) {
	var got []int
	for _, s := range place([]Part{{Ranks: 2}, {Ranks: 1}, {Ranks: 3}}, nil, 2, BindAuto) {
		got = append(got, s.Part)
	}
	if !slices.Equal(got, []int{0, 0, 1, 2, 2, 2}) {
		t.Errorf("got %v", got)
	}
}

func TestPrintedPlacement(t *testing.T) {
	t.Setenv("GOMAXPROCS", "1")
	j := job(Part{Ranks: 1, Program: "sh", Args: []string{"-c", "x y"}, Dir: t.TempDir()}, Part{Ranks: 1, Program: "."})
	j.Bind = BindNone
	plan, err := Prepare(j)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := plan.Print(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(lines[0], "2 ranks on ") || !strings.HasSuffix(lines[0], ", not bound, GOMAXPROCS=1, nic=martini") {
		t.Errorf("got %q", lines[0])
	}
	for i, want := range []string{"rank cores directory program", fmt.Sprint("0 any ", j.Parts[0].Dir, " sh -c x y"), "1 any . . (Go package)"} {
		if got := strings.Join(strings.Fields(lines[i+1]), " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if err := plan.Print(failingWriter{errPrint}); err != errPrint {
		t.Errorf("got %v", err)
	}
}

var errPrint = fmt.Errorf("full")

func TestBindingErrorIsReported(t *testing.T) {
	if usableCores() == nil {
		t.Skip("no binding here")
	}
	plan, err := Prepare(job(self(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	plan.slots[0].Cores = []int{1000}
	var text lockedBuffer
	plan.job.Stderr = &text
	if status := plan.Run(); status != StatusFailed || !strings.Contains(text.String(), "cannot bind rank 0 to cores 1000: invalid argument; --bind-to none does without") {
		t.Errorf("status %d: %s", status, text.String())
	}
}

func TestEnvironmentHasNoDuplicates(t *testing.T) {
	env := setEnv([]string{"A=1", "AB=2", "A=3"}, "A=4")
	if !slices.Equal(env, []string{"AB=2", "A=4"}) {
		t.Errorf("got %v", env)
	}
	if env = dropEnv([]string{"A=1", "AB=2", "B=3"}, "A", "B"); !slices.Equal(env, []string{"AB=2"}) {
		t.Errorf("got %v", env)
	}
}
