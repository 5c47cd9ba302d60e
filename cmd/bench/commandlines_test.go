package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rhinet/bench/pmb"
)

var (
	shownLine = regexp.MustCompile("(?m)^    .*$")
	shownSpan = regexp.MustCompile("`([^`]+)`")
	shownWord = regexp.MustCompile(`(?:^\s*|&& |mpirun .*[ /])bench (.*)`)
	shownEnd  = regexp.MustCompile(`\s(#|&&|>|;).*| >.*`)
	oneOfMany = regexp.MustCompile(`^[a-z]+(\|[a-z]+)+$`)
)

// commandLines returns the arguments of every command line of bench that a page shows, in a block or in a span.
func commandLines(page string) (lines [][]string) {
	page = strings.ReplaceAll(strings.ReplaceAll(page, "\\\n", " "), "```", "")
	texts := shownLine.FindAllString(page, -1)
	for _, span := range shownSpan.FindAllStringSubmatch(shownLine.ReplaceAllString(page, ""), -1) {
		texts = append(texts, strings.Join(strings.Fields(span[1]), " "))
	}
	for _, text := range texts {
		m := shownWord.FindStringSubmatch(shownEnd.ReplaceAllString(text, ""))
		if m == nil {
			continue
		}
		line := [][]string{nil}
		for _, word := range strings.Fields(m[1]) {
			forms := []string{word}
			if oneOfMany.MatchString(word) { // pull|botf: two command lines
				forms = strings.Split(word, "|")
			}
			var all [][]string
			for _, before := range line {
				for _, form := range forms {
					all = append(all, append(before[:len(before):len(before)], form))
				}
			}
			line = all
		}
		lines = append(lines, line...)
	}
	return lines
}

// Every command line of bench that a page shows names a command that exists, and flags and arguments that the
// command takes.
func TestCommandsInDocuments(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 8 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	checked := 0
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../results/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range commandLines(string(text)) {
			checked++
			if err := understood(args); err != nil && !slices.Contains(args, "EXPERIMENT") {
				t.Errorf("%s shows bench %s: %v", filepath.Base(page), strings.Join(args, " "), err)
			}
		}
	}
	if checked < 150 {
		t.Errorf("only %d command lines were found", checked)
	}
}

// understood returns why bench would refuse a command line before it looks at what the words mean.
func understood(args []string) (err error) {
	if args[0] == "pmb" {
		if args, err = pmb.Flags(args[1:]); err != nil {
			return err
		}
		args = append([]string{"pmb"}, args...)
	}
	root, err := rootCommand(io.Discard, io.Discard)
	if err != nil {
		return err
	}
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if slices.Contains(rest, "--help") {
		return nil
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	if len(rest) == 0 {
		return nil // a page may name a command that takes arguments without them
	}
	return c.ValidateArgs(c.Flags().Args())
}

func TestUnderstood(t *testing.T) {
	for line, want := range map[string]string{
		"pong":                   `unknown command "pong"`,
		"compare --fast":         "unknown flag: --fast",
		"compare --rounds many":  "invalid argument",
		"count":                  "",
		"calibrate 8":            "unexpected argument",
		"pmb PingPong -npmin 2":  "",
		"nic push --trace":       "",
		"compare npb --waits":    "",
		"pmb PingPong -nonsense": "unknown flag: --nonsense",
	} {
		err := understood(strings.Fields(line))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
