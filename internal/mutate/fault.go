package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// lists is the folder of the faults in the module, with one file for each part of the tree.
const lists = "internal/mutate/faults"

// A Fault is one small mistake in one source file, with the tests that must notice it.
type Fault struct {
	Name  string        // unique; part/what
	File  string        // path in the module
	In    string        // function in which Old is looked for, a method as Type.Name; empty: the whole file
	Old   string        // lines as they are, without indentation
	New   string        // lines that replace them
	Rule  string        // the rule that it breaks
	Tests []Test        // tried in order until one fails; those of the fault's package come first
	Limit time.Duration // for each test; a test that takes longer has failed
}

// A Test is all tests of one package, or some of them.
type Test struct {
	Tags   string // build tags of the package
	Run    string // regular expression for their names; empty: all
	Folder string // with ./ before it
}

// String returns the arguments of go test, as in the lists.
func (t Test) String() string {
	var s string
	if t.Tags != "" {
		s += "-tags " + t.Tags + " "
	}
	if t.Run != "" {
		s += "-run " + t.Run + " "
	}
	return s + t.Folder
}

// parseTest parses the arguments of go test.
func parseTest(text string) (t Test, err error) {
	args := flag.NewFlagSet("", flag.ContinueOnError)
	args.SetOutput(io.Discard)
	args.StringVar(&t.Tags, "tags", "", "")
	args.StringVar(&t.Run, "run", "", "")
	if err := args.Parse(strings.Fields(text)); err != nil {
		return t, fmt.Errorf("tests %q: %w", text, err)
	}
	if args.NArg() != 1 {
		return t, fmt.Errorf("tests %q are not of one package, after -tags or -run", text)
	}
	t.Folder = args.Arg(0)
	return t, nil
}

// Part returns the part of the tree that the fault belongs to: the name of its list.
func (f *Fault) Part() string { return path.Dir(f.Name) }

// Package returns the folder of the fault's file.
func (f *Fault) Package() string { return path.Dir(f.File) }

// usualLimit is the limit of a fault that specifies none. It is generous: most faults are caught in
// seconds, and a loaded machine must not make a slow test look like a caught fault.
const usualLimit = 2 * time.Minute

// all reads the lists of the module at root.
func all(root string) ([]Fault, error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(lists), "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no list of faults in %s/%s", root, lists)
	}
	var faults []Fault
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list, err := parse(strings.TrimSuffix(filepath.Base(name), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		faults = append(faults, list...)
	}
	return faults, nil
}

// parse parses one list: blocks of lines separated by blank lines. A line is a keyword with a value, "-"
// with a line of Old or "+" with a line of New. Lines that begin with # are comments. The first block has
// no fault, but defaults for all.
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
	for i := range p.list {
		f := &p.list[i]
		if err := f.complete(); err != nil {
			return nil, fmt.Errorf("faults/%s.txt: fault %s: %w", part, f.Name, err)
		}
		f.nearestFirst()
	}
	return p.list, nil
}

// A listReader is a list that is being parsed.
type listReader struct {
	part  string
	usual Fault  // defaults of the first block
	now   *Fault // the block to which lines belong
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
		for s := range strings.SplitSeq(value, "|") {
			t, err := parseTest(s)
			if err != nil {
				return err
			}
			p.now.Tests = append(p.now.Tests, t)
		}
	case "limit":
		p.now.Limit, err = time.ParseDuration(value)
	default:
		return fmt.Errorf("no keyword %q", key)
	}
	return err
}

// joined appends a line, without the spaces around it.
func joined(text, line string) string {
	if text != "" {
		text += "\n"
	}
	return text + strings.TrimSpace(line)
}

// nearestFirst moves the tests of the fault's own package to the front: they are the likeliest to notice
// it, and the quickest to build.
func (f *Fault) nearestFirst() {
	var near, far []Test
	for _, t := range f.Tests {
		if t.Folder == "./"+f.Package() {
			near = append(near, t)
		} else {
			far = append(far, t)
		}
	}
	f.Tests = append(near, far...)
}

// complete returns what is missing in a fault.
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
	case len(f.Tests) == 0:
		return fmt.Errorf("no tests")
	}
	return nil
}

// chosen returns the faults whose name or file matches only, a regular expression, and that are in one of
// places: files, packages, or folders followed by /...; none means everywhere.
func chosen(faults []Fault, only string, places []string) ([]Fault, error) {
	re, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("--only %q is no regular expression: %w", only, err)
	}
	for _, place := range places {
		if !slices.ContainsFunc(faults, func(f Fault) bool { return f.isIn(place) }) {
			return nil, fmt.Errorf("no fault is in %s; --list shows where they are", place)
		}
	}
	list := slices.DeleteFunc(slices.Clone(faults), func(f Fault) bool {
		here := len(places) == 0 || slices.ContainsFunc(places, f.isIn)
		return !here || !re.MatchString(f.Name) && !re.MatchString(f.File)
	})
	if len(list) == 0 {
		return nil, fmt.Errorf("none of %d faults is found by --only %q in %q; --list shows them", len(faults), only, places)
	}
	return list, nil
}

// isIn reports whether the fault is in a file, a package, or a folder followed by /... .
func (f *Fault) isIn(place string) bool {
	place, tree := strings.CutSuffix(place, "...")
	place = path.Clean(place)
	below := place == "." || strings.HasPrefix(f.File, place+"/")
	return f.File == place || f.Package() == place || tree && below
}
