package main

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Verdict says how a run of tests ended.
type Verdict string

// The verdicts. All but Survived and Broken mean that the fault was caught.
const (
	Survived Verdict = "survived" // all tests pass
	Failed   Verdict = "failed"   // a test failed, or panicked
	Late     Verdict = "late"     // a test took far longer than without the fault
	Greedy   Verdict = "greedy"   // the tests took more memory than mostMemory
	Broken   Verdict = "broken"   // it does not build: the entry is stale
)

// Caught reports whether the tests noticed the fault.
func (v Verdict) Caught() bool { return v == Failed || v == Late || v == Greedy }

// A Result is the outcome of one fault.
type Result struct {
	Fault   string        `json:"fault"`
	Key     string        `json:"key"` // of the fault and its file, see record.go
	Verdict Verdict       `json:"verdict"`
	By      string        `json:"by,omitempty"`  // the package and test that caught it
	Own     bool          `json:"own,omitempty"` // in a build of its own
	Took    time.Duration `json:"took"`
	output  []byte
}

// A runner runs tests in the module at root.
type runner struct {
	root   string
	slow   float64                         // factor for all limits
	most   int                             // bytes of memory that the processes of a test may use
	ill    func(b *binary, names []string) // called with tests that fail without any fault
	plain  *build                          // the unchanged tree
	common *build                          // with all faults
}

// newRunner makes the builds that the faults share.
func newRunner(root string, slow float64, most int, faults []Fault, ill func(*binary, []string)) (*runner, error) {
	r := &runner{root: root, slow: slow, most: most, ill: ill}
	files, holds, err := together(root, faults)
	if err != nil {
		return nil, err
	}
	if r.plain, err = r.newBuild(nil, nil); err != nil {
		return nil, err
	}
	r.plain.base = r.plain
	if r.common, err = r.newBuild(files, holds); err != nil {
		r.plain.remove()
		return nil, err
	}
	r.common.base = r.common
	return r, nil
}

// close removes the builds.
func (r *runner) close() {
	r.plain.remove()
	r.common.remove()
}

// fault runs the tests of f until one notices it. A fault that no short test of the common build notices
// gets a build of its own, in which nothing else differs from the tree, and all tests.
func (r *runner) fault(ctx context.Context, f *Fault, likely []string) (res Result, err error) {
	start := time.Now()
	held := r.common.holds[f.Name]
	if held {
		res, err = r.common.fault(ctx, f, append(alone(f, likely), whole(f, true)...))
	}
	if err == nil && !res.Verdict.Caught() {
		list := append(alone(f, likely), whole(f, false)...)
		if !held {
			list = slices.Concat(alone(f, likely), whole(f, true), whole(f, false))
		}
		res, err = r.own(ctx, f, list)
	}
	res.Took = time.Since(start).Round(100 * time.Millisecond)
	return res, err
}

// own runs the tests of f in a build of its own.
func (r *runner) own(ctx context.Context, f *Fault, list []attempt) (res Result, err error) {
	text, err := f.source(r.root)
	if err != nil {
		return res, err
	}
	b, err := r.newBuild(map[string][]byte{f.File: text}, nil)
	if err != nil {
		return res, err
	}
	defer b.remove()
	res, err = b.fault(ctx, f, list)
	res.Own = true
	return res, err
}

// fault makes attempts on f in one build, until one notices the fault.
func (b *build) fault(ctx context.Context, f *Fault, list []attempt) (res Result, err error) {
	for _, a := range list {
		if res, err = b.try(ctx, f, a); err != nil || res.Verdict != Survived {
			return res, err
		}
	}
	return res, nil
}

// alone returns attempts with only the tests that are likely to notice f, in their short form first.
func alone(f *Fault, likely []string) (list []attempt) {
	for _, short := range []bool{true, false} {
		for _, t := range f.Tests {
			if names := t.among(likely); names != "" {
				list = append(list, attempt{t, names, short})
			}
		}
	}
	return list
}

// whole returns the attempts with all tests of f.
func whole(f *Fault, short bool) (list []attempt) {
	for _, t := range f.Tests {
		list = append(list, attempt{t, "", short})
	}
	return list
}

// among returns the names of those of the tests that belong to the package, without duplicates.
func (t Test) among(tests []string) string {
	var names []string
	for _, test := range tests {
		if pkg, name, _ := strings.Cut(test, " "); pkg == t.pkg() && name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// pkg returns the path of the package in the module.
func (t Test) pkg() string { return strings.TrimPrefix(t.Folder, "./") }

// try runs tests without any fault and then with f. A test that is late among others counts only if it is
// also late when run alone: many slow tests are not a hang.
func (b *build) try(ctx context.Context, f *Fault, a attempt) (Result, error) {
	res := Result{Fault: f.Name, Verdict: Survived}
	bin, err := b.binary(ctx, a.Test)
	if err != nil {
		return res, err
	}
	base, err := b.base.binary(ctx, a.Test)
	if err != nil {
		return res, err
	}
	if broken := cmp.Or(string(bin.broken), string(base.broken)); broken != "" {
		res.Verdict, res.By, res.output = Broken, a.pkg(), []byte(broken)
		return res, nil
	}
	took, sick, err := base.passes(ctx, a)
	if err != nil {
		return res, err
	}
	res.Verdict, res.output, err = bin.test(ctx, f.Name, a, sick, b.limit(f, took), "-test.failfast")
	if err != nil || res.Verdict == Survived {
		return res, err
	}
	name := failing(res.output)
	if one := (attempt{a.Test, name, a.short}); res.Verdict == Late && name != "" && one != a {
		return b.try(ctx, f, one)
	}
	res.By = strings.TrimSpace(a.pkg() + " " + name)
	return res, nil
}

// limit returns the time in which tests must end with the fault, given the time they took without: ten
// times as long plus some seconds for a loaded machine, but at most the limit of the entry unless the tests
// take more than half of that.
func (r *runner) limit(f *Fault, took time.Duration) time.Duration {
	limit := max(2*took, min(f.Limit, 10*time.Second+10*took))
	return time.Duration(float64(limit) * r.slow)
}

var (
	failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^\s*running tests:\n\s*(\S+)`)
	running = regexp.MustCompile(`(?m)^=== (?:RUN|CONT)\s+(\S+)`)
	tops    = regexp.MustCompile(`(?m)^--- FAIL: (\S+)|^\s*running tests:\n\s*(\S+)`)
)

// failing returns the name of the first failed test in the output, in as much detail as the output gives.
// If a crash has left no report of a failure, it is the test that ran last.
func failing(out []byte) (name string) {
	for _, m := range failure.FindAllSubmatch(out, -1) {
		for _, s := range m[1:] {
			if strings.HasPrefix(string(s), name) && len(s) > 0 {
				name = string(s)
			}
		}
	}
	if m := running.FindAllSubmatch(out, -1); name == "" && m != nil {
		name = string(m[len(m)-1][1])
	}
	return name
}

// allFailing returns the names of all tests that have failed, without subtests.
func allFailing(out []byte) (names []string) {
	for _, m := range tops.FindAllSubmatch(out, -1) {
		names = append(names, cmp.Or(string(m[1]), string(m[2])))
	}
	if name, _, _ := strings.Cut(failing(out), "/"); name != "" && len(names) == 0 {
		names = append(names, name)
	}
	return names
}

// tail returns the last n lines.
func tail(text []byte, n int) []byte {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-n):], []byte("\n"))
}
