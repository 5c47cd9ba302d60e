package archtest

import (
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A Share says how much of the communication library had to be written for one translator (llc, section 6):
// lines that are neither blank nor comment, of Go and assembly that is neither test nor generated. The
// emulated NIC does not count, since it stands for hardware.
type Share struct {
	Translator string // its folder
	Own        int    // lines of the translator and of packages that only translators use
	Common     int    // lines of the engine, its port, their dependencies, and the code shared by translators of any NIC
}

// NICShares returns the share of each translator in the table of NICs of this repository.
func (t *Tree) NICShares() []Share { return t.Shares("llc/nics", library, wrappers...) }

// Percent returns the own lines in percent of all lines.
func (s Share) Percent() float64 { return 100 * float64(s.Own) / float64(s.Own+s.Common) }

func (s Share) String() string {
	return fmt.Sprintf("%s: %d of %d lines, %.1f %%", s.Translator, s.Own, s.Own+s.Common, s.Percent())
}

// Shares returns the share of each translator that table imports. library lists the top packages of the
// NIC-independent part; all of it lies in the folder of the first. Packages in besides are not translators:
// they wrap any of them.
func (t *Tree) Shares(table string, library []string, besides ...string) (shares []Share) {
	folder := path.Dir(library[0])
	common, total := map[string]bool{}, 0
	for _, top := range library {
		for p := range t.below(top, folder) {
			if !common[p] {
				common[p] = true
				total += t.lines(p)
			}
		}
	}
	for _, p := range t.packages[table].imports {
		if common[p] || slices.Contains(besides, p) || !within(p, []string{folder}) {
			continue
		}
		s := Share{Translator: p, Common: total}
		for q := range t.below(p, folder) {
			if !common[q] {
				s.Own += t.lines(q)
			}
		}
		shares = append(shares, s)
	}
	slices.SortFunc(shares, func(a, b Share) int { return strings.Compare(a.Translator, b.Translator) })
	return shares
}

// below returns a package and its dependencies within a folder.
func (t *Tree) below(top, folder string) map[string]bool {
	found := map[string]bool{}
	for todo := []string{top}; len(todo) > 0; todo = todo[1:] {
		p := t.packages[todo[0]]
		if p == nil || found[p.path] || !within(p.path, []string{folder}) {
			continue
		}
		found[p.path] = true
		todo = append(todo, p.imports...)
	}
	return found
}

// lines counts the lines of a package that hold code.
func (t *Tree) lines(pkg string) (n int) {
	for _, f := range t.files {
		if path.Dir(f.path) != pkg || f.test || !isSource(f) {
			continue
		}
		if f.ast == nil {
			n += assembly(f.text)
			continue
		}
		n += statements(f.text)
	}
	return n
}

// statements counts the lines of Go that hold more than comments.
func statements(text []byte) int {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		first := file.Line(pos)
		for i := range 1 + strings.Count(lit, "\n") {
			lines[first+i] = true
		}
	}
}

// assembly counts the lines of assembly that hold more than comments.
func assembly(text []byte) (n int) {
	for line := range strings.Lines(string(text)) {
		if code, _, _ := strings.Cut(line, "//"); strings.TrimSpace(code) != "" {
			n++
		}
	}
	return n
}
