package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rhinet/bench/compare"
)

// A saver keeps results in files. A result that is not whole stands beside
// its place, so that an older one is lost only to a whole new one.
type saver struct{ file string }

func newSaver(file string) *saver { return &saver{file} }

// check reports whether a file can be written at the place.
func (s *saver) check() error {
	if s.file == "" {
		return nil
	}
	for _, file := range []string{s.file, s.partial()} {
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is there, and is not a file", file)
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(s.file), filepath.Base(s.file)+".*")
	var at *fs.PathError
	if errors.As(err, &at) { // name the folder, not the file that was not to stay
		return fmt.Errorf("cannot write to folder %s: %w", filepath.Dir(s.file), at.Err)
	}
	if err != nil {
		return err
	}
	tmp.Close()
	return os.Remove(tmp.Name())
}

// partial is the name of the file of what is not whole.
func (s *saver) partial() string { return s.file + ".part" }

// newest is the file to continue.
func (s *saver) newest() string {
	if _, err := os.Stat(s.partial()); err == nil {
		return s.partial()
	}
	return s.file
}

// part keeps what was measured so far.
func (s *saver) part(res *compare.Result) error { return s.write(s.partial(), res) }

// whole puts the result in its place.
func (s *saver) whole(res *compare.Result) error {
	if err := s.write(s.file, res); err != nil || s.file == "" {
		return err
	}
	if err := os.Remove(s.partial()); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// write replaces a file at once: a reader finds the old or the new one.
func (s *saver) write(file string, res *compare.Result) error {
	if s.file == "" {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	if err := res.Encode(tmp); err != nil {
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
