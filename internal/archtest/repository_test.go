package archtest

import (
	"os"
	"testing"
)

// The repository follows its rules.
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

// The documents follow the rules for works and words.
func TestDocuments(t *testing.T) {
	tree, err := Load(os.DirFS("../.."), "rhinet")
	if err != nil {
		t.Fatal(err)
	}
	for name, found := range map[string][]string{
		"Citations": tree.Citations("docs/references.md"),
		"Glossary":  tree.Glossary("docs/glossary.md"),
		"Words":     tree.SpelledOut("llc", "low-level communication library"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range found {
				t.Error(text)
			}
		})
	}
}
