package stepped

import (
	"fmt"
	"strings"
)

// Diagram returns a module's transitions as a Mermaid state diagram. A note marks our choices;
// suspendable states, from which a module goes to MISS by itself, are listed.
func Diagram(m Module) string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	fmt.Fprintf(&b, "    [*] --> %v\n", m.rest())
	var missed []string
	for _, e := range Tables(m) {
		fmt.Fprintf(&b, "    %v --> %v", e.From, e.To)
		text := e.On.String()
		if e.Basis == Ours {
			text = strings.TrimSpace(text + " (our choice)")
		}
		if text != "" {
			fmt.Fprintf(&b, ": %s", text)
		}
		b.WriteByte('\n')
		if e.To == MISS {
			missed = append(missed, e.From.String())
		}
	}
	if missed != nil {
		b.WriteString("    note right of MISS: left only when firmware writes a state\n")
		fmt.Fprintf(&b, "    note left of MISS: from %s\n", strings.Join(missed, ", "))
	}
	return b.String()
}

// Diagrams returns the diagrams of all modules, each under a heading, as the documentation has
// them.
func Diagrams() string {
	var b strings.Builder
	for m := range Modules {
		if m == DIMMDMAC || m == SRAMDMAC {
			continue // as PCIDMAC
		}
		fmt.Fprintf(&b, "### %v\n```mermaid\n%s```\n", m, Diagram(m))
	}
	return b.String()
}
