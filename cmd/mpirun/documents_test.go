package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	links = regexp.MustCompile(`\]\(([^)#: ]+)(#[^)]*)?\)`)
	spans = regexp.MustCompile("`([^`\n]+)`")
	runs  = regexp.MustCompile(`go run (\./\S+)`)
)

// Everything that a page links to, names as a path in the tree, or tells the reader to run, exists.
func TestDocumentsNameWhatThereIs(t *testing.T) {
	_, root := document(t, "README.md")
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil || len(pages) < 8 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
	top := map[string]bool{}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		top[e.Name()] = true
	}
	exists := func(page, name string) {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%s: %v", filepath.Base(page), err)
		}
	}
	for _, page := range pages {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for _, m := range links.FindAllStringSubmatch(spans.ReplaceAllString(text, ""), -1) {
			exists(page, filepath.Join(filepath.Dir(page), m[1]))
		}
		for _, m := range runs.FindAllStringSubmatch(text, -1) {
			exists(page, filepath.Join(root, m[1]))
		}
		for _, m := range spans.FindAllStringSubmatch(text, -1) {
			first, _, below := strings.Cut(m[1], "/")
			if below && top[first] && !strings.ContainsAny(m[1], "<>*{}$ ") && !strings.HasSuffix(m[1], "...") {
				exists(page, filepath.Join(root, m[1]))
			}
		}
	}
}
