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

// A Kept is a file of a certain kind that a command writes for its user. It may replace an older file of
// the same kind, but no other file.
type Kept struct {
	File string
	Kind string                 // what it is, such as "report of bench report"
	Is   func(head string) bool // reports whether a file that begins with head is of the kind
}

// headBytes is how much of a file is read to determine its kind.
const headBytes = 4096

// Check returns why the file must not or cannot be written, in one sentence with a hint. It changes
// nothing.
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

// beginning reads the part of a file that determines its kind.
func beginning(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	return string(head), err
}

// HasSchema reports whether a file that begins with head is a JSON object whose first member is a schema
// that begins with name.
func HasSchema(head, name string) bool {
	for _, token := range []string{"{", `"schema"`, ":", `"` + name} {
		var next bool
		if head, next = strings.CutPrefix(strings.TrimLeft(head, " \t\r\n"), token); !next {
			return false
		}
	}
	return true
}

// Replace replaces a file by what write writes: a reader finds either the old or the new file, and the old
// one stays if write fails.
func Replace(file string, write func(out *os.File) error) error {
	out, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	return Place(out, file, write)
}

// Place is Replace for a file that is already open, in the same folder: it is renamed when write has filled
// it, and removed if write fails.
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

// CheckFolder returns why no file can be created in a folder, in one sentence with a hint.
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

// MakeFolder creates a folder and its missing parents, and checks that files can be created in it. The
// error is one sentence with a hint.
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

// plain returns the system's reason without the call and the path, which the user may not have named.
func plain(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}

// NewFolder creates a folder that must not exist yet, with its parents.
func NewFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o777); err != nil {
		return Input(err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return Input(fmt.Errorf("%w; give a folder that is not there yet", err))
	}
	return nil
}

// WriteFile writes a file in a folder of results.
func WriteFile(dir, name string, to func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return errors.Join(to(f), f.Close())
}

// WriteCommand writes the file that records which command made a folder of results.
func WriteCommand(dir, command string) error {
	return WriteFile(dir, "commands.txt", func(w io.Writer) error {
		_, err := fmt.Fprintln(w, command)
		return err
	})
}
