package launch

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
)

// A program is what a part runs: an executable file, or a Go package that
// becomes one when the job starts.
type program struct {
	name string // as the user wrote it
	path string // file to execute; empty until built
	pkg  string // argument for go build; empty for an executable

	static bool // needs no dynamic linker, like Go programs without C code; known once it is built
}

// findProgram finds out what name means: a Go source file, a directory with Go files, an executable file, a
// program in PATH, or the import path of a Go package, in this order. A directory with a package that is
// not main does not hide a program in PATH of the same name; the repository's own bench is such a case.
func findProgram(name string) (program, error) {
	prog := program{name: name}
	info, err := os.Stat(name)
	isPath := strings.ContainsRune(name, filepath.Separator) || name == "." || name == ".."
	switch {
	case err == nil && info.IsDir() && hasGoFiles(name):
		if _, err := exec.LookPath(name); !isPath && err == nil && !hasMain(name) {
			return lookPath(prog)
		}
		prog.pkg = localPackage(name)
		return prog, nil
	case err == nil && info.IsDir() && isPath:
		return prog, fmt.Errorf("%s is a directory without Go files: name an executable or a Go main package", name)
	case err == nil && !info.IsDir() && strings.HasSuffix(name, ".go"):
		prog.pkg = localPackage(name)
		return prog, nil
	case err == nil && isPath:
		prog.path = name
		return prog, checkExecutable(name, info)
	case !isPath:
		return lookPath(prog)
	case isImportPath(name):
		prog.pkg = name
		return prog, nil
	case errors.Is(err, fs.ErrNotExist):
		return prog, fmt.Errorf("%s: no such program; name an executable or a Go main package", name)
	}
	return prog, fmt.Errorf("%s: %w", name, plainError(err))
}

// lookPath finds a bare name in PATH.
func lookPath(prog program) (program, error) {
	path, err := exec.LookPath(prog.name)
	if err != nil {
		hint := ""
		_, notNumber := strconv.Atoi(prog.name)
		switch info, err := os.Stat(prog.name); {
		case err != nil && notNumber == nil:
			hint = fmt.Sprintf("; -n %s sets the number of ranks", prog.name)
		case err != nil && strings.HasSuffix(prog.name, ".go"):
			return prog, fmt.Errorf("%s: no such file", prog.name)
		case err != nil:
		case info.IsDir():
			hint = ", and the directory of that name has no Go files"
		default:
			hint = fmt.Sprintf("; for the file in this directory write ./%s", prog.name)
		}
		return prog, fmt.Errorf("%s: no such program in PATH%s", prog.name, hint)
	}
	prog.path = path
	info, err := os.Stat(path)
	if err != nil {
		return prog, fmt.Errorf("%s: %w", path, plainError(err))
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
		return fmt.Errorf("%s: %w", path, plainError(err))
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
	if hasMagic(head) || foreignFormats() {
		return nil
	}
	return fmt.Errorf("%s is no program for this machine; a script needs a #! line", path)
}

// plainError strips the operation and the path from an error of package os, for messages that name the file
// themselves.
func plainError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
