package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/program"
)

// module makes a module in a directory of its own, changes to that directory, and sets an empty directory
// for temporary files, which it returns.
func module(t *testing.T, files map[string]string) (scratch string) {
	t.Helper()
	t.Chdir(t.TempDir())
	files["go.mod"] = "module example.org/m\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	scratch = t.TempDir()
	t.Setenv("TMPDIR", scratch)
	t.Setenv("GOFLAGS", "")
	return scratch
}

// Programs that import little build fast.
const (
	tiny  = "package main\n\nfunc main() { println(\"tiny\") }\n"
	stays = "package main\n\nimport \"time\"\n\nfunc main() { println(\"stays\"); time.Sleep(time.Minute) }\n"
)

// empty checks that nothing is left in a directory for temporary files.
func empty(t *testing.T, scratch string) {
	t.Helper()
	names, err := os.ReadDir(scratch)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		t.Errorf("%s is left", n.Name())
	}
}

func TestGoPackagesAreBuilt(t *testing.T) {
	scratch := module(t, map[string]string{"cmd/tiny/main.go": tiny, "one.go": tiny})
	tinyPart := Part{Ranks: 1, Program: "./cmd/tiny"}
	r := run(t, job(tinyPart, tinyPart, Part{Ranks: 1, Program: "one.go"}, Part{Ranks: 1, Program: "example.org/m/cmd/tiny"}))
	r.want(t, 0)
	if r.err != strings.Repeat("tiny\n", 4) {
		t.Errorf("got %q", r.err)
	}
	empty(t, scratch)
}

func TestPackagesThatDoNotBuild(t *testing.T) {
	scratch := module(t, map[string]string{
		"bad/main.go":     "package main\n\nfunc main() { nonsense() }\n",
		"several/main.go": "package main\n\nfunc main() { a(); b() }\n",
		"lib/lib.go":      "package lib\n",
		"tests/a_test.go": "package main\n",
	})
	for program, want := range map[string]string{
		"./bad":           "mpirun: ./bad does not build: bad/main.go:3:15: undefined: nonsense\n",
		"./several":       "mpirun: ./several does not build: several/main.go:3:15: undefined: a (1 more: go build ./several)\n",
		"./lib":           "mpirun: ./lib is a package to import, not a main package; name an executable, or a directory with package main\n",
		"./tests":         "mpirun: ./tests ",
		"example.org/m/x": "mpirun: example.org/m/x is no file, and no Go package that builds: no required module provides package",
		"no/such/package": "mpirun: no/such/package is no file, and no Go package that builds: package no/such/package is not in std",
	} {
		j := job(Part{Ranks: 1, Program: "sh", Args: []string{"-c", "echo started"}}, Part{Ranks: 1, Program: program})
		r := run(t, j)
		r.want(t, StatusUsage, want)
		if strings.Count(r.err, "\n") != 1 {
			t.Errorf("not one line: %q", r.err)
		}
		if r.out != "" {
			t.Errorf("%s: ranks were started: %q", program, r.out)
		}
	}
	empty(t, scratch)
}

func TestNoGoCommand(t *testing.T) {
	module(t, map[string]string{"main.go": tiny})
	t.Setenv("PATH", t.TempDir())
	run(t, job(Part{Ranks: 1, Program: "."})).want(t, StatusUsage, "mpirun: . is a Go package, but there is no go command in PATH to build it\n")
}

func TestNoPlaceToBuild(t *testing.T) {
	module(t, map[string]string{"main.go": tiny})
	t.Setenv("TMPDIR", "/no/where")
	run(t, job(Part{Ranks: 1, Program: "."})).want(t, StatusFailed, "mpirun: cannot make a directory to build in: ", "(TMPDIR names another place)")
}

// While the ranks run there are no longer any files on disk, so that even a killed launcher leaves nothing.
func TestNothingOnDiskWhileRanksRun(t *testing.T) {
	scratch := module(t, map[string]string{"main.go": stays})
	p := spawn(t, job(Part{Ranks: 2, Program: "."}))
	for deadline := time.Now().Add(20 * time.Second); strings.Count(p.err.String(), "stays") < 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no start")
		}
	}
	empty(t, scratch)
	p.signal(t, syscall.SIGKILL)
	p.Wait()
	empty(t, scratch)
}

