package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Compiling and linking tests takes far longer than running the one that notices a fault. Therefore one
// build holds all faults: a function with faults begins with a copy of its body for each fault, and an
// environment variable of the test selects one.
//
//	func (w *Window) Fits(to uint64) bool {
//		if mutateFault == "engine/window-never-full" {
//			return to < w.limit
//		}
//		return to <= w.limit
//	}
const (
	chosenFault = "MUTATE_FAULT"     // environment variable: the name of the fault
	switchFile  = "mutate_switch.go" // file that is added to each package
	switchText  = "package %s\n\nimport mutateOS \"os\"\n\nvar mutateFault = mutateOS.Getenv(%q)\n"
)

// together returns the files of a build with all faults, by their paths in the module, and the faults that
// it holds: those in the body of a function.
func together(root string, faults []Fault) (files map[string][]byte, holds map[string]bool, err error) {
	byFile := map[string][]*Fault{}
	for i := range faults {
		f := &faults[i]
		byFile[f.File] = append(byFile[f.File], f)
	}
	files, holds = map[string][]byte{}, map[string]bool{}
	for name, list := range byFile {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, nil, list[0].stale("%v", err)
		}
		made, pkg, err := withSwitches(text, list, holds)
		if err != nil {
			return nil, nil, err
		}
		files[name] = made
		files[path.Join(path.Dir(name), switchFile)] = fmt.Appendf(nil, switchText, pkg, chosenFault)
	}
	return files, holds, nil
}

// withSwitches returns text with faults, all of them of this file, behind switches, and the name of its
// package.
func withSwitches(text []byte, faults []*Fault, holds map[string]bool) (made []byte, pkg string, err error) {
	file, err := parseGo(faults[0].File, text)
	if err != nil {
		return nil, "", faults[0].stale("%v", err)
	}
	bodies := make([]string, len(file.Decls)) // inserted at the start of each function's body
	for i, f := range faults {
		begin, end, err := f.place(text)
		if err != nil {
			return nil, "", err
		}
		n := slices.IndexFunc(file.Decls, func(d ast.Decl) bool {
			from, to := bodyOf(file, d)
			return from <= begin && end <= to
		})
		if n < 0 {
			continue
		}
		body, err := f.body(text, n, fmt.Sprintf("_%d", i))
		if err != nil {
			return nil, "", err
		}
		bodies[n] += body
		holds[f.Name] = true
	}
	var b bytes.Buffer
	at := 0
	for n, d := range file.Decls {
		if from, _ := bodyOf(file, d); bodies[n] != "" {
			b.Write(text[at:from])
			b.WriteString(bodies[n])
			at = from
		}
	}
	b.Write(text[at:])
	return b.Bytes(), file.Name.Name, nil
}

// bodyOf returns where the statements of a function begin and end; -1, -1 if there are none.
func bodyOf(file *ast.File, d ast.Decl) (from, to int) {
	if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
		return offset(file, d.Body.Lbrace) + 1, offset(file, d.Body.Rbrace)
	}
	return -1, -1
}

// body returns the body of declaration number n of text with the fault, behind its switch. Labels get a
// suffix, because each may occur only once in a function.
func (f *Fault) body(text []byte, n int, suffix string) (string, error) {
	made, err := f.apply(text)
	if err != nil {
		return "", err
	}
	file, err := parseGo(f.File, made)
	if err != nil {
		return "", err
	}
	d, ok := file.Decls[n].(*ast.FuncDecl)
	if !ok {
		return "", f.stale("it ends the function")
	}
	from, to := bodyOf(file, d)
	var b strings.Builder
	fmt.Fprintf(&b, "\nif mutateFault == %q {\n", f.Name)
	for _, label := range labels(d.Body) {
		end := offset(file, label.End())
		b.Write(made[from:end])
		b.WriteString(suffix)
		from = end
	}
	b.Write(made[from:to])
	if d.Type.Results == nil {
		b.WriteString("\nreturn\n")
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// labels returns the definitions and uses of labels, in the order of the text.
func labels(body *ast.BlockStmt) (list []*ast.Ident) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			list = append(list, n.Label)
		case *ast.BranchStmt:
			if n.Label != nil {
				list = append(list, n.Label)
			}
		}
		return true
	})
	return list
}
