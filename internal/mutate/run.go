package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Verdict says how a run of tests ended.
type Verdict string

// The verdicts. All but Survived and Broken mean that the fault was caught.
const (
	Survived Verdict = "survived" // all tests pass
	Failed   Verdict = "failed"   // a test failed, or panicked
	Late     Verdict = "late"     // a test took longer than the limit
	Greedy   Verdict = "greedy"   // the tests took more memory than mostMemory
	Broken   Verdict = "broken"   // it does not build: the entry is stale
)

// Caught reports whether the tests noticed the fault.
func (v Verdict) Caught() bool { return v == Failed || v == Late || v == Greedy }

// A Result is what became of one fault.
type Result struct {
	Fault   string        `json:"fault"`
	Key     string        `json:"key"` // of the fault and its file, see record.go
	Verdict Verdict       `json:"verdict"`
	By      string        `json:"by,omitempty"` // what caught it: package and test
	Took    time.Duration `json:"took"`
	output  []byte
}

// buildTime is added to the limit of a test for building it.
const buildTime = 10 * time.Minute

// A runner runs go test in the module at root.
type runner struct {
	root string
	slow float64 // limits are multiplied by it
	most int     // bytes of memory that the processes of a test may hold
}

// fault runs the tests of f on code with the fault, until one notices.
func (r *runner) fault(ctx context.Context, f *Fault) (res Result, err error) {
	res = Result{Fault: f.Name, Verdict: Survived}
	overlay, done, err := r.overlay(f)
	if err != nil {
		return res, err
	}
	defer done()
	start := time.Now()
	for _, t := range f.Tests {
		res.Verdict, res.output, err = r.test(ctx, t, f.Limit, "-overlay", overlay, "-count=1")
		if err != nil {
			return res, err
		}
		if res.Verdict != Survived {
			res.By = failing(res.output)
			break
		}
	}
	res.Took = time.Since(start).Round(100 * time.Millisecond)
	return res, nil
}

// overlay writes the file with the fault and what -overlay wants to know.
func (r *runner) overlay(f *Fault) (name string, done func(), err error) {
	text, err := f.source(r.root)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return "", nil, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	made, name := filepath.Join(dir, filepath.Base(f.File)), filepath.Join(dir, "overlay.json")
	replace := map[string]map[string]string{"Replace": {filepath.Join(r.root, filepath.FromSlash(f.File)): made}}
	list, err := json.Marshal(replace)
	if err = errors.Join(err, os.WriteFile(made, text, 0o600), os.WriteFile(name, list, 0o600)); err != nil {
		done()
		return "", nil, err
	}
	return name, done, nil
}

// test runs one go test. The error says that it could not be run at all.
func (r *runner) test(ctx context.Context, t Test, limit time.Duration, flags ...string) (Verdict, []byte, error) {
	limit = time.Duration(float64(limit) * r.slow)
	ctx, stop := context.WithTimeout(ctx, limit+buildTime)
	defer stop()
	args := append([]string{"test", "-vet=off", "-failfast", "-timeout", limit.String()}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, t...)...)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.root, &out, &out
	greedy, err := runGroup(cmd, r.most)
	if ctx.Err() == context.Canceled {
		return "", nil, errors.New("interrupted")
	}
	var exit *exec.ExitError
	switch text := out.Bytes(); {
	case greedy:
		return Greedy, text, nil
	case err == nil:
		return Survived, text, nil
	case ctx.Err() != nil || bytes.Contains(text, []byte("panic: test timed out")):
		return Late, text, nil
	case !errors.As(err, &exit):
		return "", text, fmt.Errorf("go test %v: %w", t, err)
	case bytes.Contains(text, []byte("[build failed]")), bytes.Contains(text, []byte("[setup failed]")):
		return Broken, text, nil
	default:
		return Failed, text, nil
	}
}

// healthy runs the tests on the code as it is: a test that fails anyway catches nothing.
func (r *runner) healthy(ctx context.Context, t Test, limit time.Duration) error {
	v, out, err := r.test(ctx, t, limit)
	if err == nil && v != Survived {
		err = fmt.Errorf("without any fault, go test %v: %s\n%s", t, v, tail(out, 40))
	}
	return err
}

var (
	failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^\s*running tests:\n\s*(\S+)|^(panic|fatal error|unexpected fault address|signal)\b`)
	failed  = regexp.MustCompile(`(?m)^FAIL\t(\S+)`)
)

// failing names the first package that go test's output says has failed, and the first
// test in it, as exactly as it says.
func failing(out []byte) string {
	pkg, name, end := "", "", ""
	if m := failed.FindSubmatchIndex(out); m != nil {
		pkg, out = string(out[m[2]:m[3]]), out[:m[0]]
	}
	for _, m := range failure.FindAllSubmatch(out, -1) {
		for _, s := range m[1:3] {
			if strings.HasPrefix(string(s), name) && len(s) > 0 {
				name = string(s)
			}
		}
		end = cmp.Or(end, string(m[3]))
	}
	_, below, found := strings.Cut(pkg, "/")
	if !found {
		below = pkg
	}
	return strings.TrimSpace(below + " " + cmp.Or(name, end))
}

// tail returns the last n lines.
func tail(text []byte, n int) []byte {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-n):], []byte("\n"))
}
