package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/timed"
)

// How much of a report is printed; the report as JSON has everything.
const (
	shownRanks = 16
	shownLinks = 4
)

// text words what came of a job in virtual time.
func (v *virtual) text(r *timed.Report) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "mpirun: %.9f s of virtual time on %s; compute %s\n", r.Time.Seconds(), v.where(), v.said)
	fmt.Fprintf(&b, "mpirun: %d packets, %d bytes, %d events of the model", r.Total.Packets, r.Total.Bytes, r.Events)
	if r.Wire.Packets > 0 {
		fmt.Fprintf(&b, "; links carried %d packets, %d bytes", r.Wire.Packets, r.Wire.Bytes)
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "rank\tseconds\tcompute\tcalls\twaits\tpackets\tbytes\t")
	var sum timed.Account
	for i := range r.Ranks {
		a := &r.Ranks[i]
		if len(r.Ranks) <= shownRanks {
			row(t, fmt.Sprint(i), a, 1)
		}
		add(&sum, a)
	}
	if len(r.Ranks) > 1 {
		row(t, "mean", &sum, len(r.Ranks))
	}
	t.Flush()
	busiest(&b, r.Links)
	return b.String()
}

// where names the model and its topology.
func (v *virtual) where() string {
	text := v.model.String()
	if t := v.model.Topology(v.ranks); t != "" {
		text += " on " + t
	}
	return text
}

func add(sum, a *timed.Account) {
	sum.Time += a.Time
	sum.Compute += a.Compute
	sum.Call += a.Call
	sum.Sent.Packets += a.Sent.Packets
	sum.Sent.Bytes += a.Sent.Bytes
}

// row prints the account of a rank, or the mean of several.
func row(t *tabwriter.Writer, who string, a *timed.Account, of int) {
	share := func(part float64) string {
		if a.Time == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*part/a.Time.Seconds())
	}
	fmt.Fprintf(t, "%s\t%.9f\t%s\t%s\t%s\t%d\t%d\t\n", who, a.Time.Seconds()/float64(of), share(a.Compute.Seconds()), share(a.Call.Seconds()),
		share(a.Wait().Seconds()), a.Sent.Packets/uint64(of), a.Sent.Bytes/uint64(of))
}

// busiest prints the links that were in use most.
func busiest(b *bytes.Buffer, links []medium.Link) {
	links = slices.Clone(links)
	mean := 0.0
	for _, l := range links {
		mean += l.Used / float64(len(links))
	}
	slices.SortStableFunc(links, func(x, y medium.Link) int { return cmp.Compare(y.Used, x.Used) })
	fmt.Fprintf(b, "links: %d, in use %.2f %% of the time", len(links), 100*mean)
	for _, l := range links[:min(shownLinks, len(links))] {
		fmt.Fprintf(b, "; %s %.2f %%", l.Name, 100*l.Used)
	}
	b.WriteByte('\n')
}

// A rankReport is an account in seconds.
type rankReport struct {
	Seconds  float64       `json:"seconds"`
	Compute  float64       `json:"compute_s"`
	Call     float64       `json:"calls_s"`
	Wait     float64       `json:"waits_s"`
	Sent     timed.Traffic `json:"sent"`
	Received timed.Traffic `json:"received"`
}

// json encodes what came of a job.
func (v *virtual) json(r *timed.Report) ([]byte, error) {
	all := struct {
		Model   string        `json:"model"`
		On      string        `json:"topology,omitempty"`
		Compute string        `json:"compute"`
		Seconds float64       `json:"seconds"`
		Total   timed.Traffic `json:"total"`
		Wire    timed.Traffic `json:"links_carried"`
		Events  uint64        `json:"events"`
		Ranks   []rankReport  `json:"ranks"`
		Links   []medium.Link `json:"links"`
	}{Model: v.model.String(), On: v.model.Topology(v.ranks), Wire: r.Wire, Compute: v.said, Seconds: r.Time.Seconds(), Total: r.Total, Events: r.Events, Links: r.Links}
	for i := range r.Ranks {
		a := &r.Ranks[i]
		all.Ranks = append(all.Ranks, rankReport{
			a.Time.Seconds(), a.Compute.Seconds(), a.Call.Seconds(), a.Wait().Seconds(), a.Sent, a.Received,
		})
	}
	text, err := json.MarshalIndent(&all, "", "\t")
	return append(text, '\n'), err
}
