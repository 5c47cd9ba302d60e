package events

import (
	"io"
	"strconv"
	"time"

	"rhinet/bench"
)

// A Row is the cost of a load on this machine.
type Row struct {
	Load     string  `json:"load"`
	Messages int     `json:"messages"` // given to the model, or events of the kernel alone
	Packets  uint64  `json:"packets"`  // that the model's links carried
	Events   uint64  `json:"events"`
	Seconds  float64 `json:"host_seconds"`
	PerEvent float64 `json:"ns_event"`
	Rate     float64 `json:"events_s"`
	Each     float64 `json:"events_packet"`
	Machine  string  `json:"machine_load"` // load averages before, over 1, 5 and 15 minutes
}

func (r *Row) took(d time.Duration, events, packets uint64) {
	r.Seconds, r.Events, r.Packets = max(d.Seconds(), 1e-9), events, packets
	r.Rate = float64(events) / r.Seconds
	r.PerEvent = 1e9 / r.Rate
	r.Each = float64(events) / float64(packets)
}

func header() []string {
	return []string{"load", "messages", "packets", "events", "events_packet", "host_seconds", "ns_event", "events_s", "machine_load"}
}

func (r Row) cells() []string {
	part := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []string{r.Load, strconv.Itoa(r.Messages), strconv.FormatUint(r.Packets, 10), strconv.FormatUint(r.Events, 10), part(r.Each, 2),
		part(r.Seconds, 3), part(r.PerEvent, 1), part(r.Rate, 0), r.Machine}
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, header(), rows, Row.cells)
}
