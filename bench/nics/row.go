package nics

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rhinet/bench"
	"rhinet/bench/report"
)

// A Row is a result in relation to those of the other NICs, and for a kernel to that of one node.
type Row struct {
	Result
	Factor  float64 `json:"factor"`             // time over that of the fastest NIC in the same place
	SpeedUp float64 `json:"speed_up,omitempty"` // of kernels
}

// place is a cell without its NIC.
func (c Cell) place() Cell {
	c.NIC = ""
	return c
}

// Rows sorts results in the order of the plan, and compares them.
func (p *Plan) Rows(results []Result) (rows []Row) {
	of, best := map[Cell]float64{}, map[Cell]float64{}
	for _, r := range results {
		of[r.Cell] = r.Usec
		if b, there := best[r.place()]; !there || r.Usec < b {
			best[r.place()] = r.Usec
		}
	}
	for _, c := range p.Cells() {
		i := slices.IndexFunc(results, func(r Result) bool { return r.Cell == c })
		if i < 0 {
			continue
		}
		row := Row{Result: results[i], Factor: ratio(of[c], best[c.place()])}
		if c.Class != "" {
			row.SpeedUp = ratio(of[Cell{Variant: c.Variant, NIC: alone, Program: c.Program, Class: c.Class, Nodes: 1}], of[c])
		}
		rows = append(rows, row)
	}
	return rows
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func header() []string {
	return []string{"variant", "nic", "program", "class", "nodes", "bytes", "usec", "factor", "speed_up", "packets", "wire_bytes", "host_seconds"}
}

func (r Row) cells() []string {
	f := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []string{r.Variant, r.NIC, r.Program, r.Class, strconv.Itoa(r.Nodes), strconv.Itoa(r.Bytes), f(r.Usec, 3), f(r.Factor, 3), f(r.SpeedUp, 3),
		strconv.FormatUint(r.Packets, 10), strconv.FormatUint(r.Wire, 10), f(r.Took, 2)}
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, header(), rows, Row.cells)
}

// A Table is the results of a program in one variant, a column for each NIC.
type Table struct {
	Title  string
	Header []string
	Lines  [][]string
}

// Tables returns the tables of a variant: microseconds for tests, speed-ups for kernels.
func (p *Plan) Tables(rows []Row, variant string) (all []Table) {
	for _, test := range p.Tests {
		all = p.table(all, rows, test+", µs", func(r Row) bool { return r.Variant == variant && r.Program == test },
			func(r Row) []string {
				if r.Bytes == 0 {
					return []string{strconv.Itoa(r.Nodes)}
				}
				return []string{strconv.Itoa(r.Nodes), strconv.Itoa(r.Bytes)}
			}, []string{"nodes", "bytes"}, func(r Row) float64 { return r.Usec })
	}
	for _, class := range p.Classes {
		all = p.table(all, rows, "Kernels of class "+class+", speed-up over one node", func(r Row) bool {
			return r.Variant == variant && r.Class == class && r.Nodes > 1 && r.SpeedUp > 0
		}, func(r Row) []string { return []string{r.Program, strconv.Itoa(r.Nodes)} }, []string{"kernel", "nodes"}, func(r Row) float64 { return r.SpeedUp })
	}
	return all
}

// table appends a table, if there are rows for it.
func (p *Plan) table(all []Table, rows []Row, title string, of func(Row) bool, key func(Row) []string, keys []string, value func(Row) float64) []Table {
	t := Table{Title: title}
	lines := map[string]int{}
	for _, r := range rows {
		if !of(r) {
			continue
		}
		k := key(r)
		if t.Header == nil {
			t.Header = append(slices.Clone(keys[:len(k)]), p.NICs...)
		}
		name := strings.Join(k, " ")
		i, there := lines[name]
		if !there {
			i = len(t.Lines)
			lines[name] = i
			line := slices.Clone(k)
			for range p.NICs {
				line = append(line, "-")
			}
			t.Lines = append(t.Lines, line)
		}
		t.Lines[i][len(k)+slices.Index(p.NICs, r.NIC)] = strconv.FormatFloat(value(r), 'f', 2, 64)
	}
	if t.Lines == nil {
		return all
	}
	return append(all, t)
}

