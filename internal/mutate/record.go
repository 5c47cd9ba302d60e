package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
)

// A record keeps results in a file, one line of JSON each, so that an interrupted run can be continued. A
// fault that was caught counts as caught until its entry or its file changes; a fault that survived is
// always run again.
type record struct {
	name string
	old  map[string]Result // by key
}

// openRecord reads a record, which need not exist; without a name nothing is recorded.
func openRecord(name string) (*record, error) {
	r := &record{name: name, old: map[string]Result{}}
	if name == "" {
		return r, nil
	}
	file, err := os.Open(name)
	if os.IsNotExist(err) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var res Result
		if err := json.Unmarshal(lines.Bytes(), &res); err != nil {
			return nil, fmt.Errorf("%s is no record of mutate: %w", name, err)
		}
		if res.Verdict.Caught() {
			r.old[res.Key] = res
		}
	}
	return r, lines.Err()
}

// known returns the result of a fault that was caught before.
func (r *record) known(key string) (Result, bool) {
	res, ok := r.old[key]
	return res, ok
}

// keep appends a result.
func (r *record) keep(res Result) error {
	if r.name == "" {
		return nil
	}
	line, err := json.Marshal(res)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(r.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = file.Write(append(line, '\n')); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// key identifies a fault, its tests, and the text of its file.
func (f *Fault) key(root string) (string, error) {
	text, err := f.source(root)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%v\n%s", f.File, f.Name, f.Tests, text))
	return hex.EncodeToString(sum[:12]), nil
}
