// Package tuning holds measured settings for a machine, or a modelled network: the table that mpirun tune
// writes and later jobs read, and how it is derived from measurements.
//
// It treats the names of operations and algorithms as plain words: package collectives parses the rules,
// and callers that read a table pass a function that checks them.
package tuning

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"rhinet/internal/fserror"
)

// A Table holds the results. Limits that are 0 are left to the network interface.
type Table struct {
	Schema  string   `json:"schema"`
	Machine *Machine `json:"machine,omitempty"` // where it was measured; nil: on a modelled network
	Model   string   `json:"model,omitempty"`   // the modelled network, as given to mpirun --time
	NIC     string   `json:"nic"`
	Ranks   []int    `json:"ranks"`           // of the jobs that were measured
	Eager   int      `json:"eager,omitempty"` // bytes: the longest message in packets
	Split   int      `json:"split,omitempty"` // bytes: the shortest message that both sides move
	Rules   []string `json:"rules"`           // as collectives.ParseRules reads them
}

// Schema names the format of a table: a name, and a version.
const (
	schemaName = "rhinet-tuning-"
	Schema     = schemaName + "1"
)

// mostLimit is the largest limit that a table may have.
const mostLimit = 1 << 30

// Encode returns the table as a file holds it.
func (t *Table) Encode() ([]byte, error) {
	t.Schema = Schema
	t.Ranks, t.Rules = append([]int{}, t.Ranks...), append([]string{}, t.Rules...) // empty, not null
	text, err := json.MarshalIndent(t, "", "  ")
	return append(text, '\n'), err
}

// Read reads a table from a file and has rules check its rules, joined by commas. An error is one line that
// says what to do.
func Read(file string, rules func(string) error) (*Table, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the table %s: %w", file, fserror.Reason(err))
	}
	t := new(Table)
	bad := func(what string) (*Table, error) {
		return nil, fmt.Errorf("%s is no table of this version: %s; write a new one with mpirun tune", file, what)
	}
	if err := json.Unmarshal(text, t); err != nil {
		return bad(strings.TrimPrefix(err.Error(), "json: "))
	}
	switch {
	case !strings.HasPrefix(t.Schema, schemaName):
		return bad("it names no schema " + Schema)
	case t.Schema != Schema:
		return bad(fmt.Sprintf("it has the schema %q, not %s", t.Schema, Schema))
	case (t.Machine == nil) == (t.Model == ""):
		return bad("it says neither machine nor model, or both")
	case t.NIC == "":
		return bad("it names no network interface")
	}
	for _, limit := range []int{t.Eager, t.Split} {
		if limit < 0 || limit > mostLimit {
			return bad(fmt.Sprintf("a limit of %d bytes", limit))
		}
	}
	if err := rules(strings.Join(t.Rules, ",")); err != nil {
		return bad(err.Error())
	}
	return t, nil
}

// Fields of a word.
const (
	eagerField = "eager="
	splitField = "split="
	separator  = ";"
)

// Word returns the settings of the table for ranks, without blanks; empty if there are none.
func (t *Table) Word() string {
	if t.Eager == 0 && t.Split == 0 && len(t.Rules) == 0 {
		return ""
	}
	return fmt.Sprintf("%s%d%s%s%d%s%s", eagerField, t.Eager, separator, splitField, t.Split, separator, strings.Join(t.Rules, ","))
}

// A Setting is the contents of a word.
type Setting struct {
	Eager, Split int    // bytes; 0: what the network interface recommends
	Rules        string // separated by commas
}

// ParseWord parses the result of Word. An empty word sets nothing.
func ParseWord(word string) (s Setting, err error) {
	if word == "" {
		return s, nil
	}
	parts := strings.SplitN(word, separator, 3)
	if len(parts) != 3 {
		return s, fmt.Errorf("%q is no tuning; start the program with rhinet's mpirun", word)
	}
	for i, f := range []struct {
		prefix string
		to     *int
	}{{eagerField, &s.Eager}, {splitField, &s.Split}} {
		text, ok := strings.CutPrefix(parts[i], f.prefix)
		n, err := strconv.Atoi(text)
		if !ok || err != nil || n < 0 || n > mostLimit {
			return Setting{}, fmt.Errorf("%q is no limit of a tuning; start the program with rhinet's mpirun", parts[i])
		}
		*f.to = n
	}
	s.Rules = parts[2]
	return s, nil
}
