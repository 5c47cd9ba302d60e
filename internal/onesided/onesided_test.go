package onesided

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for list, want := range map[string]Ways{
		"": 0, " , ": 0, "update=processor,lock=library": 0, " lock = ncl ": NCL, "update=remote": RemoteUpdates,
		"update=remote,lock=ncl": RemoteUpdates | NCL, "memory=board": OnBoard, "memory=host,lock=ncl": NCL,
	} {
		if w, err := Parse(list); w != want || err != nil {
			t.Errorf("%q: %b, %v", list, w, err)
		}
		if again, err := Parse(want.String()); again != want || err != nil {
			t.Errorf("%s: %b, %v", want, again, err)
		}
	}
	for list, want := range map[string]string{
		"lock":          `"lock" is not what=way`,
		"lock=mcs":      `no way "mcs" for lock; there are library, ncl`,
		"update=":       `no way "" for update; there are processor, remote`,
		"put=fast":      `windows have no "put"; there are update, lock, memory`,
		"lock=ncl,lock": `"lock" is not`,
	} {
		if _, err := Parse(list); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", list, err)
		}
	}
}

// TestParseJob: properties that a program must know are accepted for single windows only.
func TestParseJob(t *testing.T) {
	if w, err := ParseJob("update=remote,memory=host"); w != RemoteUpdates || err != nil {
		t.Errorf("%b, %v", w, err)
	}
	if _, err := ParseJob("lock=ncl,memory=board"); err == nil || !strings.Contains(err.Error(), "single windows") {
		t.Error(err)
	}
	if _, err := ParseJob("lock=mcs"); err == nil {
		t.Error("no such lock")
	}
}
