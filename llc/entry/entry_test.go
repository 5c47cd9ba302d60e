package entry

import (
	"errors"
	"testing"

	"rhinet/llc/ir"
)

func TestSetting(t *testing.T) {
	s := Setting{Key: "throttle", Values: []string{"off", "global"}}
	if got := s.String(); got != "throttle=off|global" {
		t.Error(got)
	}
	if err := s.Check("global"); err != nil {
		t.Error(err)
	}
	for _, value := range []string{"", "full", "off,global"} {
		if err, want := s.Check(value), `no throttle "`+value+`"; it is off, global`; err == nil || err.Error() != want {
			t.Errorf("%q: %v", value, err)
		}
	}
	if got := (Setting{}).String(); got != "" {
		t.Error(got)
	}
}

type translator struct{ ir.Translator }

func TestOpenedHasNoTranslatorBesideAnError(t *testing.T) {
	bad := errors.New("bad")
	if tr, err := Opened[*translator](nil, bad); tr != nil || !errors.Is(err, bad) {
		t.Errorf("%v, %v", tr, err)
	}
	if tr, err := Opened(new(translator), nil); tr == nil || err != nil {
		t.Errorf("%v, %v", tr, err)
	}
}
