package study

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rhinet/bench"
	"rhinet/bench/report"
)

// A Row is a result in relation to that of one node.
type Row struct {
	Result
	SpeedUp float64 `json:"speed_up"` // 0: there is no result for one node
}

// Rows returns results in the order of the plan, with their speed-up.
func (p *Plan) Rows(results []Result) (rows []Row) {
	of := map[Cell]Result{}
	for _, r := range results {
		of[r.Cell] = r
	}
	for _, c := range p.Cells() {
		r, there := of[c]
		if !there {
			continue
		}
		row := Row{Result: r}
		if one, there := of[Cell{alone, c.Kernel, c.Class, 1}]; there {
			row.SpeedUp = r.Mops / one.Mops
		}
		rows = append(rows, row)
	}
	return rows
}

func header() []string {
	return []string{"kernel", "class", "nodes", "series", "Mop_s", "speed_up", "seconds", "compute", "calls", "waits", "packets", "bytes", "bus", "link", "host_seconds", "processor_seconds", "host_MB_rank"}
}

func (r Row) cells() []string {
	part := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	return []string{r.Kernel, r.Class, strconv.Itoa(r.Nodes), r.Series, strconv.FormatFloat(r.Mops, 'f', 2, 64), part(r.SpeedUp),
		strconv.FormatFloat(r.Seconds, 'f', 6, 64), part(r.Compute), part(r.Calls), part(r.Waits), strconv.FormatUint(r.Packets, 10),
		strconv.FormatUint(r.Bytes, 10), part(r.Bus), part(r.Link), strconv.FormatFloat(r.Took, 'f', 1, 64), recorded(r.Used), recorded(r.Memory)}
}

// recorded formats a figure; it returns "" if that was not recorded.
func recorded(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, header(), rows, Row.cells)
}

// Summary prints the speed-up of each kernel and class, a line for each number of nodes.
func (p *Plan) Summary(out io.Writer, rows []Row) error {
	head := []string{"kernel", "nodes"}
	for _, s := range p.Series {
		head = append(head, s.Name)
	}
	for _, class := range p.Classes {
		var lines [][]string
		for _, kernel := range p.Kernels {
			for _, n := range p.nodes(kernel) {
				if line := p.line(rows, class, kernel, n); line != nil {
					lines = append(lines, line)
				}
			}
		}
		if len(lines) == 0 {
			continue
		}
		fmt.Fprintf(out, "Speed-up, class %s; with one node Mop/s\n\n", class)
		if err := bench.Table(out, head, lines); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	p.cost(out, rows)
	return nil
}

// cost prints the cost of the jobs, class by class. Processor time is that of one processor: a job has its
// own process, in which its ranks take turns.
func (p *Plan) cost(out io.Writer, rows []Row) {
	var classes []string
	jobs, known, sum := 0, 0, 0.0
	for _, class := range p.Classes {
		of := 0.0
		for _, r := range rows {
			if r.Class != class {
				continue
			}
			jobs++
			if r.Used > 0 {
				known, of = known+1, of+r.Used
			}
		}
		sum += of
		classes = append(classes, fmt.Sprintf("%s %.1f", class, of/60))
	}
	fmt.Fprintf(out, "Processor time of %d of %d jobs: %.1f minutes (%s), half of that on two processors\n", known, jobs, sum/60, strings.Join(classes, ", "))
}

func (p *Plan) line(rows []Row, class, kernel string, nodes int) []string {
	line, some := []string{kernel, strconv.Itoa(nodes)}, false
	for _, s := range p.Series {
		name := s.Name
		if nodes == 1 {
			name = alone
		}
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Cell == Cell{name, kernel, class, nodes} })
		switch {
		case i < 0, nodes > 1 && rows[i].SpeedUp == 0: // it, or one node, was not run
			line = append(line, "-")
		case nodes == 1:
			line, some = append(line, strconv.FormatFloat(rows[i].Mops, 'f', 1, 64)), true
		default:
			line, some = append(line, strconv.FormatFloat(rows[i].SpeedUp, 'f', 2, 64)), true
		}
	}
	if !some {
		return nil
	}
	return line
}

// Plots draws the speed-up of each kernel and class over nodes, with the ideal speed-up, into a folder.
func (p *Plan) Plots(dir string, rows []Row) error {
	for _, class := range p.Classes {
		for _, kernel := range p.Kernels {
			curves := p.curves(rows, class, kernel)
			if len(curves) == 0 {
				continue
			}
			name := kernel + "-" + class
			f, err := report.Lines(name, strings.ToUpper(kernel)+", class "+class, "nodes", "speed-up", curves)
			if err != nil {
				return err
			}
			if err := f.Save(filepath.Join(dir, name+".svg")); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Plan) curves(rows []Row, class, kernel string) (curves []report.Curve) {
	ideal := report.Curve{Name: "ideal"}
	for _, s := range p.Series {
		c := report.Curve{Name: s.Name}
		for _, r := range rows {
			if r.Class == class && r.Kernel == kernel && (r.Series == s.Name || r.Series == alone) && r.SpeedUp > 0 {
				c.X, c.Y = append(c.X, float64(r.Nodes)), append(c.Y, r.SpeedUp)
			}
		}
		if len(c.X) > len(ideal.X) {
			ideal.X, ideal.Y = c.X, c.X
		}
		if len(c.X) > 1 {
			curves = append(curves, c)
		}
	}
	if len(curves) > 0 {
		curves = append(curves, ideal)
	}
	return curves
}
