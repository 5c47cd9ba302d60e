package bench

import (
	"fmt"
	"io"
	"strings"

	"rhinet/bench/host"
)

// goPrinter writes Go's benchmark format (golang.org/design/14313): the machine,
// then one line for each row.
type goPrinter struct {
	out  io.Writer
	rows []Row
}

func (p *goPrinter) Row(r Row) { p.rows = append(p.rows, r) }

func (p *goPrinter) Close() error {
	h := host.Describe()
	if err := GoHeader(p.out, h); err != nil {
		return err
	}
	for _, r := range p.rows {
		var figures string
		if r.Microsecs > 0 {
			figures += fmt.Sprintf(" %g ns/op", r.Microsecs*1e3)
		}
		if r.MBPerSec > 0 {
			figures += fmt.Sprintf(" %g MB/s", r.MBPerSec)
		}
		if figures == "" {
			continue // the format has no line without a figure
		}
		if _, err := fmt.Fprintf(p.out, "%s/ranks=%d/bytes=%d %d%s\n", GoName(r.Test), r.Ranks, r.Bytes, max(r.Repetitions, 1), figures); err != nil {
			return err
		}
	}
	return nil
}

// GoHeader writes the description of a machine in Go's benchmark format.
func GoHeader(out io.Writer, h host.Host) error {
	system, arch, _ := strings.Cut(h.OS, "/")
	_, err := fmt.Fprintf(out, "goos: %s\ngoarch: %s\ncpu: %s\ncommit: %s\ntime: %s\n", system, arch, h.CPU, h.Commit, h.Time.Format("2006-01-02T15:04:05Z"))
	return err
}

// GoName turns the name of a test into one of Go's benchmark format.
func GoName(test string) string {
	return "Benchmark" + strings.ToUpper(test[:1]) + GoWord(test[1:])
}

// GoWord turns a text into a valid part of such a name.
func GoWord(text string) string {
	return strings.NewReplacer(" ", "_", "/", "_", "=", "_").Replace(text)
}