func TestInterruptedBuild(t *testing.T) {
	module(t, map[string]string{"main.go": tiny})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&interrupted{sig: syscall.SIGINT})
	_, err := program.Build(ctx, []program.Program{{Name: ".", Package: "."}}, nil)
	var why *interrupted
	if !errors.As(err, &why) || why.sig != syscall.SIGINT {
		t.Errorf("got %v", err)
	}
	empty(t, os.TempDir())
}

// slowGo puts a go command first in PATH that is slow and leaves files.
func slowGo(t *testing.T) {
	bin := t.TempDir()
	script(t, filepath.Join(bin, "go"), "#!/bin/sh\ntouch $GOTMPDIR/file\necho building >"+bin+"/log\nexec sleep 60\n")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("SLOW_GO_LOG", bin+"/log")
}

func awaitSlowGo(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(os.Getenv("SLOW_GO_LOG")); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the build does not begin")
		}
	}
}

func TestSignalDuringTheBuild(t *testing.T) {
	scratch := module(t, map[string]string{"main.go": tiny})
	slowGo(t)
	p := spawn(t, job(Part{Ranks: 2, Program: "."}))
	awaitSlowGo(t)
	p.signal(t, syscall.SIGTERM)
	r := p.finish(t)
	r.want(t, 143, "mpirun: ended by SIGTERM (terminated) before the start\n")
	r.one(t)
	r.quick(t)
	empty(t, scratch)
}

func TestNextBuildRemovesWhatAKilledLauncherLeft(t *testing.T) {
	scratch := module(t, map[string]string{"main.go": tiny})
	t.Run("killed", func(t *testing.T) {
		slowGo(t)
		p := spawn(t, job(Part{Ranks: 2, Program: "."}))
		awaitSlowGo(t)
		p.signal(t, syscall.SIGKILL)
		p.Wait()
	})
	if names, _ := os.ReadDir(scratch); len(names) != 1 {
		t.Fatalf("the killed launcher left %d directories", len(names))
	}
	run(t, job(Part{Ranks: 1, Program: "."})).want(t, 0)
	empty(t, scratch)
}

// Wherever the launcher is started, a package is built in its own module.
func TestPackagesOfOtherModules(t *testing.T) {
	const says = "package main\n\nimport \"example.org/nested/say\"\n\nfunc main() { say.It() }\n"
	scratch := module(t, map[string]string{
		"cmd/tiny/main.go":    tiny,
		"nested/go.mod":       "module example.org/nested\n\ngo 1.26\n",
		"nested/say/say.go":   "package say\n\nfunc It() { println(\"tiny\") }\n",
		"nested/tiny/main.go": says,
		"nested/bad/main.go":  "package main\n\nfunc main() { a(); b() }\n",
	})
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for from, programs := range map[string][]string{
		root:             {"./nested/tiny"},
		root + "/nested": {"../cmd/tiny", "./tiny"},
		scratch:          {root + "/nested/tiny/main.go"},
	} {
		t.Chdir(from)
		var parts []Part
		for _, p := range programs {
			parts = append(parts, Part{Ranks: 1, Program: p})
		}
		r := run(t, job(parts...))
		r.want(t, 0)
		if r.err != strings.Repeat("tiny\n", len(programs)) {
			t.Errorf("from %s: got %q", from, r.err)
		}
	}
	t.Chdir(root)
	r := run(t, job(Part{Ranks: 1, Program: "./nested/bad"}))
	r.want(t, StatusUsage, "mpirun: ./nested/bad does not build: nested/bad/main.go:3:15: undefined: a (1 more: go build -C ./nested/bad .)\n")
	r.one(t)
	empty(t, scratch)
}

func TestTemporaryDirectoryNamedFromHere(t *testing.T) {
	module(t, map[string]string{"main.go": tiny, "tmp/x": ""})
	t.Setenv("TMPDIR", "tmp")
	r := run(t, job(Part{Ranks: 1, Program: ".", Dir: "/"}))
	r.want(t, 0, "tiny\n")
}
