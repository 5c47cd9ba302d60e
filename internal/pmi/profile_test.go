package pmi

import "testing"

func TestProfileIsEncoded(t *testing.T) {
	for _, kind := range ProfileKinds() {
		want := Profile{kind, "/tmp/a b:c"}
		if got, err := DecodeProfile(want.Encode()); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if p, err := DecodeProfile(""); err != nil || p != (Profile{}) {
		t.Errorf("%+v, %v", p, err)
	}
	for _, value := range []string{"cpu", "cpu:", ":x", "disk:/tmp", " cpu:/tmp"} {
		if _, err := DecodeProfile(value); err == nil {
			t.Errorf("%q is taken", value)
		}
	}
}
