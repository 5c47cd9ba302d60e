package dma

import (
	"fmt"
	"io/fs"
	"slices"
)

// Broken formats the error what of a transfer that moved the given number of bytes before it
// failed. cause, if not nil, is a cause outside the NIC.
func Broken(what string, moved int, cause error) string {
	if moved > 0 {
		what += fmt.Sprintf(" after %d bytes", moved)
	}
	if cause != nil {
		what += ": " + cause.Error()
	}
	return what
}

// Reasons lists what an error of a NIC unwraps to: its own reasons, the cause, if any, and
// fs.ErrPermission if another way of moving the bytes may work.
func Reasons(otherWay bool, cause error, own ...error) []error {
	all := slices.Clip(own)
	if cause != nil {
		all = append(all, cause)
	}
	if otherWay {
		all = append(all, fs.ErrPermission)
	}
	return all
}

// Word returns the text of v in a NIC's list texts, or kind and v's number if there is none: other
// processes write such values too.
func Word[T ~uint8](kind string, v T, texts []string) string {
	if int(v) < len(texts) && texts[v] != "" {
		return texts[v]
	}
	return fmt.Sprintf("%s %d", kind, v)
}
