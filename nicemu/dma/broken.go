package dma

import (
	"fmt"
	"io/fs"
	"slices"
)

// Broken words the error what of a transfer of which moved bytes have gone, if any, and
// which something outside the NIC ended, if cause is not nil.
func Broken(what string, moved int, cause error) string {
	if moved > 0 {
		what += fmt.Sprintf(" after %d bytes", moved)
	}
	if cause != nil {
		what += ": " + cause.Error()
	}
	return what
}

// Reasons are what an error of a NIC unwraps to: its own reasons, the cause, if there is
// one, and fs.ErrPermission if another way of moving the bytes may do.
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

// Word is the text of a value of a NIC's list of kind, or says its number: other
// processes write such values too.
func Word[T ~uint8](kind string, v T, texts []string) string {
	if int(v) < len(texts) && texts[v] != "" {
		return texts[v]
	}
	return fmt.Sprintf("%s %d", kind, v)
}
