package archtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// everyone is the name of all packages in a policy.
const everyone = "EVERYONE"

// An order is a parsed policy for the packages of one tree.
type order struct {
	below map[string]map[string]bool // what a package may import, by package
	bans  []ban
}

// A ban is a negative rule.
type ban struct {
	importer, imported string
	indirect           bool
	line               int
}

// parseOrder reads a policy. Its patterns are matched against packages.
func parseOrder(policy string, packages []string) (*order, error) {
	o := &order{below: map[string]map[string]bool{}}
	var positive []string
	classes := classes{}
	for i, line := range strings.Split(policy, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "let "):
			if !classes.define(line[len("let "):], packages) {
				return nil, fmt.Errorf("policy line %d: %q is not like let nic = nicemu/* - fabric", i+1, line)
			}
		case strings.Contains(line, "!<"):
			b := ban{line: i + 1}
			importer, imported, _ := strings.Cut(line, "!<")
			imported, b.indirect = strings.CutPrefix(imported, "<")
			b.importer, b.imported = strings.TrimSpace(importer), strings.TrimSpace(imported)
			if b.importer == "" || b.imported == "" {
				return nil, fmt.Errorf("policy line %d: a side of %q is empty", i+1, line)
			}
			o.bans = append(o.bans, b)
		case strings.Count(line, edge) == 1:
			positive = append(positive, line)
		default:
			return nil, fmt.Errorf("policy line %d: %q has no single < between packages", i+1, line)
		}
	}
	for _, line := range positive {
		lines, err := classes.instances(line)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			o.add(l, packages)
		}
	}
	return o, o.close()
}

// classes are the folder names that each word in angle brackets stands for.
type classes map[string][]string

// define reads the rest of a line "let nic = nicemu/* - fabric".
func (c classes) define(text string, packages []string) bool {
	name, rest, ok := strings.Cut(text, "=")
	pattern, but, _ := strings.Cut(rest, " - ")
	folder, star := strings.CutSuffix(strings.TrimSpace(pattern), "*")
	if !ok || !star {
		return false
	}
	not := words(but)
	names := []string{}
	for _, p := range packages {
		name, inside := strings.CutPrefix(p, folder)
		if inside && !strings.Contains(name, "/") && !slices.Contains(not, name) {
			names = append(names, name)
		}
	}
	c["<"+strings.TrimSpace(name)+">"] = names
	return true
}

var variable = regexp.MustCompile(`<[a-z]+>`)

// instances returns a line once for each value of its variable.
func (c classes) instances(line string) (lines []string, err error) {
	v := variable.FindString(line)
	if v == "" {
		return []string{line}, nil
	}
	names, ok := c[v]
	if !ok {
		return nil, fmt.Errorf("policy: %s in %q is not defined by let", v, line)
	}
	for _, name := range names {
		lines = append(lines, strings.ReplaceAll(line, v, name))
	}
	down, up, _ := strings.Cut(line, edge)
	general := func(word string) bool { return strings.Contains(word, v) }
	rest := strings.Join(slices.DeleteFunc(words(down), general), ", ") + edge +
		strings.Join(slices.DeleteFunc(words(up), general), ", ")
	return append(lines, rest), nil
}

// edge is the < between the two sides of a line; it has spaces around it.
const edge = " < "

// words splits a list at its commas.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func (o *order) add(line string, packages []string) {
	imported, importers, _ := strings.Cut(line, edge)
	for _, up := range words(importers) {
		ups := []string{up}
		if up == everyone {
			ups = packages
		}
		for _, u := range ups {
			if o.below[u] == nil {
				o.below[u] = map[string]bool{}
			}
			for _, down := range words(imported) {
				if u != down && !(up == everyone && slices.Contains(words(imported), u)) {
					o.below[u][down] = true
				}
			}
		}
	}
}

// close makes the relation transitive. An error names a package that is above itself.
func (o *order) close() error {
	for changed := true; changed; {
		changed = false
		for _, downs := range o.below {
			for _, down := range slices.Collect(maps.Keys(downs)) {
				for deeper := range o.below[down] {
					if !downs[deeper] {
						downs[deeper], changed = true, true
					}
				}
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(o.below)) {
		if o.below[p][p] {
			return fmt.Errorf("policy: %s stands above itself", p)
		}
	}
	return nil
}

// names returns the packages of the module that the order mentions.
func (o *order) names() []string {
	all := map[string]bool{}
	for up, downs := range o.below {
		all[up] = true
		for down := range downs {
			all[down] = !isLibrary(down)
		}
	}
	maps.DeleteFunc(all, func(_ string, module bool) bool { return !module })
	return slices.Sorted(maps.Keys(all))
}

// allows reports whether the order lets importer import imported, which is a package of the module or the
// path of a library's package.
func (o *order) allows(importer, imported string) bool {
	for down := range o.below[importer] {
		if imported == down || isLibrary(down) && strings.HasPrefix(imported, down+"/") {
			return true
		}
	}
	return false
}

// isLibrary reports whether an import path belongs neither to the module nor to the standard library.
func isLibrary(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}

// matches reports whether a package matches a pattern of a negative rule.
func matches(pattern, pkg string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == folder || strings.HasPrefix(pkg, folder+"/")
	}
	return pkg == pattern
}
