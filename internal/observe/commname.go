package observe

import (
	"bytes"
	"strings"
	"unicode"
)

// setCommName writes the name of a communicator to its row. A name tells from left to right how the
// communicator was made, so of one that is too long the end is kept.
func setCommName(row []byte, name string) {
	const omitted = "..."
	if len(name) > commNameBytes {
		name = omitted + strings.ToValidUTF8(name[len(name)-commNameBytes+len(omitted):], "")
	}
	clear(row[copy(row[:commNameBytes], name):commNameBytes])
}

// commName returns the name in the row of a communicator, without what cannot be printed.
func commName(row []byte) string {
	name, _, _ := bytes.Cut(row[:commNameBytes], []byte{0})
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(name), ""))
}
