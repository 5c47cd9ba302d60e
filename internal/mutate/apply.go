package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// source returns the file of f in the module at root, with the fault applied.
func (f *Fault) source(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.File)))
	if err != nil {
		return nil, f.stale("%v", err)
	}
	return f.apply(text)
}

// apply returns text with the fault applied.
func (f *Fault) apply(text []byte) ([]byte, error) {
	begin, end, err := f.place(text)
	if err != nil {
		return nil, err
	}
	made := append(append(bytes.Clone(text[:begin]), f.New...), text[end:]...)
	if _, err := parseGo(f.File, made); err != nil {
		return nil, f.stale("with the fault it is no Go any more: %v", err)
	}
	return made, nil
}

// place returns the position of Old in text. Old must occur exactly once in the range that is searched: a
// fault becomes stale when the code has changed.
func (f *Fault) place(text []byte) (begin, end int, err error) {
	from, to := 0, len(text)
	if f.In != "" {
		if from, to, err = f.function(text); err != nil {
			return 0, 0, err
		}
	}
	begin, end, count := find(text[from:to], f.Old)
	switch {
	case count == 0:
		return 0, 0, f.stale("%q is not there", f.Old)
	case count > 1:
		return 0, 0, f.stale("%q is there %d times; name the function, or more of the line", f.Old, count)
	}
	return from + begin, from + end, nil
}

// parseGo parses one file.
func parseGo(name string, text []byte) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
}

// offset returns the offset of pos in file.
func offset(file *ast.File, pos token.Pos) int { return int(pos - file.FileStart) }

// stale returns the error for a fault that does not fit the code.
func (f *Fault) stale(format string, args ...any) error {
	where := f.File
	if f.In != "" {
		where += ", " + f.In
	}
	return fmt.Errorf("fault %s is stale: %s: %s; mend its entry in %s/%s.txt",
		f.Name, where, fmt.Sprintf(format, args...), lists, f.Part())
}

// function returns the position of the function f.In in text.
func (f *Fault) function(text []byte) (from, to int, err error) {
	file, err := parseGo(f.File, text)
	if err != nil {
		return 0, 0, f.stale("%v", err)
	}
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && nameOf(d) == f.In {
			return offset(file, d.Pos()), offset(file, d.End()), nil
		}
	}
	return 0, 0, f.stale("there is no such function")
}

// nameOf returns the name of a function, of a method as Type.Name.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// find looks for the lines of old in text, ignoring indentation, and returns the position of the last match
// and the number of matches.
func find(text []byte, old string) (begin, end, count int) {
	first, rest, more := strings.Cut(old, "\n")
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], []byte(first))
		if i < 0 {
			return begin, end, count
		}
		at += i
		stop := at + len(first)
		for next, left, ok := first, rest, more; ok; {
			next, left, ok = strings.Cut(left, "\n")
			if stop = follows(text, stop, next); stop < 0 {
				break
			}
		}
		if stop >= 0 {
			begin, end = at, stop
			count++
		}
	}
}

// follows returns the end of line if it is the line after at, or -1.
func follows(text []byte, at int, line string) int {
	if at >= len(text) || text[at] != '\n' {
		return -1
	}
	for at++; at < len(text) && (text[at] == '\t' || text[at] == ' '); at++ {
	}
	if !bytes.HasPrefix(text[at:], []byte(line)) {
		return -1
	}
	return at + len(line)
}
