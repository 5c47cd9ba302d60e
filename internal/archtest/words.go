package archtest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// term matches a row of the glossary.
var term = regexp.MustCompile(`(?m)^\| (.+?) \| (.*) \|$`)

// Glossary checks that the terms of a page are sorted, explained, and used in Go code or in another
// document.
func (t *Tree) Glossary(page string) (found []string) {
	i := slices.IndexFunc(t.files, func(f *file) bool { return f.path == page })
	if i < 0 {
		return []string{page + ": there is no such page"}
	}
	var last string
	for _, m := range term.FindAllStringSubmatch(string(t.files[i].text), -1) {
		name, meaning := m[1], strings.TrimSpace(m[2])
		if name == "term" {
			continue
		}
		if meaning == "" {
			found = append(found, fmt.Sprintf("%s: %s has no meaning", page, name))
		}
		if strings.ToLower(name) <= last {
			found = append(found, fmt.Sprintf("%s: %s comes after %q", page, name, last))
		}
		last = strings.ToLower(name)
		for one := range strings.SplitSeq(name, ", ") {
			if !t.uses(one, page) {
				found = append(found, fmt.Sprintf("%s: %s is used nowhere", page, one))
			}
		}
	}
	if last == "" {
		found = append(found, page+": there are no terms")
	}
	return found
}

// uses reports whether a word, or its plural, occurs outside of a page.
func (t *Tree) uses(word, but string) bool {
	re := regexp.MustCompile(`(?i)(^|\W)` + strings.ReplaceAll(regexp.QuoteMeta(word), " ", `[\s/]+`) + `(e?s|ned|ning)?(\W|$)`)
	return slices.ContainsFunc(t.files, func(f *file) bool {
		return f.path != but && (f.ast != nil || path.Ext(f.path) == ".md") && re.Match(f.text)
	})
}

// SpelledOut checks that documents that mention a short form spell it out at the first mention, in the same
// line or before: most readers would take it for something else.
func (t *Tree) SpelledOut(short, long string) (found []string) {
	mention := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(short) + `\b`)
	for _, f := range t.files {
		if path.Ext(f.path) != ".md" {
			continue
		}
		text := string(f.text)
		first := mention.FindStringIndex(text)
		if first == nil {
			continue
		}
		line := len(text)
		if n := strings.IndexByte(text[first[1]:], '\n'); n >= 0 {
			line = first[1] + n
		}
		if !strings.Contains(strings.ToLower(strings.Join(strings.Fields(text[:line]), " ")), long) {
			found = append(found, fmt.Sprintf("%s: %s is not spelled out (%s) where it is first mentioned", f.path, short, long))
		}
	}
	return found
}
