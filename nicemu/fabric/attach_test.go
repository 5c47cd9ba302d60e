package fabric

import (
	"strings"
	"testing"
)

func TestParseAttach(t *testing.T) {
	for s, want := range map[string]Attach{"": AttachAuto, "auto": AttachAuto, "on": AttachOn, "off": AttachOff} {
		if a, err := ParseAttach(s); a != want || err != nil {
			t.Errorf("%q: %v, %v", s, a, err)
		}
	}
	if _, err := ParseAttach("maybe"); err == nil || !strings.Contains(err.Error(), `cross-memory attach "maybe"; it is auto, on or off`) {
		t.Error(err)
	}
}
