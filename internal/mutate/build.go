package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	buildTime   = 20 * time.Minute // for building the tests of a package
	healthyTime = 20 * time.Minute // for the tests to pass without any fault
)

var errInterrupted = errors.New("interrupted")

// A build builds test binaries from the tree with some files replaced.
type build struct {
	*runner
	dir     string          // of its files
	overlay string          // argument of -overlay; empty: nothing is replaced
	holds   map[string]bool // names of its faults
	base    *build          // the same tests without any fault: itself, with no fault switched on, or the plain tree

	mu       sync.Mutex
	binaries map[string]*binary // by tags and folder
}

// newBuild makes a build that replaces files, given by their paths in the module.
func (r *runner) newBuild(files map[string][]byte, holds map[string]bool) (*build, error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	b := &build{runner: r, dir: dir, holds: holds, base: r.plain, binaries: map[string]*binary{}}
	if len(files) > 0 {
		err = b.replace(files)
	}
	if err != nil {
		b.remove()
		return nil, err
	}
	return b, nil
}

// replace writes files and the overlay that names them.
func (b *build) replace(files map[string][]byte) (err error) {
	b.overlay = filepath.Join(b.dir, "overlay.json")
	names := map[string]string{}
	for name, text := range files {
		made := filepath.Join(b.dir, strings.ReplaceAll(name, "/", "-"))
		names[filepath.Join(b.root, filepath.FromSlash(name))] = made
		err = errors.Join(err, os.WriteFile(made, text, 0o600))
	}
	list, e := json.Marshal(map[string]any{"Replace": names})
	return errors.Join(err, e, os.WriteFile(b.overlay, list, 0o600))
}

// remove removes the files of the build.
func (b *build) remove() { _ = os.RemoveAll(b.dir) }

// environment returns the environment of the tests, with the fault switched on. Programs that the tests
// build have the same faults.
func (b *build) environment(fault string) []string {
	env := []string{chosenFault + "=" + fault}
	if b.overlay != "" {
		env = append(env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+b.overlay))
	}
	return env
}

// A binary is the compiled tests of one package.
type binary struct {
	*build
	Test
	file   string
	once   sync.Once
	broken []byte // messages of the compiler about code that does not build
	err    error  // why the compiler cannot be run

	mu      sync.Mutex
	healthy map[attempt]time.Duration // tests that pass without any fault, and how long they take
	sick    []string                  // tests that fail without any fault
}

// binary builds the tests of t, once.
func (b *build) binary(ctx context.Context, t Test) (*binary, error) {
	b.mu.Lock()
	name := t.Tags + " " + t.Folder
	bin := b.binaries[name]
	if bin == nil {
		bin = &binary{build: b, Test: t, file: filepath.Join(b.dir, fmt.Sprintf("%d.test", len(b.binaries))), healthy: map[attempt]time.Duration{}}
		b.binaries[name] = bin
	}
	b.mu.Unlock()
	bin.once.Do(func() { bin.compile(ctx) })
	return bin, bin.err
}

func (b *binary) compile(ctx context.Context) {
	args := []string{"test", "-c", "-ldflags=-w", "-o", b.file, "-overlay", b.overlay, "-tags", b.Tags, b.Folder}
	v, out, err := b.execute(ctx, mostMemory, buildTime, b.root, nil, "go", args...)
	if err == nil && v == Survived && !isFile(b.file) {
		v, out = Failed, fmt.Appendf(out, "%s has no tests", b.Folder)
	}
	if b.err = err; v != Survived {
		b.broken = out
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// An attempt is one run of some tests.
type attempt struct {
	Test
	names string // of the tests, separated by spaces; empty: all of Test
	short bool
}

// pattern returns the regular expression for the names of the tests.
func (a attempt) pattern() string {
	if a.names == "" {
		return a.Run
	}
	return exactly(strings.Fields(a.names)...)
}

// test runs tests with a fault, except those that fail without any.
func (b *binary) test(ctx context.Context, fault string, a attempt, sick []string, limit time.Duration, flags ...string) (Verdict, []byte, error) {
	args := append(flags, "-test.v", "-test.paniconexit0", "-test.timeout="+limit.String(), "-test.run="+a.pattern())
	if len(sick) > 0 {
		args = append(args, "-test.skip="+exactly(sick...))
	}
	if a.short {
		args = append(args, "-test.short")
	}
	// A binary that does not time out by itself is killed.
	return b.execute(ctx, b.most, limit+time.Minute, filepath.Join(b.root, b.Folder), b.environment(fault), b.file, args...)
}

// passes returns how long tests take without any fault. Tests that fail without a fault cannot catch one:
// from then on they are skipped.
func (b *binary) passes(ctx context.Context, a attempt) (took time.Duration, sick []string, err error) {
	names := strings.Fields(a.names)
	if len(names) < 2 {
		return b.pass(ctx, a)
	}
	for _, name := range names {
		one, left, err := b.pass(ctx, attempt{a.Test, name, a.short})
		if err != nil {
			return 0, nil, err
		}
		took, sick = took+one, left
	}
	return took, sick, nil
}

// pass is passes for one test, or for all.
func (b *binary) pass(ctx context.Context, a attempt) (took time.Duration, sick []string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if took, ok := b.healthy[a]; ok {
			return took, slices.Clone(b.sick), nil
		}
		start := time.Now()
		v, out, err := b.test(ctx, "", a, b.sick, healthyTime)
		if err != nil {
			return 0, nil, err
		}
		if v == Survived {
			b.healthy[a] = time.Since(start)
			continue
		}
		names := allFailing(out)
		if len(names) == 0 || slices.Contains(b.sick, names[0]) {
			return 0, nil, fmt.Errorf("without any fault, go test %v: %s\n%s", b.Test, v, tail(out, 40))
		}
		b.sick = append(b.sick, names...)
		b.ill(b, names)
	}
}

// exactly returns the regular expression for -test.run that matches the given tests.
func exactly(names ...string) string {
	var list []string
	for _, name := range names {
		parts := strings.Split(name, "/")
		for i, s := range parts {
			parts[i] = "^" + regexp.QuoteMeta(s) + "$"
		}
		list = append(list, strings.Join(parts, "/"))
	}
	return strings.Join(list, "|")
}

// execute runs a command in a process group of its own, with limits on memory (most, in bytes) and time.
// The error says that the command could not be run at all.
func (r *runner) execute(ctx context.Context, most int, limit time.Duration, dir string, env []string, name string, args ...string) (Verdict, []byte, error) {
	within, stop := context.WithTimeout(ctx, limit)
	defer stop()
	cmd := exec.CommandContext(within, name, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(cmd.Environ(), env...)
	greedy, err := runGroup(cmd, most)
	var exit *exec.ExitError
	switch text := out.Bytes(); {
	case ctx.Err() != nil:
		return "", nil, errInterrupted
	case greedy:
		return Greedy, text, nil
	case err == nil:
		return Survived, text, nil
	case within.Err() != nil, bytes.Contains(text, []byte("panic: test timed out")):
		return Late, text, nil
	case errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
		return Failed, text, nil
	default:
		return "", text, fmt.Errorf("%s: %w", name, err)
	}
}
