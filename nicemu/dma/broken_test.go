package dma

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
)

func TestBroken(t *testing.T) {
	cause := errors.New("bad address")
	for _, c := range []struct {
		moved int
		cause error
		want  string
	}{
		{0, nil, "PUT refused"},
		{4, nil, "PUT refused after 4 bytes"},
		{0, cause, "PUT refused: bad address"},
		{4, cause, "PUT refused after 4 bytes: bad address"},
	} {
		if got := Broken("PUT refused", c.moved, c.cause); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	own := errors.New("no access")
	for _, c := range []struct{ got, want []error }{
		{Reasons(false, nil, own), []error{own}},
		{Reasons(false, cause, own), []error{own, cause}},
		{Reasons(true, nil, own, fs.ErrExist), []error{own, fs.ErrExist, fs.ErrPermission}},
		{Reasons(true, cause, own), []error{own, cause, fs.ErrPermission}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	texts := []string{"", "no node"}
	for v, want := range map[uint8]string{0: "reason 0", 1: "no node", 2: "reason 2"} {
		if got := Word("reason", v, texts); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
