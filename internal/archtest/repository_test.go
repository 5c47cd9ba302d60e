package archtest

import (
	"os"
	"testing"
)

// The repository keeps its rules.
func TestRepository(t *testing.T) {
	tree, err := Load(os.DirFS("../.."), "rhinet")
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.packages) < 10 {
		t.Fatalf("only %d packages found", len(tree.packages))
	}
	for name, check := range map[string]func() []string{
		"Imports": func() []string { return tree.Imports(Policy) },
		"Files":   tree.Files,
		"Purity":  tree.Purity,
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range check() {
				t.Error(text)
			}
		})
	}
}
