package timed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"

	"rhinet/nicemu/medium"
)

// How much of a report is printed; the report in JSON is complete.
const (
	shownRanks = 16
	shownLinks = 4
)

// About is the information for a report that the service does not have: on which model, and with
// which costs, the job ran.
type About struct {
	Model    string // with its parameters
	Topology string // of the model; empty: it has none
	Compute  string // cost of computing
}

// Text formats a report, on lines that begin with the name of the program that ran the job.
func (r *Report) Text(program string, about About) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %.9f s of virtual time on %s; compute %s\n", program, r.Time.Seconds(), about.where(), about.Compute)
	fmt.Fprintf(&b, "%s: %d packets, %d bytes, %d events of the model", program, r.Total.Packets, r.Total.Bytes, r.Events)
	if r.Wire.Packets > 0 {
		fmt.Fprintf(&b, "; links carried %d packets, %d bytes", r.Wire.Packets, r.Wire.Bytes)
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "rank\tseconds\tcompute\tcalls\twaits\tpackets\tbytes\t")
	var sum Account
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

// where returns the model and its topology.
func (a About) where() string {
	if a.Topology != "" {
		return a.Model + " on " + a.Topology
	}
	return a.Model
}

func add(sum, a *Account) {
	sum.Time += a.Time
	sum.Compute += a.Compute
	sum.Call += a.Call
	sum.Sent.Packets += a.Sent.Packets
	sum.Sent.Bytes += a.Sent.Bytes
}

// row prints the account of a rank, or the mean of several.
func row(t *tabwriter.Writer, who string, a *Account, of int) {
	share := func(part float64) string {
		if a.Time == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*part/a.Time.Seconds())
	}
	fmt.Fprintf(t, "%s\t%.9f\t%s\t%s\t%s\t%d\t%d\t\n", who, a.Time.Seconds()/float64(of), share(a.Compute.Seconds()), share(a.Call.Seconds()),
		share(a.Wait().Seconds()), a.Sent.Packets/uint64(of), a.Sent.Bytes/uint64(of))
}

// busiest prints the links that were in use for the longest time.
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
	Seconds  float64 `json:"seconds"`
	Compute  float64 `json:"compute_s"`
	Call     float64 `json:"calls_s"`
	Wait     float64 `json:"waits_s"`
	Sent     Traffic `json:"sent"`
	Received Traffic `json:"received"`
}

// JSON encodes a report.
func (r *Report) JSON(about About) ([]byte, error) {
	all := struct {
		Model   string        `json:"model"`
		On      string        `json:"topology,omitempty"`
		Compute string        `json:"compute"`
		Seconds float64       `json:"seconds"`
		Total   Traffic       `json:"total"`
		Wire    Traffic       `json:"links_carried"`
		Events  uint64        `json:"events"`
		Ranks   []rankReport  `json:"ranks"`
		Links   []medium.Link `json:"links"`
	}{Model: about.Model, On: about.Topology, Wire: r.Wire, Compute: about.Compute, Seconds: r.Time.Seconds(), Total: r.Total, Events: r.Events, Links: append([]medium.Link{}, r.Links...)}
	for i := range r.Ranks {
		a := &r.Ranks[i]
		all.Ranks = append(all.Ranks, rankReport{
			a.Time.Seconds(), a.Compute.Seconds(), a.Call.Seconds(), a.Wait().Seconds(), a.Sent, a.Received,
		})
	}
	text, err := json.MarshalIndent(&all, "", "\t")
	return append(text, '\n'), err
}
