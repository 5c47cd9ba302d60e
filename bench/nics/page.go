package nics

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"rhinet/bench"
)

// Page writes the study as one page in Markdown, with plots in files beside it.
func (p *Plan) Page(out io.Writer, rows []Row, plots []Plot, command string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Modelled NICs on equal terms\n\nWritten by `%s`. All times are virtual, and of rank programs that are the same everywhere.\n\n", command)
	for _, n := range NICs() {
		if slices.Contains(p.NICs, n.Name) {
			fmt.Fprintf(&b, "- `%s`: %s\n", n.Name, n.About)
		}
	}
	fmt.Fprintf(&b, "\n## The variants\n")
	for _, v := range Variants() {
		if slices.Contains(p.Variants, v.Name) {
			fmt.Fprintf(&b, "- **%s**: %s. Hosts compute at the rates of `%s`.\n", v.Name, v.About, v.Host)
		}
	}
	b.WriteString("\nThe rules of the variants modern and equal:\n")
	for _, line := range Rule() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	if err := section(&b, "##", p.Factors(rows)); err != nil {
		return err
	}
	for _, variant := range p.Variants {
		fmt.Fprintf(&b, "\n## %s\n", strings.ToUpper(variant[:1])+variant[1:])
		for _, t := range p.Tables(rows, variant) {
			if err := section(&b, "###", t); err != nil {
				return err
			}
		}
		for _, x := range plots {
			if strings.HasSuffix(x.File, "-"+variant+".svg") {
				fmt.Fprintf(&b, "\n![%s](%s)\n", x.Title, x.File)
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// section writes a table under a heading.
func section(b *strings.Builder, level string, t Table) error {
	if len(t.Lines) == 0 {
		return nil
	}
	fmt.Fprintf(b, "\n%s %s\n", level, t.Title)
	return bench.Markdown(b, t.Header, t.Lines)
}

// Models writes every model of the plan with its parameters, as for mpirun --time.
func (p *Plan) Models(out io.Writer) error {
	for _, variant := range p.Variants {
		for _, nic := range p.NICs {
			if _, err := fmt.Fprintf(out, "%s %s\n", variant, Cell{Variant: variant, NIC: nic, Nodes: mostNodes}.setup()); err != nil {
				return err
			}
		}
	}
	return nil
}
