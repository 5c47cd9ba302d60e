// Package ptytest gives tests a terminal of their own: a pseudo terminal, and a rendering of what a user
// would see on it.
package ptytest

import (
	"bytes"
	"strings"
)

// Erase is the sequence that clears a line from the cursor on.
const Erase = "\x1b[K"

// Render returns what a terminal of unlimited width shows after text. It supports only carriage return,
// line feed and [Erase]; a line feed leaves the cursor in its column, as on terminals.
func Render(text string) string {
	lines, at := [][]byte{nil}, 0
	for len(text) > 0 {
		line := lines[len(lines)-1]
		switch {
		case strings.HasPrefix(text, Erase):
			lines[len(lines)-1] = line[:min(at, len(line))]
			text = text[len(Erase):]
			continue
		case text[0] == '\n':
			lines = append(lines, bytes.Repeat([]byte{' '}, at))
		case text[0] == '\r':
			at = 0
		case at < len(line):
			line[at] = text[0]
			at++
		default:
			lines[len(lines)-1] = append(line, text[0])
			at++
		}
		text = text[1:]
	}
	return string(bytes.Join(lines, []byte{'\n'}))
}
