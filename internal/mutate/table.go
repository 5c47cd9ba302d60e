package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// show lists faults.
func show(w io.Writer, faults []Fault) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range faults {
		where := f.File
		if f.In != "" {
			where += " " + f.In
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", f.Name, where, f.Rule)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d faults\n", len(faults))
	return err
}

// A row sums up one package.
type row struct {
	name                                         string
	faults, failed, late, greedy, survived, left int
	took                                         time.Duration
}

// count adds a result.
func (r *row) count(res Result) {
	r.faults++
	r.took += res.Took
	switch res.Verdict {
	case Failed:
		r.failed++
	case Late:
		r.late++
	case Greedy:
		r.greedy++
	case "":
		r.left++
	default:
		r.survived++
	}
}

// summary counts results by the package of their faults, in the order of the faults, followed by the total.
func summary(faults []Fault, results []Result) []row {
	var rows []row
	all := row{name: "all"}
	at := map[string]int{}
	for i, res := range results {
		name := faults[i].Package()
		k, ok := at[name]
		if !ok {
			k = len(rows)
			at[name] = k
			rows = append(rows, row{name: name})
		}
		rows[k].count(res)
		all.count(res)
	}
	return append(rows, all)
}

// report writes the tables of a run: what caught each fault, and the counts of each package.
func report(w io.Writer, faults []Fault, results []Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "\nfault\tverdict\tby\ttime")
	for _, res := range results {
		if res.Verdict != "" {
			_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%v\n", res.Fault, res.Verdict, res.By, res.Took)
		}
	}
	_, _ = fmt.Fprintln(t, "\npackage\tfaults\tfailed\tlate\tgreedy\tsurvived\tnot run\ttime")
	for _, r := range summary(faults, results) {
		_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%v\n", r.name, r.faults, r.failed, r.late, r.greedy, r.survived, r.left, r.took)
	}
	return t.Flush()
}
