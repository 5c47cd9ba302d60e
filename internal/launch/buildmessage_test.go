package launch

import (
	"os"
	"strings"
	"testing"
)

func TestOneLineAboutABuild(t *testing.T) {
	const a, b = "a/a.go:3:1: undefined: x\n", "b/b.go:4:2: undefined: y\n"
	prog := &program{name: "./p"}
	for name, c := range map[string]struct {
		output, want string
		at           site
	}{
		"one":          {"# m/a\n" + a, "./p does not build: a/a.go:3:1: undefined: x", site{}},
		"two":          {"# m/a\n" + a + "# m/b\n" + b, "./p does not build: a/a.go:3:1: undefined: x (1 more: go build ./p)", site{}},
		"here":         {a + b, "./p does not build: a/a.go:3:1: undefined: x (1 more: go build .)", site{arg: "./."}},
		"above":        {a + b, "./p does not build: a/a.go:3:1: undefined: x (1 more: go build ..)", site{arg: "./.."}},
		"too many":     {a + b + "b/b.go:4:2: too many errors\n", "./p does not build: a/a.go:3:1: undefined: x (at least 1 more: go build ./p)", site{}},
		"goes on":      {"a/a.go:3:1: no such package; to add it:\n\tgo get x\n", "./p does not build: a/a.go:3:1: no such package; to add it: go get x", site{}},
		"chatter":      {"go: finding module for package x\ngo: found x in m/a v1.0.0\ngo: downloading m/a v1.0.0\nm/a\n" + a, "./p does not build: a/a.go:3:1: undefined: x", site{}},
		"no place":     {"go: parsing $GOFLAGS: unknown flag -x\n", "./p does not build: parsing $GOFLAGS: unknown flag -x", site{}},
		"no room":      {"# m/a\n/go/link: mapping output file failed: no space left on device\n", "./p does not build: /go/link: mapping output file failed: no space left on device (TMPDIR names another place to build in)", site{}},
		"first blank":  {"\n\tlost\n", "./p does not build: lost", site{}},
		"nothing":      {"# m/a\n", "./p does not build, and the go command does not say why: go build ./p", site{}},
		"elsewhere":    {"./a.go:3:1: x\n" + b, "./p does not build: ../m/p/a.go:3:1: x (1 more: go build -C ../m/p .)", site{arg: ".", dir: "/m/p", name: "../m/p"}},
		"absolute":     {"/m/a.go:3: x\n", "./p does not build: /m/a.go:3: x", site{arg: ".", dir: "/m/p", name: "../m/p"}},
		"quoted":       {a + b, "./p does not build: a/a.go:3:1: undefined: x (1 more: go build './it'\\''s')", site{arg: "./it's"}},
		"no file":      {"package x/y is not in std\n", "./p is no file, and no Go package that builds: package x/y is not in std", site{imported: true}},
		"file in path": {a, "./p does not build: a/a.go:3:1: undefined: x", site{imported: true}},
	} {
		if c.at.arg == "" {
			c.at.arg = "./p"
		}
		if got := noBuild(prog, c.at, c.output).Error(); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
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

func TestTemporaryDirectoryNamedFromNowhere(t *testing.T) {
	module(t, map[string]string{"main.go": tiny})
	t.Setenv("TMPDIR", "tmp")
	nowhere := t.TempDir()
	t.Chdir(nowhere)
	if err := os.Remove(nowhere); err != nil {
		t.Skip(err)
	}
	_, err := build(t.Context(), []program{{name: ".", pkg: "."}}, nil)
	if want := "TMPDIR is tmp, but the current directory is gone: name another place"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
