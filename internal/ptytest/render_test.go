package ptytest

import (
	"io"
	"testing"
)

func TestRender(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"a\r\nb":                    "a\nb",
		"long line\rshort":          "shortline",
		"long line\r" + Erase + "a": "a",
		"ab\rc" + Erase + "\r\n":    "c\n",
		"a\nb":                      "a\n b",
	} {
		if got := Render(text); got != want {
			t.Errorf("%q shows as %q, want %q", text, got, want)
		}
	}
}

func TestOpen(t *testing.T) {
	user, program := Open(t, 97)
	if _, err := program.WriteString("hello\n"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len("hello\r\n"))
	if _, err := io.ReadFull(user, got); err != nil || string(got) != "hello\r\n" {
		t.Errorf("read %q, %v", got, err)
	}
}
