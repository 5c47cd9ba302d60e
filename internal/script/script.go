// Package script runs transcripts: text files with commands and the complete output expected from them.
// With -rewrite the output is written instead of compared, and the difference is reviewed as a change of
// behaviour.
//
// A file is a sequence of blocks, separated by empty lines:
//
//	# a comment
//	send 0 to=1 tag=7 bytes=64
//	----
//	0 posts shared eager to 1
//
// All commands of a block run; then their joined output must equal the lines below the bar. A block that
// consists of comments is kept unchanged.
package script

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the output of transcripts instead of comparing it")

// bar separates commands from output.
const bar = "----"

// A Command is one line of a block: a name, words, and name=value options. A mistake in it stops the test
// and reports file and line.
type Command struct {
	Name string
	tb   testing.TB
	at   string // file:line
	args []string
	opts map[string]string
}

// Arg returns word number i after the name.
func (c *Command) Arg(i int) string {
	c.tb.Helper()
	if i >= len(c.args) {
		c.Fatalf("%s wants %d words", c.Name, i+1)
	}
	return c.args[i]
}

// ArgInt returns word number i as a number.
func (c *Command) ArgInt(i int) int {
	c.tb.Helper()
	return c.number(c.Arg(i))
}

// Has reports whether word is among the words or the option names.
func (c *Command) Has(word string) bool {
	for _, a := range c.args {
		if a == word {
			return true
		}
	}
	_, ok := c.opts[word]
	return ok
}

// Int returns an option's value, or otherwise if the option is not given.
func (c *Command) Int(name string, otherwise int) int {
	c.tb.Helper()
	v, ok := c.opts[name]
	if !ok {
		return otherwise
	}
	return c.number(v)
}

func (c *Command) number(v string) int {
	c.tb.Helper()
	n, err := strconv.Atoi(v)
	if err != nil {
		c.Fatalf("%q is not a number", v)
	}
	return n
}

// Fatalf stops the test and reports the position of the command.
func (c *Command) Fatalf(format string, args ...any) {
	c.tb.Helper()
	c.tb.Fatalf("%s: %s", c.at, fmt.Sprintf(format, args...))
}

// RunAll runs the transcripts in the files that match pattern, each as a subtest named after its file;
// begin makes the handler for one transcript.
func RunAll(t *testing.T, pattern string, begin func(t *testing.T) func(*Command) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), filepath.Ext(f)), func(t *testing.T) { Run(t, f, begin(t)) })
	}
}

// Run runs the transcript in a file: handle runs one command and returns its output.
func Run(tb testing.TB, path string, handle func(*Command) string) {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	out := play(tb, path, string(text), handle)
	if *rewrite {
		if out != string(text) {
			if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
				tb.Fatal(err)
			}
		}
		return
	}
	if at, want, got := difference(string(text), out); at > 0 {
		tb.Errorf("%s:%d: want\n\t%s\ngot\n\t%s\n(-rewrite accepts the new output)", path, at, want, got)
	}
}

// play runs all commands of text and returns text with their output.
func play(tb testing.TB, path, text string, handle func(*Command) string) string {
	tb.Helper()
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			b.WriteString(lines[i] + "\n")
			i++
			continue
		}
		output := ""
		for ; i < len(lines) && lines[i] != "" && lines[i] != bar; i++ {
			b.WriteString(lines[i] + "\n")
			if !strings.HasPrefix(lines[i], "#") {
				output += handle(parse(tb, fmt.Sprintf("%s:%d", path, i+1), lines[i]))
			}
		}
		for i < len(lines) && lines[i] != "" {
			i++ // skip the old output
		}
		b.WriteString(bar + "\n" + output)
		if output != "" && !strings.HasSuffix(output, "\n") {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func parse(tb testing.TB, at, line string) *Command {
	words := strings.Fields(line)
	c := &Command{Name: words[0], tb: tb, at: at, opts: map[string]string{}}
	for _, w := range words[1:] {
		if name, value, ok := strings.Cut(w, "="); ok {
			c.opts[name] = value
		} else {
			c.args = append(c.args, w)
		}
	}
	return c
}

// difference returns the number of the first line that differs, or 0.
func difference(want, got string) (line int, w, g string) {
	ws, gs := strings.Split(strings.TrimRight(want, "\n"), "\n"), strings.Split(strings.TrimRight(got, "\n"), "\n")
	for i := range max(len(ws), len(gs)) {
		w, g = "(end)", "(end)"
		if i < len(ws) {
			w = ws[i]
		}
		if i < len(gs) {
			g = gs[i]
		}
		if w != g {
			return i + 1, w, g
		}
	}
	return 0, "", ""
}
