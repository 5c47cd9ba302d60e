package archtest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// standard is cited by its own section numbers and has no table.
const standard = "MPI 4.1"

// numbered lists the works whose sections comments in a folder and below may cite without a name. If
// several fit, the first is taken.
var numbered = []struct {
	folder string
	works  []string
}{
	{"npb", []string{"npb", "npb-bt-sp-lu"}},
	{"nicemu/martini", []string{"martini", "pm-messaging"}},
	{"nicemu/tofu", []string{"llc"}},
	{"nicemu/dimmnet2", []string{"dimmnet2"}},
	{"nicemu/syncctl", []string{"sync-controller"}},
	{"bench", []string{"martini", "pm-messaging"}},
	{"llc", []string{"llc"}},
	{"mpi", []string{standard}},
}

var (
	// cited matches a citation: the text before the comma, if there is one, and the numbers.
	cited = regexp.MustCompile(`(?:(\w[\w-]*(?: \d\.\d)?)"?,\s+)?\b(sections?)\s+(\d[\d.]*(?:(?:,|\s+and|\s+to)\s+\d[\d.]*)*)`)

	heading = regexp.MustCompile(`(?m)^### (\S+)$`)
	row     = regexp.MustCompile(`(?m)^\| \d+ \|.*$`)
	number  = regexp.MustCompile(`\b\d+(\.\d+)*\b`)
)

// Citations checks that the sections cited in comments and documents are on the page of references: the
// work in the list of works, and the section in its table.
func (t *Tree) Citations(page string) (found []string) {
	sections, err := t.sections(page)
	if err != "" {
		return []string{err}
	}
	for _, f := range t.files {
		var texts []string
		switch {
		case f.ast != nil:
			for _, c := range f.ast.Comments {
				texts = append(texts, c.Text())
			}
		case path.Ext(f.path) == ".md" && f.path != page:
			texts = []string{string(f.text)}
		}
		for _, text := range texts {
			for _, m := range cited.FindAllStringSubmatch(text, -1) {
				found = append(found, check(f.path, m, sections)...)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// sections reads the sections on the page, by work.
func (t *Tree) sections(page string) (by map[string][]string, trouble string) {
	i := slices.IndexFunc(t.files, func(f *file) bool { return f.path == page })
	if i < 0 {
		return nil, page + ": there is no such page"
	}
	text := string(t.files[i].text)
	by = map[string][]string{}
	heads := heading.FindAllStringSubmatchIndex(text, -1)
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		work := text[h[2]:h[3]]
		if !strings.Contains(text[:heads[0][0]], "| "+work) && !strings.Contains(text[:heads[0][0]], ", "+work+" |") {
			return nil, fmt.Sprintf("%s: %s has sections and is not among the works", page, work)
		}
		for _, r := range row.FindAllString(text[h[0]:end], -1) {
			by[work] = append(by[work], number.FindAllString(r, -1)...)
		}
	}
	return by, ""
}

// check returns what is wrong with one citation in a file.
func check(file string, m []string, sections map[string][]string) (found []string) {
	work, list := m[1], number.FindAllString(m[3], -1)
	if m[2] == "section" {
		list = list[:1] // what follows is a number within the section
	}
	works := []string{work}
	switch {
	case work == standard:
		return nil
	case work == "":
		works = nil
		for _, n := range numbered {
			if within(path.Dir(file), []string{n.folder}) {
				works = n.works
			}
		}
		if slices.Contains(works, standard) {
			return nil
		}
		if works == nil {
			return []string{fmt.Sprintf("%s: section %s of which work?", file, list[0])}
		}
	case sections[work] == nil:
		return []string{fmt.Sprintf("%s: %s, section %s: the work is not on the page of references", file, work, list[0])}
	}
	for _, n := range list {
		if !slices.ContainsFunc(works, func(w string) bool { return slices.Contains(sections[w], n) }) {
			found = append(found, fmt.Sprintf("%s: %s has no section %s", file, strings.Join(works, " or "), n))
		}
	}
	return found
}
