package rma

import (
	"fmt"
	"io"
	"strconv"

	"rhinet/bench"
)

// Formats are the names that NewPrinter accepts.
const Formats = "imb, " + bench.Formats

// A Printer prints rows: Row is called for each as it is measured, Close at the end.
type Printer struct {
	Row   func(Row)
	Close func() error
}

// NewPrinter returns the printer of a format: imb is the format of IMB-RMA.
func NewPrinter(format string, out io.Writer) (Printer, error) {
	if format != "imb" {
		p, err := bench.NewPrinter(format, out)
		if err != nil {
			return Printer{}, err
		}
		return Printer{func(r Row) { p.Row(r.Row) }, p.Close}, nil
	}
	before := ""
	return Printer{func(r Row) {
		if r.Test != before {
			before = r.Test
			fmt.Fprintf(out, "\n# Benchmarking %s\n# #processes = %d\n%12s %13s %13s %13s %13s %13s\n", r.Test, r.Ranks,
				"#bytes", "#repetitions", "t_min[usec]", "t_max[usec]", "t_avg[usec]", "Mbytes/sec")
		}
		fmt.Fprintf(out, "%12d %13d %13.3f %13.3f %13.3f %13s\n", r.Bytes, r.Repetitions, r.Min, r.Max, (r.Min+r.Max)/2, strconv.FormatFloat(r.MBPerSec, 'f', 2, 64))
	}, func() error { return nil }}, nil
}
