package archtest

import "testing"

func TestGlossaryIsSortedAndUsed(t *testing.T) {
	const head = "# Glossary\n| term | meaning |\n|---|---|\n"
	for rows, found := range map[string][]string{
		"| ack | an answer |\n| PATLB | a cache |\n| RTS, CTS | packets |\n": nil,
		"| PATLB | a cache |\n| ack | an answer |\n":                         {`g.md: ack comes after "patlb"`},
		"| ack | an answer |\n| ack | an answer |\n":                         {`g.md: ack comes after "ack"`},
		"| ack |  |\n":          {"g.md: ack has no meaning"},
		"| flux | a matter |\n": {"g.md: flux is used nowhere"},
		"| RTS, FIN | pack |\n": {"g.md: FIN is used nowhere"},
		"":                      {"g.md: there are no terms"},
	} {
		tree := load(t, map[string]string{
			"g.md": head + rows + "\nflux FIN", "d.md": "RTS and CTS; acks come late; reflux", "p/p.go": "package p\n\ntype PATLB int",
		})
		want(t, tree.Glossary("g.md"), found...)
	}
	want(t, load(t, nil).Glossary("g.md"), "g.md: there is no such page")
}

func TestShortFormsAreSpelledOut(t *testing.T) {
	for text, found := range map[string][]string{
		"nothing of it": nil,
		"the LLC, a low-level communication\nlibrary":   {"d.md: llc is not spelled out"},
		"the low-level communication\nlibrary `llc`":    nil,
		"`llc` (Low-level communication library)":       nil,
		"`llc/ir`\n\na low-level communication library": {"d.md: llc is not spelled out"},
		"in `llc`": {"d.md: llc is not spelled out"},
	} {
		want(t, load(t, map[string]string{"d.md": text, "d.txt": "llc"}).SpelledOut("llc", "low-level communication library"), found...)
	}
}
