package program

import (
	"testing"
)

func TestOneLineAboutABuild(t *testing.T) {
	const a, b = "a/a.go:3:1: undefined: x\n", "b/b.go:4:2: undefined: y\n"
	prog := &Program{Name: "./p"}
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
