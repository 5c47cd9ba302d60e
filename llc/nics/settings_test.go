package nics

import (
	"strings"
	"testing"

	"rhinet/nicemu/fabric"
)

func TestSettings(t *testing.T) {
	for _, name := range []string{"martini:pm:throttle=global", "martini:pm:throttle=destination", "martini:pm"} {
		if err := Check(name); err != nil {
			t.Error(err)
		}
		f, err := fabric.Heap(2, Geometry(name, fabric.Small(), 2))
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Open(name, f, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := tr.Caps().Name; got != name {
			t.Errorf("%s calls itself %s", name, got)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{
		"martini:pm:throttle=full":     `no throttle "full"; it is off, destination, global`,
		"martini:pm:throttle=":         `no throttle ""`,
		"martini:pm:rings=4":           `no setting "rings"; there is martini:pm:throttle=off|destination|global`,
		"martini:vp:throttle=global":   "martini:vp has no settings; there is martini:pm:throttle=",
		"martini:throttle=global":      "martini has no settings",
		"throttle=global":              "no such network interface; there is " + strings.Join(Selectable(), ", "),
		"martini:pm:":                  "no such network interface",
		"martini:pm:throttle=off:a=b":  `no throttle "off:a=b"`,
		"infiniband:throttle=global":   "no such network interface",
		"martini:pm:throttle=global,x": `no throttle "global,x"`,
	} {
		err := Check(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
		f, err := fabric.Heap(1, Geometry(name, fabric.Small(), 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(name, f, 0); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s opens: %v", name, err)
		}
	}
}
