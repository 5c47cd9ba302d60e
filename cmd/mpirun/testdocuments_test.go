package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testsBelow returns the names of the tests, examples and fuzz targets by the folder that has them.
func testsBelow(t *testing.T, root string) map[string][]string {
	t.Helper()
	names := map[string][]string{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		dir, _ := filepath.Rel(root, filepath.Dir(path))
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			names[dir] = append(names[dir], m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Every test that a page names exists, and every go test -run that it shows runs one in each of its folders.
func TestTestsInDocuments(t *testing.T) {
	_, root := document(t, "README.md")
	names := testsBelow(t, root)
	exists := map[string]bool{}
	for _, all := range names {
		for _, n := range all {
			exists[n] = true
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	named, run := 0, 0
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`(Test[A-Z]\\w+)`").FindAllStringSubmatch(string(text), -1) {
			named++
			if !exists[m[1]] {
				t.Errorf("%s names %s, which is no test", filepath.Base(page), m[1])
			}
		}
		for _, m := range regexp.MustCompile("go test ((?:\\./[\\w/]+ )+)[^#`\n]*-(?:run|fuzz) '?([\\w|]+)").FindAllStringSubmatch(string(text), -1) {
			for _, dir := range strings.Fields(m[1]) {
				run++
				pattern, found := regexp.MustCompile(m[2]), false
				for _, n := range names[strings.TrimPrefix(dir, "./")] {
					found = found || pattern.MatchString(n)
				}
				if !found {
					t.Errorf("%s runs %s in %s, where no test has that name", filepath.Base(page), m[2], dir)
				}
			}
		}
	}
	if named < 12 || run < 20 {
		t.Errorf("only %d tests are named, and %d run", named, run)
	}
}
