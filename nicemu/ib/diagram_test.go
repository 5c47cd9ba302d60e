package ib

import (
	"os"
	"strings"
	"testing"
)

// TestDiagram: the page shows the transitions of the table.
func TestDiagram(t *testing.T) {
	page, err := os.ReadFile("../../docs/ib.md")
	if err != nil {
		t.Fatal(err)
	}
	_, diagram, _ := strings.Cut(string(page), "<!-- transitions -->")
	diagram, _, _ = strings.Cut(diagram, "<!-- end -->")
	for from := range numStates {
		for to := range numStates {
			if to == ERR || to == RESET {
				if !transitions[from][to] && !(from == ERR && to == ERR) {
					t.Errorf("%v does not lead to %v", from, to)
				}
				continue
			}
			if drawn := strings.Contains(diagram, "    "+from.String()+" --> "+to.String()+"\n"); drawn != transitions[from][to] {
				t.Errorf("%v to %v: drawn %v", from, to, drawn)
			}
		}
	}
}
