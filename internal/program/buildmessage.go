package program

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// position matches the beginning of a message about a position in a file.
var position = regexp.MustCompile(`^(.+\.go):\d+(:\d+)?: `)

// chatter matches output of the go command other than errors.
var chatter = regexp.MustCompile(`^(# |go: (downloading|finding|found|added|upgraded|downgraded) )`)

// noBuild puts into one line why the go command could not build a package: the first message about a
// position in a file if there is one, and how to see the others.
func noBuild(prog *Program, at site, output string) error {
	all, atLeast := messages(output)
	if len(all) == 0 {
		return &Refusal{prog.Name + " does not build, and the go command does not say why: " + at.command()}
	}
	first := all[0]
	if file := position.FindStringSubmatch(first); file != nil && at.dir != "" && !filepath.IsAbs(file[1]) {
		first = filepath.Join(at.name, file[1]) + first[len(file[1]):]
	}
	text := prog.Name + " does not build: " + first
	if file := position.FindString(first); file == "" && at.imported {
		text = prog.Name + " is no file, and no Go package that builds: " + first
	}
	if strings.Contains(first, syscall.ENOSPC.Error()) {
		text += " (TMPDIR names another place to build in)"
	}
	if more := len(all) - 1; more > 0 {
		text += fmt.Sprintf(" (%s%d more: %s)", atLeast, more, at.command())
	}
	return &Refusal{text}
}

// messages splits the output of the go command into messages of one line each. If any of them are about
// positions in files, it returns only those. atLeast is not empty if the compiler left out further
// messages.
func messages(output string) (all []string, atLeast string) {
	var placed []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, " \t\r\n")
		text := strings.TrimSpace(line)
		switch {
		case text == "", chatter.MatchString(line):
		case strings.HasSuffix(line, ": too many errors"):
			atLeast = "at least "
		case text != line && len(all) > 0:
			all[len(all)-1] += " " + text // an indented line continues the message above
		default:
			all = append(all, strings.TrimPrefix(text, "go: "))
		}
	}
	for _, text := range all {
		if position.MatchString(text) {
			placed = append(placed, text)
		}
	}
	if len(placed) > 0 {
		return placed, atLeast
	}
	return all, atLeast
}
