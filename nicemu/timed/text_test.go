package timed

import (
	"strings"
	"testing"
)

// A network that does not tell of its links has an empty list of them in JSON, not null.
func TestReportWithoutLinks(t *testing.T) {
	r := &Report{Ranks: make([]Account, 1)}
	text, err := r.JSON(About{})
	if err != nil || !strings.Contains(string(text), `"links": []`) || strings.Contains(string(text), "null") {
		t.Errorf("%v: %s", err, text)
	}
}
