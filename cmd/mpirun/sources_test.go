package main

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var source = regexp.MustCompile(`MPI 4\.1, (sections?|chapter) \d|Not in (the standard|MPI 4\.1)`)

// The comment of each exported function, method and type of package mpi says in which section of the
// standard it is, or that it is in none. Methods that make a type an error or a fmt.Stringer need not.
func TestCommentsNameTheirSource(t *testing.T) {
	_, root := document(t, "README.md")
	checked := 0
	check := func(name string, comments ...*ast.CommentGroup) {
		checked++
		for _, c := range comments {
			if source.MatchString(strings.Join(strings.Fields(c.Text()), " ")) {
				return
			}
		}
		t.Errorf("the comment of mpi.%s names no section of the standard, and does not say that it is in none", name)
	}
	for _, f := range parsed(t, filepath.Join(root, "mpi")) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				plain := d.Recv != nil && slices.Contains([]string{"Error", "String", "Unwrap"}, name)
				if d.Recv != nil {
					name = receiver(d.Recv.List[0].Type) + "." + name
				}
				if d.Name.IsExported() && ast.IsExported(name) && !plain {
					check(name, d.Doc)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, is := s.(*ast.TypeSpec); is && s.Name.IsExported() {
						check(s.Name.Name, d.Doc, s.Doc)
					}
				}
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d comments were found", checked)
	}
}

// lastSections returns how many sections each chapter and section of MPI 4.1 has, of those that the table of
// the test has.
func lastSections(t *testing.T) map[string]int {
	t.Helper()
	table, err := os.ReadFile("testdata/mpi-4.1-sections.txt")
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]int{}
	for line := range strings.Lines(string(table)) {
		var of string
		var n int
		if _, err := fmt.Sscan(line, &of, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		last[of] = n
	}
	return last
}

// missing reports a section that the standard does not have.
func missing(last map[string]int, section string) bool {
	chapter, _, _ := strings.Cut(section, ".")
	if last[chapter] == 0 {
		return false // the table does not have the chapter
	}
	for dot := strings.LastIndexByte(section, '.'); dot > 0; dot = strings.LastIndexByte(section, '.') {
		if n, err := strconv.Atoi(section[dot+1:]); err != nil || n < 1 || n > last[section[:dot]] {
			return true
		}
		section = section[:dot]
	}
	return false
}

// Each section of the standard that the source of package mpi cites exists in MPI 4.1.
func TestSectionsExist(t *testing.T) {
	last := lastSections(t)
	for section, want := range map[string]bool{
		"3.10": false, "3.11": true, "3.2.7": false, "3.2.8": true, "3.4.1": true, "12.3.5": false, "12.3.6": true, "6.0": true, "15.3.7": false,
	} {
		if missing(last, section) != want {
			t.Errorf("section %s: want missing %t", section, want)
		}
	}
	_, root := document(t, "README.md")
	files, err := filepath.Glob(filepath.Join(root, "mpi", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	cited := 0
	number := regexp.MustCompile(`\d+(\.\d+)+`)
	place := regexp.MustCompile(`MPI 4\.1, sections? [\d., ando/]+|\((?:\d+(?:\.\d+)+(?:, | to | and )?)+\)`)
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		comments := strings.ReplaceAll(strings.Join(comment.FindAllString(string(text), -1), " "), "//", "")
		for _, p := range place.FindAllString(strings.Join(strings.Fields(comments), " "), -1) {
			p, _ = strings.CutPrefix(p, "MPI 4.1")
			for _, section := range number.FindAllString(p, -1) {
				cited++
				if missing(last, section) {
					t.Errorf("%s cites section %s, which MPI 4.1 does not have", filepath.Base(file), section)
				}
			}
		}
	}
	if cited < 500 {
		t.Errorf("only %d citations were found", cited)
	}
}
