package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A Kept is a file of one kind that a command writes for its user. It takes the
// place of an older one of its kind, but of nothing else.
type Kept struct {
	File string
	Kind string                 // what it is, such as "report of bench report"
	Is   func(head string) bool // whether a file that begins so is of the kind
}

// headBytes is how much of a file must be enough to tell its kind.
const headBytes = 4096

// Check reports why the file is not to be written, or cannot be: as one
// sentence with the way out. It changes nothing.
func (k Kept) Check() error {
	info, err := os.Stat(k.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return CheckFolder(filepath.Dir(k.File))
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is there, and is not a file; give another name", k.File)
	case err == nil && info.Size() > 0:
		head, err := beginning(k.File)
		if err != nil {
			return fmt.Errorf("%s is there, and what it is cannot be seen: %w; give another name, or remove it", k.File, plain(err))
		}
		if !k.Is(head) {
			return fmt.Errorf("%s is there, and is no %s; give another name, or remove it", k.File, k.Kind)
		}
	}
	return CheckFolder(filepath.Dir(k.File))
}

// beginning reads what tells a file's kind.
func beginning(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	return string(head), err
}

// HasSchema reports whether a file that begins so is an object in JSON that
// first of all names a schema, which begins with name.
func HasSchema(head, name string) bool {
	for _, token := range []string{"{", `"schema"`, ":", `"` + name} {
		var next bool
		if head, next = strings.CutPrefix(strings.TrimLeft(head, " \t\r\n"), token); !next {
			return false
		}
	}
	return true
}

// Replace puts what write writes in the place of a file: a reader finds the old
// one or the new one, and the old one stays if write fails.
func Replace(file string, write func(out *os.File) error) error {
	out, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	return Place(out, file, write)
}

// Place is Replace for a file that is open already, in the same folder: it gets
// its name when write has filled it, and is removed if write fails.
func Place(out *os.File, file string, write func(out *os.File) error) error {
	defer os.Remove(out.Name())
	defer out.Close()
	if err := write(out); err != nil {
		return err
	}
	if err := out.Chmod(0o644); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), file)
}

// CheckFolder reports why no file can be made in a folder, as one sentence with
// the way out.
func CheckFolder(dir string) error {
	probe, err := os.CreateTemp(dir, "probe.*")
	if err == nil {
		probe.Close()
		return os.Remove(probe.Name())
	}
	way := "name another place"
	if _, gone := os.Stat(dir); errors.Is(gone, fs.ErrNotExist) {
		way = "make it first, or " + way
	}
	return fmt.Errorf("cannot write to folder %s: %w; %s", dir, plain(err), way)
}

// MakeFolder makes a folder and those above it that are not there, and checks
// that files can be made in it. The error is one sentence with the way out.
func MakeFolder(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		return CheckFolder(dir)
	}
	above := filepath.Clean(dir)
	info, gone := os.Stat(above)
	for gone != nil && above != filepath.Dir(above) {
		above = filepath.Dir(above)
		info, gone = os.Stat(above)
	}
	switch {
	case gone == nil && !info.IsDir() && above == filepath.Clean(dir):
		return fmt.Errorf("%s is there, and is not a folder; name another", dir)
	case gone == nil && !info.IsDir():
		return fmt.Errorf("cannot make folder %s: %s is not a folder; name another place", dir, above)
	}
	return fmt.Errorf("cannot make folder %s: nothing can be made in %s: %w; name another place", dir, above, plain(err))
}

// plain is the system's reason without the call and the path, which the user
// need not have named.
func plain(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}

// NewFolder makes a folder that is not there yet, with those above it.
func NewFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o777); err != nil {
		return Input(err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return Input(fmt.Errorf("%w; give a folder that is not there yet", err))
	}
	return nil
}

// WriteFile writes a file of a folder of results.
func WriteFile(dir, name string, to func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return errors.Join(to(f), f.Close())
}

// WriteCommand writes the file that says which command made a folder of results.
func WriteCommand(dir, command string) error {
	return WriteFile(dir, "commands.txt", func(w io.Writer) error {
		_, err := fmt.Fprintln(w, command)
		return err
	})
}
