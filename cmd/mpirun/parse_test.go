package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/internal/launch"
)

func mustParse(t *testing.T, line string) *request {
	t.Helper()
	req, err := parse(strings.Fields(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return req
}

// The program's own flags are left alone, whatever they look like.
func TestFlagsEndAtTheProgram(t *testing.T) {
	for line, want := range map[string][]string{
		"-n 2 prog -n 3 --help":           {"-n", "3", "--help"},
		"-n 2 -- prog --tag-output":       {"--tag-output"},
		"--tag-output prog -x A=1":        {"-x", "A=1"},
		"prog -- -v":                      {"--", "-v"},
		"--bind-to none prog --version x": {"--version", "x"},
	} {
		p := mustParse(t, line).job.Parts[0]
		if p.Program != "prog" || !slices.Equal(p.Args, want) {
			t.Errorf("%s: %q %q", line, p.Program, p.Args)
		}
	}
	if p := mustParse(t, "-n 2 -- -prog").job.Parts[0]; p.Program != "-prog" {
		t.Errorf("got %q", p.Program)
	}
}

func TestSpellingsOfTheNumberOfRanks(t *testing.T) {
	for _, flag := range []string{"-n 3", "-n3", "-n=3", "-np 3", "-np=3", "--np 3", "--np=3", "--n 3", "-c 3", "--c 3", "-q -n 3", "-qn3", "-n 3 -np 3"} {
		if p := mustParse(t, flag+" prog").job.Parts[0]; p.Ranks != 3 || p.Program != "prog" {
			t.Errorf("%s: %+v", flag, p)
		}
	}
	if p := mustParse(t, "prog").job.Parts[0]; p.Ranks != 1 {
		t.Errorf("without -n: %d ranks", p.Ranks)
	}
}

// A flag that is given twice with different values is a mistake, however it is spelled; lists grow, and each
// part of a job has its own ranks and directory.
func TestFlagsGivenTwice(t *testing.T) {
	for line, spelled := range map[string]string{
		"-n 2 -n 3 prog":                              "-n 3",
		"-n 2 -n3 prog":                               "-n 3",
		"--np 2 -c=3 prog":                            "-c 3",
		"--profile cpu --profile heap prog":           "--profile heap",
		"--stats=a.txt --stats=b.txt prog":            "--stats b.txt",
		"--stats=a.txt --stats prog":                  "--stats",
		"--tag-output --prepend-rank=false prog":      "--prepend-rank false",
		"--timeout 1 prog : --timeout 2 prog":         "--timeout 2",
		"prog : --wdir /tmp -wd / prog":               "-wd /",
		"--bind-to core -n 1 prog : --bind-to none x": "--bind-to none",
	} {
		_, err := parse(strings.Fields(line))
		if want := spelled + ": the flag is given twice, with different values; give it once"; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	for _, line := range []string{
		"-n 2 --wdir / prog : -n 3 --wdir /tmp prog", "-q -q -v --verbose prog", "--timeout 5 --timeout 5 prog", "-x A=1 -x A=2 prog",
		"-hosts localhost -H 127.0.0.1 prog", "--time loggp --set o=1 --set L=2 prog", "--map-by core --rank-by node prog",
	} {
		if _, err := parse(strings.Fields(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestSpellingsOfOtherLaunchers(t *testing.T) {
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{
		"--oversubscribe", "-oversubscribe", "--allow-run-as-root", "-genvall", "-envall",
		"-host localhost", "--host localhost:4,127.0.0.1", "-H ::1", "-hosts " + own,
		"--map-by core", "--map-by socket:span,inherit", "--stdin 0", "--map-by slot:OVERSUBSCRIBE", "--rank-by node", "-map-by Socket",
		"--bind-to hwthread",
	} {
		if p := mustParse(t, flags+" -n 2 prog x").job.Parts[0]; p.Ranks != 2 || p.Program != "prog" || !slices.Equal(p.Args, []string{"x"}) {
			t.Errorf("%s: %+v", flags, p)
		}
	}
	for _, flag := range []string{"-l", "-prepend-rank", "--tag-output", "-tag-output", "--tag-output=true"} {
		if !mustParse(t, flag+" prog").job.Tag {
			t.Errorf("%s does nothing", flag)
		}
	}
	for _, flag := range []string{"-wdir /tmp", "--wdir=/tmp", "-wd /tmp", "--wd /tmp"} {
		if dir := mustParse(t, flag+" prog").job.Parts[0].Dir; dir != "/tmp" {
			t.Errorf("%s: %q", flag, dir)
		}
	}
	for _, flag := range []string{"-v", "--verbose", "-display-map", "--report-bindings"} {
		if !mustParse(t, flag+" prog").job.Verbose {
			t.Errorf("%s does nothing", flag)
		}
	}
}

func TestEnvironmentFlags(t *testing.T) {
	t.Setenv("RHINET_TEST_SET", "here")
	req := mustParse(t, "-x A=1 -x RHINET_TEST_SET --export B= -env C c -env D=d -genv E e -genv F=f one : -x G=2 two")
	one, two := req.job.Parts[0].Env, req.job.Parts[1].Env
	if !slices.Equal(one, []string{"A=1", "RHINET_TEST_SET=here", "B=", "C=c", "D=d"}) || !slices.Equal(two, []string{"G=2"}) {
		t.Errorf("parts get %q and %q", one, two)
	}
	if !slices.Equal(req.job.Env, []string{"E=e", "F=f"}) {
		t.Errorf("all get %q", req.job.Env)
	}
}

func TestJobFlags(t *testing.T) {
	req := mustParse(t, "--bind-to none --timeout 90 --nic martini --dry-run prog")
	if req.job.Bind != launch.BindNone || req.job.Timeout != 90*time.Second || req.job.NIC != "martini" || !req.dryRun {
		t.Errorf("got %+v", req)
	}
	for text, want := range map[string]time.Duration{"5m": 5 * time.Minute, "1.5": 1500 * time.Millisecond, "100ms": 100 * time.Millisecond} {
		if got := mustParse(t, "--timeout "+text+" prog").job.Timeout; got != want {
			t.Errorf("--timeout %s: %v", text, got)
		}
	}
	if req := mustParse(t, "prog"); req.job.Bind != launch.BindAuto || req.job.Timeout != 0 || req.job.Tag || req.dryRun {
		t.Errorf("defaults: %+v", req)
	}
}
