package program

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rhinet/internal/fserror"
)

// A Program is an executable file, or a Go package that becomes one when it is built.
type Program struct {
	Name    string // as the user wrote it
	Path    string // file to execute; empty until built
	Package string // argument for go build; empty for an executable
	Static  bool   // needs no dynamic linker, like Go programs without C code; see IsStatic
}

// A Refusal says that the package that a user named makes no program: a mistake that is found late.
type Refusal struct{ Text string }

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// Command returns the name under which a program runs, as shown by ps and in a core dump.
func (p *Program) Command() string {
	if p.Package != "" {
		return commandName(p.Package)
	}
	return p.Name
}

// Argv0 returns the argument 0 of a program that has been built.
func (p *Program) Argv0() string {
	if p.Package != "" {
		return p.Path
	}
	return p.Name
}

// Find finds out what name means: a Go source file, a directory with Go files, an executable file, a
// program in PATH, or the import path of a Go package, in this order. A directory with a package that is
// not main does not hide a program in PATH of the same name; the repository's own bench is such a case.
func Find(name string) (Program, error) {
	prog := Program{Name: name}
	info, err := os.Stat(name)
	isPath := strings.ContainsRune(name, filepath.Separator) || name == "." || name == ".."
	switch {
	case err == nil && info.IsDir() && hasGoFiles(name):
		if _, err := exec.LookPath(name); !isPath && err == nil && !hasMain(name) {
			return lookPath(prog)
		}
		prog.Package = localPackage(name)
		return prog, nil
	case err == nil && info.IsDir() && isPath:
		return prog, fmt.Errorf("%s is a directory without Go files: name an executable or a Go main package", name)
	case err == nil && !info.IsDir() && strings.HasSuffix(name, ".go"):
		prog.Package = localPackage(name)
		return prog, nil
	case err == nil && isPath:
		prog.Path = name
		return prog, checkExecutable(name, info)
	case !isPath:
		return lookPath(prog)
	case isImportPath(name):
		prog.Package = name
		return prog, nil
	case errors.Is(err, fs.ErrNotExist):
		return prog, fmt.Errorf("%s: no such program; name an executable or a Go main package", name)
	}
	return prog, fmt.Errorf("%s: %w", name, fserror.Reason(err))
}

// lookPath finds a bare name in PATH.
func lookPath(prog Program) (Program, error) {
	path, err := exec.LookPath(prog.Name)
	if err != nil {
		hint := ""
		_, notNumber := strconv.Atoi(prog.Name)
		switch info, err := os.Stat(prog.Name); {
		case err != nil && notNumber == nil:
			hint = fmt.Sprintf("; -n %s sets the number of ranks", prog.Name)
		case err != nil && strings.HasSuffix(prog.Name, ".go"):
			return prog, fmt.Errorf("%s: no such file", prog.Name)
		case err != nil:
		case info.IsDir():
			hint = ", and the directory of that name has no Go files"
		default:
			hint = fmt.Sprintf("; for the file in this directory write ./%s", prog.Name)
		}
		return prog, fmt.Errorf("%s: no such program in PATH%s", prog.Name, hint)
	}
	prog.Path = path
	info, err := os.Stat(path)
	if err != nil {
		return prog, fmt.Errorf("%s: %w", path, fserror.Reason(err))
	}
	return prog, checkExecutable(path, info)
}

// hasGoFiles reports whether a directory holds Go source.
func hasGoFiles(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && len(files) > 0
}

// hasMain reports whether a Go file of a directory belongs to a main package.
func hasMain(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && slices.ContainsFunc(files, func(file string) bool {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
		return err == nil && f.Name.Name == "main"
	})
}

// localPackage spells a path so that go build does not take it for an import path.
func localPackage(path string) string {
	if filepath.IsAbs(path) || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") {
		return path
	}
	return "./" + path
}

// isImportPath reports whether a name that is not a file can be the import path of a package, such as
// rhinet/cmd/npb.
func isImportPath(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return first != "" && first != "." && first != ".." && !strings.Contains(name, "//") && !strings.HasSuffix(name, "/")
}

// checkExecutable returns the reason why the kernel would refuse to execute a file, as far as its mode and
// first bytes show.
func checkExecutable(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a directory, not a program", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file, so no program", path)
	case info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s is not executable; chmod +x makes it so", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil // executable without being readable: the kernel decides
	}
	defer f.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", path, fserror.Reason(err))
	}
	return checkFormat(path, head[:n])
}

// checkFormat checks the first bytes of a program.
func checkFormat(path string, head []byte) error {
	if script, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ := bytes.Cut(script, []byte("\n"))
		fields := strings.Fields(string(line))
		if len(fields) == 0 {
			return fmt.Errorf("%s names no interpreter in its #! line", path)
		}
		if _, err := os.Stat(fields[0]); err != nil {
			return fmt.Errorf("%s needs the interpreter %s, which does not exist", path, fields[0])
		}
		return nil
	}
	if hasMagic(head) || ForeignFormats() {
		return nil
	}
	return fmt.Errorf("%s is no program for this machine; a script needs a #! line", path)
}
