package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"rhinet/internal/fserror"
)

// Marks at the start of files written by mpirun. A file may be replaced only if it has such a mark.
const (
	perfettoMark = `{"displayTimeUnit":`
	profileMark  = "\x1f\x8b" // gzip
	vcdMark      = "$"
	reportMark   = "{\n\t\"model\": "
	anyMark      = "" // every file has it
	tableMark    = "{\n  \"schema\": \"rhinet-tuning-"
)

// statsMarks are the marks of statistics, by the extension of the file's name.
var statsMarks = map[string]string{".txt": "calls of ", ".json": "{\n\t\"program\": ", ".html": "rhinet mpirun --stats"}

// markWithin is the range in which a mark is looked for, in bytes from the beginning.
const markWithin = 256

// mayWrite reports, before the job runs, a file that cannot be created, or that exists without the mark of
// files written by mpirun.
func mayWrite(file, mark string) error {
	if file == "" {
		return errors.New("the file's name is empty")
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no directory %s to write to", filepath.Dir(file))
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return opens(file, os.O_CREATE|os.O_EXCL)
	case info.IsDir():
		return errors.New("it is a directory; name a file")
	case info.Mode().IsRegular() && info.Size() > 0 && !begins(file, mark):
		return errors.New("it is there, and is none that mpirun replaces; name another file, or remove it")
	case info.Mode().IsRegular():
		return opens(file, 0)
	}
	return nil
}

// opens reports whether a file can be written, which it leaves as it was: a file that it makes it removes.
func opens(name string, how int) error {
	f, err := os.OpenFile(name, os.O_WRONLY|how, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil // a link to a file that does not exist
	}
	if err != nil {
		return fmt.Errorf("it cannot be written: %w; name another file", fserror.Reason(err))
	}
	if how != 0 {
		os.Remove(name)
	}
	return f.Close()
}

// begins reports whether mark is within the first markWithin bytes of a file.
func begins(file, mark string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, markWithin)
	n, _ := io.ReadFull(f, head)
	return strings.Contains(string(head[:n]), mark)
}

// create writes a file, which is there when it is complete, and not before: until then it has another name. A
// signal that asks mpirun to end ends the writing.
func create(name string, write func(io.Writer) error) error {
	file, err := beside(name)
	if err != nil {
		file, err = os.Create(name)
	}
	if err != nil {
		return err
	}
	err = errors.Join(untilSignal(name, file, write), file.Close())
	if file.Name() == name {
		return err
	}
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// beside creates a file in the folder of another one, which it may replace: not if that is a device, a pipe
// or a link.
func beside(name string) (*os.File, error) {
	before, err := os.Lstat(name)
	if err == nil && !before.Mode().IsRegular() {
		return nil, fs.ErrExist
	}
	part := filepath.Join(filepath.Dir(name), fmt.Sprintf(".mpirun-%016x.part", rand.Uint64()))
	file, openErr := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if openErr == nil && err == nil {
		_ = file.Chmod(before.Mode().Perm()) // as it was, if possible
	}
	return file, openErr
}

// untilSignal writes a file. If a signal comes first that asks mpirun to end, it does not wait for the rest,
// since a trace of many events takes seconds.
func untilSignal(name string, file io.Writer, write func(io.Writer) error) error {
	signals := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) { // as under nohup
			signal.Notify(signals, sig)
		}
	}
	defer signal.Stop(signals)
	done := make(chan error, 1)
	go func() { done <- write(file) }()
	select {
	case err := <-done:
		return err
	case sig := <-signals:
		return fmt.Errorf("%s was not complete when the signal to end came (%v)", name, sig)
	}
}

// createWith is create of a file that has this text.
func createWith(name string, text []byte) error {
	return create(name, func(out io.Writer) error {
		_, err := out.Write(text)
		return err
	})
}
