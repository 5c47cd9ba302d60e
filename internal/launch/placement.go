package launch

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"rhinet/internal/integer"
)

// A Slot says where one rank runs.
type Slot struct {
	Part  int   // index in Job.Parts
	Cores []int // logical processors that the rank is bound to; nil: not bound
}

// place gives every rank its slot. cores lists the usable logical processors, with those of one physical
// core next to each other; limit is how many of them the job may keep busy at once (a CPU quota can reduce
// it). Bound ranks get equal, disjoint shares, spread over the list; if there are more ranks than cores,
// the ranks share cores in turn.
func place(parts []Part, cores []int, limit int, bind Bind) []Slot {
	var slots []Slot
	for i := range parts {
		for range parts[i].Ranks {
			slots = append(slots, Slot{Part: i})
		}
	}
	n, c := len(slots), len(cores)
	if bind == BindAuto && (n > c || limit < c) {
		bind = BindNone
	}
	if bind == BindNone || c == 0 {
		return slots
	}
	width := max(1, c/n)
	for r := range slots {
		at := r * c / n
		slots[r].Cores = cores[at : at+width : at+width]
	}
	return slots
}

// Print writes the placement as a table.
func (p *Plan) Print(w io.Writer) error {
	if p.job.spread() {
		return p.printHosts(w)
	}
	var b strings.Builder
	bound := "not bound"
	if p.slots[0].Cores != nil {
		bound = "bound"
	}
	fmt.Fprintf(&b, "%s on %s, %s, GOMAXPROCS=%s, nic=%s\n",
		plural(len(p.slots), "rank"), plural(p.limit, "usable core"), bound, p.threads, p.job.NIC)
	if p.job.TunedBy != "" {
		fmt.Fprintf(&b, "tuned by %s\n", p.job.TunedBy)
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rank\tcores\tdirectory\tprogram")
	for rank, s := range p.slots {
		part := &p.job.Parts[s.Part]
		cores := "any"
		if s.Cores != nil {
			cores = integer.Ranges(s.Cores)
		}
		dir := part.Dir
		if dir == "" {
			dir = "."
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\n", rank, cores, dir, strings.Join(append([]string{p.label(s.Part)}, part.Args...), " "))
	}
	t.Flush()
	_, err := io.WriteString(w, b.String())
	return err
}

// printHosts is Print for a job on several hosts, whose daemons choose the cores.
func (p *Plan) printHosts(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s, nic=%s\n", plural(len(p.slots), "rank"), plural(len(p.job.Hosts), "host"), p.job.NIC)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rank\thost\tdirectory\tprogram")
	for rank, s := range p.slots {
		part := &p.job.Parts[s.Part]
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\n", rank, p.job.Hosts[p.away.hosts[rank]].Name, part.Dir, strings.Join(append([]string{p.label(s.Part)}, part.Args...), " "))
	}
	t.Flush()
	_, err := io.WriteString(w, b.String())
	return err
}

// label returns the program of a part as tables show it.
func (p *Plan) label(part int) string {
	if p.programs[part].Package != "" {
		return p.job.Parts[part].Program + " (Go package)"
	}
	return p.job.Parts[part].Program
}

// plural prints a number of things: "1 rank", "2 ranks".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
