package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// tableFlags returns the flags in the first column of the tables of a text that have a column of that name.
func tableFlags(text, column string) (flags []string) {
	_, text, found := strings.Cut(text, "| "+column+" |\n")
	if !found {
		return nil
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, span := range spans.FindAllStringSubmatch(cells[1], -1) {
			if strings.HasPrefix(span[1], "-") {
				flags = append(flags, span[1])
			}
		}
	}
	return flags
}

// The tables of flags have every flag that the help shows, and no flag that there is not.
func TestFlagsInDocuments(t *testing.T) {
	page, _ := document(t, "docs/mpirun.md")
	hosts, _ := document(t, "docs/hosts.md")
	for _, c := range []struct {
		of     string
		flags  *pflag.FlagSet
		tables []string
	}{
		{"mpirun", newRequest().flags, append(tableFlags(page, "flag | effect"), tableFlags(hosts, "flag | effect")...)},
		{"mpirun tune", new(tuner).flags(), tableFlags(page, "flag of `tune` | effect")},
	} {
		if len(c.tables) < 8 {
			t.Fatalf("%s: only %d flags in the tables", c.of, len(c.tables))
		}
		for _, words := range c.tables {
			if takesFlags(c.flags, words) == nil {
				t.Errorf("the tables have %s, which is no flag of %s", words, c.of)
			}
		}
		c.flags.VisitAll(func(f *pflag.Flag) {
			shown := f.Hidden || f.Name == "help"
			for _, words := range c.tables {
				shown = shown || takesFlags(c.flags, words) == f
			}
			if !shown {
				t.Errorf("no table has the flag --%s of %s: %s", f.Name, c.of, f.Usage)
			}
		})
	}
}

// takesFlags returns the flag with which a span of a table begins, nil if there is none.
func takesFlags(fs *pflag.FlagSet, words string) *pflag.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(strings.Fields(words)[0], "-"), "=")
	name = strings.TrimSuffix(name, "[")
	f := fs.Lookup(name)
	if len(name) == 1 && f == nil {
		f = fs.ShorthandLookup(name)
	}
	if f != nil && f.Annotations[sameAs] != nil {
		return fs.Lookup(f.Annotations[sameAs][0])
	}
	return f
}

var (
	indented  = regexp.MustCompile("(?m)^    .*$")
	jobLine   = regexp.MustCompile(`(?:^|[\s/(])mpirun (-.*|tune.*|completion.*)`)
	jobEnd    = regexp.MustCompile(`\s(#|&&|>|\|) .*`)
	oneQuoted = regexp.MustCompile(`"[^"]*"`)
)

// jobLines returns what follows mpirun in the command lines that a page shows, in blocks and in spans.
func jobLines(page string) (lines []string) {
	page = strings.NewReplacer("\\\n", " ", "```", "").Replace(page)
	texts := indented.FindAllString(page, -1)
	for _, span := range spans.FindAllStringSubmatch(indented.ReplaceAllString(page, ""), -1) {
		texts = append(texts, span[1])
	}
	for _, text := range texts {
		if m := jobLine.FindStringSubmatch(jobEnd.ReplaceAllString(text, "")); m != nil {
			line := oneQuoted.ReplaceAllString(m[1], "quoted")
			lines = append(lines, strings.NewReplacer("--nic NAME", "--nic martini", "-n RANKS", "-n 4").Replace(line))
		}
	}
	return lines
}

// Every command line of mpirun that a page shows has flags that mpirun takes, with values that it takes.
func TestCommandLinesInDocuments(t *testing.T) {
	_, root := document(t, "README.md")
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil || len(pages) < 8 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	checked := 0
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "results/README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range jobLines(string(text)) {
			checked++
			if err := accepted(line); err != nil {
				t.Errorf("%s shows mpirun %s: %v", filepath.Base(page), line, err)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d command lines were found", checked)
	}
}

// accepted returns why mpirun would refuse the flags of a command line.
func accepted(line string) error {
	words := strings.Fields(line)
	switch words[0] {
	case "tune":
		_, err := parseFlags(new(tuner).flags(), words[1:])
		return err
	case "completion":
		return checkShell(words)
	}
	if len(words) == 1 && takesFlags(newRequest().flags, line) != nil {
		return nil // a page may name a flag without a value
	}
	for _, part := range split(words) {
		if _, err := parseFlags(newRequest().flags, part); err != nil && err != errVersion && err != errHelp {
			return err
		}
	}
	return nil
}

func TestAccepted(t *testing.T) {
	for line, refused := range map[string]bool{
		"-n 2 ./a : -n 3 ./b": false, "-n 2 ./a : --fast ./b": true, "--nic none ./a": true, "--help": false, "--nic": false, "--fast": true,
		"tune -n 4,8": false, "tune --fast": true, "completion csh": true, "--timeout soon ./a": true,
	} {
		if err := accepted(line); (err != nil) != refused {
			t.Errorf("%s: %v", line, err)
		}
	}
}
