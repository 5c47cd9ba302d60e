package loggp

import (
	"os"
	"strings"
	"testing"

	"rhinet/nicemu/param"
)

// The rows of the models in docs/time.md name each of their parameters.
func TestParametersOnThePageOfTime(t *testing.T) {
	page, err := os.ReadFile("../../docs/time.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]*param.Table{"loggp": Parameters(), "fattree": FatTreeParameters()} {
		_, row, found := strings.Cut(string(page), "\n| `"+name+"` |")
		row, _, ended := strings.Cut(row, "\n")
		if !found || !ended {
			t.Fatalf("there is no row for %s", name)
		}
		for _, p := range table.All() {
			if !strings.Contains(row, "`"+p.Name+"`") {
				t.Errorf("the row for %s does not name %s: %s", name, p.Name, p.About)
			}
		}
	}
}