// Factors returns the table of how much longer each NIC takes than the fastest one in the same place:
// geometric means over nodes and sizes, one line for each program and variant.
func (p *Plan) Factors(rows []Row) Table {
	t := Table{Title: "Times the quickest NIC's, geometric mean", Header: append([]string{"program", "variant"}, p.NICs...)}
	for _, program := range append(slices.Clone(p.Tests), p.Kernels...) {
		for _, variant := range p.Variants {
			line, some := []string{program, variant}, false
			for _, nic := range p.NICs {
				sum, n := 0.0, 0
				for _, r := range rows {
					if r.Program == program && r.Variant == variant && r.NIC == nic && r.Factor > 0 {
						sum, n = sum+math.Log(r.Factor), n+1
					}
				}
				text := "-"
				if n > 0 {
					text, some = strconv.FormatFloat(math.Exp(sum/float64(n)), 'f', 2, 64), true
				}
				line = append(line, text)
			}
			if some {
				t.Lines = append(t.Lines, line)
			}
		}
	}
	return t
}

// Summary prints all tables.
func (p *Plan) Summary(out io.Writer, rows []Row) error {
	print := func(t Table) error {
		if len(t.Lines) == 0 {
			return nil
		}
		if _, err := fmt.Fprintf(out, "%s\n\n", t.Title); err != nil {
			return err
		}
		if err := bench.Table(out, t.Header, t.Lines); err != nil {
			return err
		}
		_, err := fmt.Fprintln(out)
		return err
	}
	if err := print(p.Factors(rows)); err != nil {
		return err
	}
	for _, variant := range p.Variants {
		for _, t := range p.Tables(rows, variant) {
			t.Title = variant + ": " + t.Title
			if err := print(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Plot is a drawing of a page.
type Plot struct{ File, Title string }

// Plots draws plots with a line for each NIC into a folder: tests of two nodes over the size, others and
// kernels over nodes.
func (p *Plan) Plots(dir string, rows []Row) (plots []Plot, err error) {
	for _, variant := range p.Variants {
		for _, test := range p.Tests {
			overSize := len(p.testNodes(test)) == 1 && len(p.testSizes(test)) > 1
			for _, bytes := range p.testSizes(test) {
				if overSize {
					bytes = -1
				}
				of := func(r Row) bool {
					return r.Variant == variant && r.Program == test && (bytes < 0 || r.Bytes == bytes)
				}
				if plots, err = p.plot(plots, dir, rows, variant, test, bytes, of); err != nil {
					return nil, err
				}
				if overSize {
					break
				}
			}
		}
	}
	return plots, nil
}

// plot draws a plot, if there is something to draw.
func (p *Plan) plot(plots []Plot, dir string, rows []Row, variant, test string, bytes int, of func(Row) bool) ([]Plot, error) {
	var curves []report.Curve
	for _, nic := range p.NICs {
		c := report.Curve{Name: nic}
		for _, r := range rows {
			if r.NIC != nic || !of(r) {
				continue
			}
			x := r.Nodes
			if bytes < 0 {
				x = r.Bytes
			}
			c.X, c.Y = append(c.X, float64(x)), append(c.Y, r.Usec)
		}
		if len(c.X) > 1 {
			curves = append(curves, c)
		}
	}
	if curves == nil {
		return plots, nil
	}
	name, title := strings.ToLower(test)+"-"+variant, test
	if bytes > 0 {
		name, title = fmt.Sprintf("%s-%d-%s", strings.ToLower(test), bytes, variant), fmt.Sprintf("%s of %d bytes", test, bytes)
	}
	title += ": " + variant
	draw := func() (*report.Figure, error) { return report.Lines(name, title, "nodes", "µs", curves) }
	if bytes < 0 {
		draw = func() (*report.Figure, error) { return report.BySize(name, title, "µs", curves) }
	}
	f, err := draw()
	if err != nil {
		return nil, err
	}
	file := name + ".svg"
	return append(plots, Plot{file, title}), f.Save(filepath.Join(dir, file))
}
