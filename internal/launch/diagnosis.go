package launch

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// position matches the beginning of a message about a place in a file.
var position = regexp.MustCompile(`^(.+\.go):\d+(:\d+)?: `)

// chatter matches what the go command says beside its errors.
var chatter = regexp.MustCompile(`^(# |go: (downloading|finding|found|added|upgraded|downgraded) )`)

// noBuild puts into one line what the go command had to say about a package
// that it could not build: the first message about a place in a file if there
// is one, and how to see the others.
func noBuild(prog *program, at site, output string) error {
	all, atLeast := messages(output)
	if len(all) == 0 {
		return &refusal{prog.name + " does not build, and the go command does not say why: " + at.command()}
	}
	first := all[0]
	if file := position.FindStringSubmatch(first); file != nil && at.dir != "" && !filepath.IsAbs(file[1]) {
		first = filepath.Join(at.name, file[1]) + first[len(file[1]):]
	}
	text := prog.name + " does not build: " + first
	if file := position.FindString(first); file == "" && at.imported {
		text = prog.name + " is no file, and no Go package that builds: " + first
	}
	if strings.Contains(first, syscall.ENOSPC.Error()) {
		text += " (TMPDIR names another place to build in)"
	}
	if more := len(all) - 1; more > 0 {
		text += fmt.Sprintf(" (%s%d more: %s)", atLeast, more, at.command())
	}
	return &refusal{text}
}

// messages cuts what the go command printed into messages of one line each. It
// returns those about places in files only, if there are any. atLeast is not
// empty if the compiler left some out.
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
			all[len(all)-1] += " " + text // begins with a blank: goes on with the message above
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
