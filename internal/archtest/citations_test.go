package archtest

import "testing"

const worksPage = `# References
| cited as | work |
|---|---|
| martini, pm-messaging | a thesis |
| npb, npb-bt-sp-lu | a report |

### martini
| section | covers |
|---|---|
| 7 | the hardware path: 7.1 Initiator; 7.2 Remote |
| 14 | open points |

### npb
| section | covers |
|---|---|
| 1 | rules: 1.6 counts |

### npb-bt-sp-lu
| section | covers |
|---|---|
| 3 | BT: 3.2 elimination |
`

func TestCitationsAreOnThePage(t *testing.T) {
	for comment, found := range map[string][]string{
		"// A Mover moves (martini, section 7.1).":                                   nil,
		"// A Mover moves (\"martini\", sections 7.1, 7.2; MPI 4.1, section 3.2.4).": nil,
		"// A Mover moves (martini,\n// section 14, 3), and has 77 pages.":           nil,
		"// A Mover moves (martini, sections 7, 7.2 and 9.9).":                       {"p/p.go: martini has no section 9.9"},
		"// A Mover moves (martini, sections 7.1 to 7.3): 9.":                        {"martini has no section 7.3"},
		"// A Mover moves (tofu, section 7.1).":                                      {"p/p.go: tofu, section 7.1: the work is not on the page"},
		"// A Mover moves (pm-messaging, section 1.2).":                              {"pm-messaging, section 1.2: the work is not on the page"},
		"// A Mover moves (section 7.1).":                                            {"p/p.go: section 7.1 of which work?"},
	} {
		tree := load(t, map[string]string{"works.md": worksPage, "p/p.go": "package p\n\n" + comment + "\ntype Mover int\n"})
		want(t, tree.Citations("works.md"), found...)
	}
	tree := load(t, map[string]string{
		"works.md": worksPage, "d/d.md": "see martini, section 8",
		"nicemu/martini/p.go": "// Package p: sections 7.1, 8.\npackage p", "mpi/p.go": "// Package p: section 3.6.\npackage p",
		"npb/bt/p.go": "// Package p: section 3.2; section 1.6.\npackage p",
	})
	want(t, tree.Citations("works.md"), "d/d.md: martini has no section 8", "nicemu/martini/p.go: martini or pm-messaging has no section 8")
}

func TestPagesOfReferencesThatAreNone(t *testing.T) {
	want(t, load(t, map[string]string{"p/p.go": "package p"}).Citations("works.md"), "works.md: there is no such page")
	tree := load(t, map[string]string{"works.md": worksPage + "\n### tofu\n| 1 | links |\n"})
	want(t, tree.Citations("works.md"), "works.md: tofu has sections and is not among the works")
}
