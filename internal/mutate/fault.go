package main

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// lists holds the faults, a file for each part of the tree.
//
//go:embed faults/*.txt
var lists embed.FS

// A Fault is one small mistake in one source file, and where it must show.
type Fault struct {
	Name  string        // unique; part/what
	File  string        // path in the module
	In    string        // function that Old is looked for in, a method as Type.Name; empty: the whole file
	Old   string        // lines as they are, indentation left out
	New   string        // lines in their place
	Rule  string        // the rule that it breaks
	Tests []Test        // tried in order until one fails
	Limit time.Duration // of each test; one that takes longer has failed
}

// A Test is the arguments of one go test.
type Test []string

// String joins the arguments.
func (t Test) String() string { return strings.Join(t, " ") }

// Part returns the part of the tree that the fault belongs to: the name of its list.
func (f *Fault) Part() string { return path.Dir(f.Name) }

// Package returns the folder of the fault's file.
func (f *Fault) Package() string { return path.Dir(f.File) }

// usualLimit is the limit of a fault that names none. It is generous: most faults are
// caught in seconds, and a loaded machine must not make a slow test look like a caught fault.
const usualLimit = 2 * time.Minute

// all reads all lists.
func all() ([]Fault, error) {
	files, err := fs.Glob(lists, "faults/*.txt")
	if err != nil {
		return nil, err
	}
	var faults []Fault
	for _, name := range files {
		text, err := lists.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list, err := parse(strings.TrimSuffix(path.Base(name), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		faults = append(faults, list...)
	}
	return faults, nil
}

// parse reads one list: blocks of lines apart by blank ones. A line is a keyword with
// a value, "-" with a line of Old or "+" with one of New. Lines that begin with #
// are comments. The first block has no fault, but what holds for all.
//
//	tests: ./llc -run Transcript | ./llc/sim
//
//	fault: tail-moves-back
//	file:  llc/seq/seq.go
//	in:    Window.Check
//	rule:  A reader's tail never moves back.
//	- tail < old || tail > w.next
//	+ tail > w.next
func parse(part, text string) ([]Fault, error) {
	p := listReader{part: part, usual: Fault{Limit: usualLimit}}
	p.now = &p.usual
	for i, line := range strings.Split(text, "\n") {
		if err := p.line(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("faults/%s.txt:%d: %w", part, i+1, err)
		}
	}
	for _, f := range p.list {
		if err := f.complete(); err != nil {
			return nil, fmt.Errorf("faults/%s.txt: fault %s: %w", part, f.Name, err)
		}
	}
	return p.list, nil
}

// A listReader is a list half read.
type listReader struct {
	part  string
	usual Fault  // what the first block says
	now   *Fault // what lines belong to
	list  []Fault
}

func (p *listReader) line(line string) (err error) {
	if line == "" || line[0] == '#' {
		return nil
	}
	if s, ok := strings.CutPrefix(line, "-"); ok {
		p.now.Old = joined(p.now.Old, s)
		return nil
	}
	if s, ok := strings.CutPrefix(line, "+"); ok {
		p.now.New = joined(p.now.New, s)
		return nil
	}
	key, value, found := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if !found || value == "" {
		return fmt.Errorf("%q is no keyword with a value", line)
	}
	switch key {
	case "fault":
		p.list = append(p.list, Fault{Name: p.part + "/" + value, Tests: p.usual.Tests, Limit: p.usual.Limit})
		p.now = &p.list[len(p.list)-1]
	case "file":
		p.now.File = value
	case "in":
		p.now.In = value
	case "rule":
		p.now.Rule = strings.TrimPrefix(p.now.Rule+" "+value, " ")
	case "tests":
		p.now.Tests = nil
		for t := range strings.SplitSeq(value, "|") {
			p.now.Tests = append(p.now.Tests, Test(strings.Fields(t)))
		}
	case "limit":
		p.now.Limit, err = time.ParseDuration(value)
	default:
		return fmt.Errorf("no keyword %q", key)
	}
	return err
}

// joined appends a line; the one space after - or + is left out.
func joined(text, line string) string {
	if text != "" {
		text += "\n"
	}
	return text + strings.TrimSpace(line)
}

// complete reports what a fault lacks.
func (f *Fault) complete() error {
	switch {
	case f.File == "":
		return fmt.Errorf("no file")
	case f.Old == "":
		return fmt.Errorf("no line with -")
	case f.Old == f.New:
		return fmt.Errorf("it changes nothing")
	case f.Rule == "":
		return fmt.Errorf("no rule that it breaks")
	case f.Limit <= 0:
		return fmt.Errorf("no time to be caught in")
	case len(f.Tests) == 0 || slices.ContainsFunc(f.Tests, func(t Test) bool { return len(t) == 0 }):
		return fmt.Errorf("no tests")
	}
	return nil
}

// chosen returns the faults that only, a regular expression, finds by name or file.
func chosen(faults []Fault, only string) ([]Fault, error) {
	re, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("--only %q is no regular expression: %w", only, err)
	}
	list := slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool { return !re.MatchString(f.Name) && !re.MatchString(f.File) })
	if len(list) == 0 {
		return nil, fmt.Errorf("--only %q finds none of %d faults; --list shows them", only, len(faults))
	}
	return list, nil
}

// tests returns the tests that faults use, each once, in a fixed order.
func tests(faults []Fault) []Test {
	var list []Test
	for _, f := range faults {
		list = append(list, f.Tests...)
	}
	slices.SortFunc(list, func(a, b Test) int { return cmp.Compare(a.String(), b.String()) })
	return slices.CompactFunc(list, func(a, b Test) bool { return a.String() == b.String() })
}
