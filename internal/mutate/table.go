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
	name                      string
	faults, caught, survivors int
	took                      time.Duration
}

// summary counts results by the package of their faults, in the order of faults.
func summary(faults []Fault, results []Result) []row {
	var rows []row
	at := map[string]int{}
	for i, res := range results {
		name := faults[i].Package()
		k, ok := at[name]
		if !ok {
			k = len(rows)
			at[name] = k
			rows = append(rows, row{name: name})
		}
		r := &rows[k]
		r.faults++
		r.took += res.Took
		if res.Verdict.Caught() {
			r.caught++
		} else {
			r.survivors++
		}
	}
	return rows
}

// report writes the tables of a run: what caught each fault, and each package's count.
func report(w io.Writer, faults []Fault, results []Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "\nfault\tverdict\tby\ttime")
	for _, res := range results {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%v\n", res.Fault, res.Verdict, res.By, res.Took)
	}
	_, _ = fmt.Fprintln(t, "\npackage\tfaults\tcaught\tsurvivors\ttime")
	sum := row{name: "all"}
	for _, r := range summary(faults, results) {
		_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%v\n", r.name, r.faults, r.caught, r.survivors, r.took)
		sum.faults, sum.caught, sum.survivors, sum.took = sum.faults+r.faults, sum.caught+r.caught, sum.survivors+r.survivors, sum.took+r.took
	}
	_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%v\n", sum.name, sum.faults, sum.caught, sum.survivors, sum.took)
	return t.Flush()
}
