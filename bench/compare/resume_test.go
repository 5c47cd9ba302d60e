package compare

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func save(t *testing.T, res *Result) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "result.json")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := res.Encode(f); err != nil {
		t.Fatal(err)
	}
	return file
}

// Lists that are empty are so in a result file, and not null.
func TestEmptyLists(t *testing.T) {
	text, err := os.ReadFile(save(t, &Result{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"runtimes", "samples", "notes"} {
		if !strings.Contains(string(text), `"`+list+`": []`) || strings.Contains(string(text), "null") {
			t.Errorf("%s: not an empty list in\n%s", list, text)
		}
	}
}

// An interrupted comparison, continued, measures exactly what is missing.
func TestResumeMeasuresWhatIsMissing(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	script := "echo $0 >>" + count + "; echo row barrier 2 0 1 1.5"
	runtimes := []Runtime{shell("A", script), shell("B", script)}
	ctx, cancel := context.WithCancel(t.Context())
	opts := options(3)
	opts.Progress = func(done, _ int, _ string) {
		if done == 3 {
			cancel()
		}
	}
	saved := 0
	opts.Save = func(*Result) error { saved++; return nil }
	res, err := Run(ctx, runtimes, opts)
	if err == nil || len(res.Samples) != 3 || !res.Interrupted || saved != 1 {
		t.Fatalf("interrupted: %d samples, %d saved, %v", len(res.Samples), saved, err)
	}
	opts = options(3)
	if opts.Previous, err = Resume(save(t, res), runtimes, opts); err != nil {
		t.Fatal(err)
	}
	res, err = Run(t.Context(), runtimes, opts)
	if err != nil || len(res.Samples) != 6 || res.Interrupted {
		t.Errorf("resumed: %d samples, %v", len(res.Samples), err)
	}
	if text, _ := os.ReadFile(count); strings.Count(string(text), "\n") != 6 {
		t.Errorf("the commands ran %q", text)
	}
}

// What a peer could not run before is not tried again.
func TestResumeRemembersFailures(t *testing.T) {
	runtimes := []Runtime{shell("ours", "echo row barrier 2 0 1 1.5"), shell("bad", "exit 1")}
	opts := options(2)
	res, err := Run(t.Context(), runtimes, opts)
	if err != nil || len(res.Failures) != failuresAllowed {
		t.Fatalf("failures %v, %v", res.Failures, err)
	}
	opts.Rounds = 4
	if opts.Previous, err = Resume(save(t, res), runtimes, opts); err != nil {
		t.Fatal(err)
	}
	if res, err = Run(t.Context(), runtimes, opts); err != nil || len(res.Failures) != failuresAllowed || len(res.Samples) != 4 {
		t.Errorf("failures %v, %d samples, %v", res.Failures, len(res.Samples), err)
	}
}

// Asking for fewer rounds than there are removes none.
func TestResumeKeepsRounds(t *testing.T) {
	runtimes := []Runtime{shell("ours", "echo row barrier 2 0 1 1.5")}
	res, err := Run(t.Context(), runtimes, options(3))
	if err != nil {
		t.Fatal(err)
	}
	opts := options(1)
	opts.Previous = res
	if res, err = Run(t.Context(), runtimes, opts); err != nil || res.Rounds != 3 || len(res.Samples) != 3 {
		t.Errorf("result %+v, %v", res, err)
	}
}

func TestResumeRefusesAnotherComparison(t *testing.T) {
	file := save(t, &Result{Schema: Schema, Runtimes: []string{"A"}, Budget: "1ms"})
	opts := options(1)
	if _, err := Resume(file, []Runtime{shell("B", "")}, opts); err == nil || !strings.Contains(err.Error(), "compares A") {
		t.Errorf("other runtimes: %v", err)
	}
	opts.Budget = 2 * time.Millisecond
	if _, err := Resume(file, []Runtime{shell("A", "")}, opts); err == nil || !strings.Contains(err.Error(), "--time 1ms") {
		t.Errorf("other time: %v", err)
	}
}

func TestReadRefusesForeignFiles(t *testing.T) {
	for text, want := range map[string]string{
		"hello":                         "is no result file",
		"{}":                            "names no schema",
		"[]":                            "names no schema",
		`{"schema":5}`:                  "names no schema",
		`{"schema":"rhinet-compare-1"`:  "is no result file",
		`{"schema":"rhinet-compare-0"}`: "this program reads " + Schema,
		`{"schema":"rhinet-compare-1"}`: "names no runtime",
		`{"schema":"rhinet-compare-1","runtimes":["A"],"samples":[{"runtime":"B"}]}`:                                 "damaged",
		`{"schema":"rhinet-compare-1","runtimes":["A","A"]}`:                                                         "twice",
		`{"schema":"rhinet-compare-1","runtimes":"A"}`:                                                               "damaged",
		`{"schema":"rhinet-compare-2","runtimes":"A"}`:                                                               "this program reads " + Schema,
		`{"schema":"rhinet-compare-1","runtimes":["A"],"samples":[{"runtime":"A","ranks":1}]}`:                       `test ""`,
		`{"schema":"rhinet-compare-1","runtimes":["A"],"samples":[{"runtime":"A","test":"t","ranks":0}]}`:            "0 ranks",
		`{"schema":"rhinet-compare-1","runtimes":["A"],"samples":[{"runtime":"A","test":"t","ranks":1,"value":-1}]}`: "the value -1",
	} {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file reads")
	}
}

func TestSettings(t *testing.T) {
	s, err := ParseSettings([]string{"martini", "martini+RHINET_CMA=off+X=1"})
	if err != nil || fmt.Sprint(s) != "[{martini martini []} {martini+RHINET_CMA=off martini+RHINET_CMA=off [RHINET_CMA=off X=1]}]" && s[1].NIC != "martini" {
		t.Errorf("settings are %v, %v", s, err)
	}
	for text, want := range map[string]string{"a,a": "named twice", "a+b": "NAME=VALUE", "+A=1": "names no NIC", "a,": "names no NIC"} {
		if _, err := ParseSettings(strings.Split(text, ",")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// If the launcher refuses a NIC, its own message is shown.
func TestUnknownNICIsRefusedInTheLaunchersWords(t *testing.T) {
	dir := t.TempDir()
	mpirun := filepath.Join(dir, "mpirun")
	if err := os.WriteFile(mpirun, []byte("#!/bin/sh\n[ \"$2\" = good ] || { echo \"mpirun: no NIC $2\" >&2; exit 2; }\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := (Setting{Name: "good", NIC: "good"}).Try(t.Context(), mpirun, 1, "x"); err != nil {
		t.Error(err)
	}
	if err := (Setting{Name: "bad", NIC: "bad"}).Try(t.Context(), mpirun, 1, "x"); err == nil || !strings.Contains(err.Error(), "mpirun: no NIC bad") {
		t.Errorf("error is %v", err)
	}
	env := filepath.Join(dir, "env")
	if err := os.WriteFile(env, []byte("#!/bin/sh\n[ \"$A\" = 2 ] && exit 0\necho \"mpirun: A=$A\"; exit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("A", "1")
	for assignment, want := range map[string]string{"A=2": "", "A=3": "good+A=3: mpirun: A=3"} {
		err := Setting{Name: "good+" + assignment, NIC: "good", Env: []string{assignment}}.Try(t.Context(), env, 1, "x")
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v", assignment, err)
		}
	}
	if err := (Setting{Name: "a", NIC: "a"}).Try(t.Context(), dir+"/none", 1, "x"); err == nil {
		t.Error("a missing launcher passes")
	}
}
