package results

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A stepLog is the file that records which command makes which file of a results folder: a line "FILE:
// COMMAND" for each command that was started.
type stepLog struct {
	file string
	made map[string]string
}

// readLog reads the log, which need not exist.
func readLog(file string) (*stepLog, error) {
	l := &stepLog{file, map[string]string{}}
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("%w; take another folder", err)
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		name, command, ok := strings.Cut(s.Text(), ": ")
		if !ok {
			return nil, fmt.Errorf("%s has the line %q, which is not FILE: COMMAND; take another folder", file, s.Text())
		}
		l.made[name] = command
	}
	return l, nil
}

// done reports whether a step's file exists. Files made by another command are an error, so that nothing is
// mixed or overwritten.
func (l *stepLog) done(dir string, s step) (bool, error) {
	files := []string{s.file}
	if s.keeps {
		files = append(files, s.stem()+".json", s.stem()+".json.part")
	}
	made, known := l.made[s.file]
	for _, name := range files {
		path := filepath.Join(dir, name)
		switch _, err := os.Stat(path); {
		case os.IsNotExist(err):
		case err != nil:
			return false, err
		case !known:
			return false, fmt.Errorf("%s is not from bench results; take another folder", path)
		case s.again:
		case made != s.command():
			return false, fmt.Errorf("%s was made by another command, %s; take another folder", path, made)
		case name == s.file:
			return true, nil
		}
	}
	return false, nil
}

// begin records that a step has been started.
func (l *stepLog) begin(s step) error {
	if l.made[s.file] == s.command() {
		return nil
	}
	l.made[s.file] = s.command()
	f, err := os.OpenFile(l.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "%s: %s\n", s.file, s.command())
	return err
}
