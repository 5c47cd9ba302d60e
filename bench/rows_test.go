package bench

import (
	"bytes"
	"strings"
	"testing"
)

func TestWriteRows(t *testing.T) {
	type row struct{ A int }
	for format, want := range map[string]string{"table": "| 7 |", "csv": "a\n7\n", "json": `"A":7`} {
		var out bytes.Buffer
		if err := WriteRows(&out, format, []string{"a"}, [][]string{{"7"}}, []row{{7}}); err != nil ||
			!strings.Contains(strings.ReplaceAll(out.String(), " ", ""), strings.ReplaceAll(want, " ", "")) {
			t.Errorf("%s: %q, %v", format, out.String(), err)
		}
	}
	var out bytes.Buffer
	if err := WriteRows(&out, "xml", nil, nil, []row{{7}}); err == nil || out.Len() != 0 {
		t.Errorf("xml: %q, %v", out.String(), err)
	}
}
