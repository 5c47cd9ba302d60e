package archtest

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Imports checks the tree against a policy and returns one line per violation.
func (t *Tree) Imports(policy string) (found []string) {
	paths := slices.Sorted(maps.Keys(t.packages))
	o, err := parseOrder(policy, paths)
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range o.names() {
		if t.packages[name] == nil {
			found = append(found, fmt.Sprintf("the policy names %s, which does not exist", name))
		}
	}
	for _, p := range paths {
		for _, q := range t.packages[p].imports {
			if !o.allows(p, q) {
				found = append(found, fmt.Sprintf("%s imports %s, which the policy does not allow", p, q))
			}
			for _, b := range o.bans {
				if !b.indirect && matches(b.importer, p) && matches(b.imported, q) {
					found = append(found, fmt.Sprintf("%s imports %s, which line %d of the policy forbids", p, q, b.line))
				}
			}
		}
		for _, b := range o.bans {
			if b.indirect && matches(b.importer, p) {
				if way := t.way(p, b.imported, nil); way != nil {
					found = append(found, fmt.Sprintf("%s, which line %d of the policy forbids", strings.Join(way, " imports "), b.line))
				}
			}
		}
	}
	return found
}

// way finds a chain of imports from a package to one that matches the pattern.
func (t *Tree) way(from, pattern string, before []string) []string {
	before = append(before, from)
	p := t.packages[from]
	if p == nil {
		return nil
	}
	for _, q := range p.imports {
		if matches(pattern, q) {
			return append(before, q)
		}
		if !slices.Contains(before, q) {
			if way := t.way(q, pattern, slices.Clip(before)); way != nil {
				return way
			}
		}
	}
	return nil
}

// Files checks rules for single files: format, length, names of platforms, use of unsafe, and forbidden
// words.
func (t *Tree) Files() (found []string) {
	names := map[string]bool{}
	for _, f := range t.files {
		names[f.path] = true
	}
	for _, f := range t.files {
		report := func(text string, args ...any) {
			found = append(found, fmt.Sprintf("%s: ", f.path)+fmt.Sprintf(text, args...))
		}
		if word := foreign.Find(f.text); word != nil {
			report("the text %q has no place in the project", word)
		}
		if n := bytes.Count(f.text, []byte("\n")); n > longest && isSource(f) {
			report("%d lines; split what is more than %d", n, longest)
		}
		if path.Ext(f.path) != ".go" {
			continue
		}
		if formatted, err := format.Source(f.text); err != nil || !bytes.Equal(formatted, f.text) {
			report("not formatted by gofmt")
		}
		if name, ok := strings.CutSuffix(f.path, "_linux.go"); ok && !names[name+"_other.go"] {
			report("no %s_other.go beside it for other systems", path.Base(name))
		}
		t.checkUnsafe(f, report)
	}
	return found
}

func isSource(f *file) bool {
	generated := bytes.HasPrefix(f.text, []byte("// Code generated "))
	return !generated && slices.Contains([]string{".go", ".s", ".c", ".h"}, path.Ext(f.path))
}

func (t *Tree) checkUnsafe(f *file, report func(string, ...any)) {
	if f.ast == nil || f.test {
		return
	}
	named := strings.HasSuffix(f.path, "_unsafe.go")
	allowed := slices.Contains(mayUseUnsafe, path.Dir(f.path))
	if named && !allowed {
		report("unsafe code is not for this package")
	}
	for _, spec := range f.ast.Imports {
		if spec.Path.Value == `"unsafe"` && !named {
			report("imports unsafe; that is for files named _unsafe.go")
		}
	}
}

// foreign matches traces of how the project is made: makers of tools, numbers of tickets, and folders of
// single machines. The words are spelled in pieces because this file is checked too.
var foreign = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`clau` + `de`, `anthro` + `pic`, `chat` + `gpt`, `open` + `ai\b`, `co` + `pilot\b`, `lang` + `uage model`,
	`\bissue` + ` #?[0-9]`, `\b(fixes|closes|see) ` + `#[0-9]`, `/wo` + `rk/`, `\.\./sha` + `red`, `mpi-prac` + `tice`, `/ro` + `ot/`, `/ho` + `me/[a-z]`,
}, "|"))
