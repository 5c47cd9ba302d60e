package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// caughtFile lists which test caught which fault in the latest run. It only says where to look first: a
// fault counts as caught only if the test notices it again.
const caughtFile = "internal/mutate/caught.txt"

// memory is the list, by fault.
type memory struct {
	name string
	last map[string]Result
}

// openMemory reads the list of the module at root, which need not exist.
func openMemory(root string) (*memory, error) {
	m := &memory{filepath.Join(root, filepath.FromSlash(caughtFile)), map[string]Result{}}
	text, err := os.ReadFile(m.name)
	if os.IsNotExist(err) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		field := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(field) < 3 || !Verdict(field[1]).Caught() {
			return nil, fmt.Errorf("%s: %q is no fault, verdict, package and test", caughtFile, line)
		}
		m.last[field[0]] = Result{Fault: field[0], Verdict: Verdict(field[1]), By: field[2]}
	}
	return m, nil
}

// likely returns the test that caught f, or else those that caught other faults in its package.
func (m *memory) likely(f *Fault, list []Fault) (tests []string) {
	if last, ok := m.last[f.Name]; ok {
		return []string{last.By}
	}
	for _, other := range list {
		if last, ok := m.last[other.Name]; ok && other.Package() == f.Package() {
			tests = append(tests, last.By)
		}
	}
	return tests
}

// keep records a result, and removes a fault that was not caught. It reports whether the list has changed.
func (m *memory) keep(res Result) bool {
	old, known := m.last[res.Fault]
	if !res.Verdict.Caught() || res.By == "" {
		delete(m.last, res.Fault)
		return known
	}
	m.last[res.Fault] = res
	return !known || old.Verdict != res.Verdict || old.By != res.By
}

// write writes the list, without faults that no longer exist.
func (m *memory) write(faults []Fault) error {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(m.last)) {
		if slices.ContainsFunc(faults, func(f Fault) bool { return f.Name == name }) {
			_, _ = fmt.Fprintf(&b, "%s %s %s\n", name, m.last[name].Verdict, m.last[name].By)
		}
	}
	temporary := m.name + ".new"
	if err := os.WriteFile(temporary, b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, m.name)
}
