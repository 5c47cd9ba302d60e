package main

import (
	"strings"
	"testing"

	"rhinet/internal/launch"
)

// A wrong command line gives one short line from the launcher, and status 2.
func TestWrongCommandLines(t *testing.T) {
	odd := []string{"", " ", "-", "--", "0", "-1", "x", "1e9", "99999999999999999999", "\x00", "\x1b[2J", "é\n", "NaN", "=", "a=b", "..", strings.Repeat("9", 3000)}
	var lines [][]string
	for _, flag := range []string{"-n", "--np", "-c", "--bind-to", "--timeout", "--nic", "--map-by", "--rank-by", "--host", "--stdin"} {
		lines = append(lines, []string{flag})
		for _, v := range odd {
			switch {
			case flag == "--stdin" && v == "0", flag == "--timeout" && v == "1e9":
				continue // these are not mistakes
			}
			lines = append(lines, []string{flag, v, "true"})
		}
	}
	for _, v := range odd {
		if v != "" && v != "--" && v != "-" && !strings.HasPrefix(v, "-") {
			lines = append(lines, []string{"-n", "2", "--wdir", v + "/no/where", "true"}, []string{"--" + strings.ReplaceAll(v, "=", "?") + "y", "true"}, []string{"./no/" + v})
		}
	}
	for _, r := range refused {
		for _, name := range r.names {
			lines = append(lines, []string{"--" + name, "1", "true"})
		}
	}
	for _, line := range []string{
		":", "true :", ": true", "-n 1 true : -n 2", "-n 1 true : : true", "-n 1024 true : -n 1 true", "--dry-run", "-q", "-n", "-x", "-env A", "-env", "-x =b true",
		"--tag-output=3 true", "--timestamp-output=x true", "--merge-stderr-to-stdout=maybe true", "--quiet=2 true", "--version=x", "--help=x",
		"--map-by slot:PE=2 true", "--map-by node:NOOVERSUBSCRIBE true", "--map-by core:PE true", "--stdin all true", "--stdin 3 true", "-s all true",
		"-n 2 3 true", "4 true", "help me", "completion", "completion csh", "completion bash zsh fish", "/", ".", "/dev/null", "/etc/passwd", "no-such-program",
	} {
		if line != "." { // "." is this package
			lines = append(lines, strings.Fields(line))
		}
	}
	t.Logf("%d command lines", len(lines))
	if len(lines) < 250 {
		t.Error("too few")
	}
	for _, line := range lines {
		status, out, text := mpirun(t, line...)
		if status != launch.StatusUsage || out != "" {
			t.Errorf("%q: status %d, %q, %q", line, status, out, text)
		}
		if !strings.HasPrefix(text, "mpirun: ") || strings.Count(text, "\n") != 1 || len(text) > 450 || strings.ContainsFunc(strings.TrimSuffix(text, "\n"), unprintable) {
			t.Errorf("%q: %d bytes, %q", line, len(text), text)
		}
	}
}

// unprintable reports whether a character would affect a terminal.
func unprintable(r rune) bool { return r < ' ' || r == 0x7f }
