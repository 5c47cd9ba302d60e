package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"
)

// A Printer shows rows as they come; Close ends the output.
type Printer interface {
	Row(Row)
	Close() error
}

// Formats names the output formats. The last one is Go's benchmark format, for benchstat.
const Formats = "table, csv, json, go"

// NewPrinter returns the printer of a format named in Formats.
func NewPrinter(format string, out io.Writer) (Printer, error) {
	switch format {
	case "table":
		return &tablePrinter{out: out}, nil
	case "csv":
		return newCSVPrinter(out), nil
	case "json":
		return &jsonPrinter{out: out}, nil
	case "go":
		return &goPrinter{out: out}, nil
	}
	return nil, fmt.Errorf("unknown format %q; the formats are %s", format, Formats)
}

type tablePrinter struct {
	out  io.Writer
	rows [][]string
}

func (p *tablePrinter) Row(r Row) {
	p.rows = append(p.rows, []string{r.Test, strconv.Itoa(r.Ranks), strconv.Itoa(r.Bytes), strconv.Itoa(r.Repetitions),
		fmt.Sprintf("%.3f", r.Microsecs), fmt.Sprintf("%.1f", r.MBPerSec), fmt.Sprintf("%.0f %%", r.Spread*100)})
}

func (p *tablePrinter) Close() error {
	return Table(p.out, []string{"test", "ranks", "bytes", "repetitions", "usec", "MB/s", "spread"}, p.rows)
}

// Table prints rows under a header, numbers to the right.
func Table(out io.Writer, header []string, rows [][]string) error {
	t := tablewriter.NewTable(out,
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAlignment(tw.AlignRight),
		tablewriter.WithRowAlignment(tw.AlignRight),
		tablewriter.WithRendition(tw.Rendition{Symbols: tw.NewSymbols(tw.StyleASCII)}))
	t.Header(header)
	if err := t.Bulk(rows); err != nil {
		return err
	}
	return t.Render()
}

// csvHeader is the first line of CSV output.
var csvHeader = []string{"test", "ranks", "bytes", "repetitions", "usec", "MB_s", "spread"}

type csvPrinter struct{ w *csv.Writer }

func newCSVPrinter(out io.Writer) *csvPrinter {
	p := &csvPrinter{csv.NewWriter(out)}
	p.w.Write(csvHeader)
	return p
}

func (p *csvPrinter) Row(r Row) {
	p.w.Write([]string{r.Test, strconv.Itoa(r.Ranks), strconv.Itoa(r.Bytes), strconv.Itoa(r.Repetitions),
		strconv.FormatFloat(r.Microsecs, 'f', 4, 64), strconv.FormatFloat(r.MBPerSec, 'f', 2, 64), strconv.FormatFloat(r.Spread, 'f', 3, 64)})
	p.w.Flush()
}

func (p *csvPrinter) Close() error {
	p.w.Flush()
	return p.w.Error()
}

// ReadCSV returns the lines below the header, which must be the one given.
func ReadCSV(text string, header []string) ([][]string, error) {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("benchmark output is not CSV: %w", err)
	}
	if len(lines) == 0 || !slices.Equal(lines[0], header) {
		return nil, fmt.Errorf("benchmark output does not start with %s", strings.Join(header, ","))
	}
	return lines[1:], nil
}

// Numbers parses each field into the *int or *float64 at the same index. Both lists must have the same
// length.
func Numbers(fields []string, to ...any) error {
	for i, text := range fields {
		if err := json.Unmarshal([]byte(text), to[i]); err != nil {
			return fmt.Errorf("benchmark output has %q where a number belongs", text)
		}
	}
	return nil
}

type jsonPrinter struct {
	out  io.Writer
	rows []Row
}

func (p *jsonPrinter) Row(r Row) { p.rows = append(p.rows, r) }

func (p *jsonPrinter) Close() error { return WriteJSON(p.out, p.rows) }

// WriteJSON writes rows of any type in the form common to all commands: an indented list, [] if there are
// none.
func WriteJSON[R any](out io.Writer, rows []R) error {
	if rows == nil {
		rows = []R{}
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}
