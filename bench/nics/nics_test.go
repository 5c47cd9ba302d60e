package nics

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rhinet/bench"
	"rhinet/bench/virtual"
	"rhinet/mpi"
	"rhinet/nicemu/models"
	"rhinet/nicemu/vtime"
)

// small is a plan that takes a moment.
func small() Plan {
	p := Usual()
	p.Sizes, p.Nodes, p.Kernels, p.Classes, p.KernelNodes = []int{8, 1024}, []int{2, 4}, []string{"is"}, []string{"S"}, []int{4}
	return p
}

// run runs a plan in a folder.
func run(t *testing.T, p Plan, dir string) []Row {
	t.Helper()
	r := Runner{Plan: p, Dir: dir, Jobs: 2}
	var results []Result
	if err := r.Run(t.Context(), func(res Result) { results = append(results, res) }); err != nil {
		t.Fatal(err)
	}
	return p.Rows(results)
}

// TestStudy: all NICs run all programs, with times that do not depend on when they are run; what was run is
// not run again; and everything that is written names every NIC.
func TestStudy(t *testing.T) {
	p, dir := small(), t.TempDir()
	rows := run(t, p, dir)
	if len(rows) != len(p.Cells()) || len(rows) != 3*(6*(2+2+3*4)+2+4+1+6) { // cenju4:switch is in two tests
		t.Fatalf("%d rows of %d cells", len(rows), len(p.Cells()))
	}
	for i, r := range run(t, p, dir) {
		if r != rows[i] { // including the real time that it took
			t.Errorf("%+v was run again: %+v", rows[i], r)
		}
	}
	for _, r := range rows {
		quiet := r.NIC == alone || r.NIC == "sync" && r.Program == "Barrier" // codes are no packets
		if !(r.Usec > 0) || r.Factor < 1 || (r.Packets == 0) != quiet {
			t.Errorf("%+v", r)
		}
		if one := r.NIC == alone; r.Class != "" && one != (r.SpeedUp == 1) || r.Class == "" && r.SpeedUp != 0 {
			t.Errorf("%+v", r)
		}
	}
	again := p
	again.Tests, again.Kernels = []string{"Alltoall"}, nil
	for _, r := range run(t, again, t.TempDir()) {
		i := slices.IndexFunc(rows, func(o Row) bool { return o.Cell == r.Cell })
		if rows[i].Usec != r.Usec || rows[i].Packets != r.Packets {
			t.Errorf("%+v, and before %+v", r, rows[i])
		}
	}
	written(t, p, rows)
}

// TestKnown: results of another folder are used if they were made with the same model, even if their setup
// is older than a parameter that now has its default value; no others are used.
func TestKnown(t *testing.T) {
	p := Plan{Variants: []string{Own}, NICs: []string{"cenju4", "dimmnet2"}, Tests: []string{"Barrier"}, Nodes: []int{2}}
	measured := run(t, p, t.TempDir())
	var b bytes.Buffer
	if err := Write(&b, "json", measured); err != nil {
		t.Fatal(err)
	}
	known, err := Read(&b)
	if err != nil || len(known) != 2 || known[1] != measured[1].Result {
		t.Fatal(known, err)
	}
	for i := range known {
		known[i].Usec = 1
	}
	known[0].Setup = strings.Replace(known[0].Setup, "switch.ports=4,", "", 1)
	known[1].Setup = strings.Replace(known[1].Setup, "pentium3", "xeon", 1)
	r := Runner{Plan: p, Dir: t.TempDir(), Known: known}
	var usec []float64
	if err := r.Run(t.Context(), func(res Result) {
		usec = append(usec, res.Usec)
		if res.Setup != res.setup() {
			t.Error(res.Setup)
		}
	}); err != nil || !slices.Equal(usec, []float64{1, measured[1].Usec}) {
		t.Error(usec, err)
	}
	if _, err := Read(strings.NewReader("[{")); err == nil {
		t.Error("half a file")
	}
}

func written(t *testing.T, p Plan, rows []Row) {
	t.Helper()
	dir := t.TempDir()
	plots, err := p.Plots(dir, rows)
	if err != nil || len(plots) != 3*(1+1+3*2) {
		t.Errorf("%d plots, %v", len(plots), err)
	}
	for _, x := range plots {
		if svg, err := os.ReadFile(filepath.Join(dir, x.File)); err != nil || !strings.Contains(string(svg), "martini:vp") {
			t.Errorf("%s: %v", x.File, err)
		}
	}
	var text, page, list bytes.Buffer
	if err := errors.Join(p.Summary(&text, rows), p.Page(&page, rows, plots, "bench model nics DIR"), p.Models(&list)); err != nil {
		t.Fatal(err)
	}
	for _, n := range p.NICs {
		if !strings.Contains(text.String(), n) || !strings.Contains(page.String(), n) || !strings.Contains(list.String(), "\nmodern "+strings.TrimSuffix(n, ":switch")+":") {
			t.Errorf("%s is not everywhere", n)
		}
	}
	for _, want := range []string{"Kernels of class S, speed-up", "![Bcast of 8 bytes: own](bcast-8-own.svg)", "1000 MHz", "### Alltoall, µs", "all nodes are on one switch", "![Barrier: equal](barrier-equal.svg)"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for format, want := range map[string]string{"table": "| dimmnet2 |", "csv": "modern,cenju4,Barrier,,4,0,", "json": `"speed_up": `} {
		var b bytes.Buffer
		if err := Write(&b, format, rows); err != nil || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// TestComparison: factors are relative to the fastest NIC of the same kind of network, with geometric
// means; speed-up is relative to one node.
func TestComparison(t *testing.T) {
	p := Plan{Variants: []string{Own}, NICs: []string{"martini", "cenju4"}, Tests: []string{"Barrier"}, Nodes: []int{2, 4}, Kernels: []string{"ep"}, Classes: []string{"S"}, KernelNodes: []int{4}}
	of := func(nic, program, class string, nodes int, usec float64) Result {
		return Result{Cell: Cell{Variant: Own, NIC: nic, Program: program, Class: class, Nodes: nodes}, Usec: usec}
	}
	rows := p.Rows([]Result{
		of("martini", "Barrier", "", 2, 1), of("cenju4", "Barrier", "", 2, 2), of("martini", "Barrier", "", 4, 8), of("cenju4", "Barrier", "", 4, 1),
		of(alone, "ep", "S", 1, 100), of("martini", "ep", "S", 4, 25), of("cenju4", "ep", "S", 4, 50),
	})
	var factors, ups []float64
	for _, r := range rows {
		factors, ups = append(factors, r.Factor), append(ups, r.SpeedUp)
	}
	if !slices.Equal(factors, []float64{1, 2, 8, 1, 1, 1, 2}) || !slices.Equal(ups, []float64{0, 0, 0, 0, 1, 4, 2}) {
		t.Errorf("%v, %v", factors, ups)
	}
	if line := p.Factors(rows).Lines[0]; !slices.Equal(line, []string{"Barrier", Own, "2.83", "1.41"}) {
		t.Error(line)
	}
	tables := p.Tables(rows, Own)
	if len(tables) != 2 || !slices.Equal(tables[0].Header, []string{"nodes", "martini", "cenju4"}) || !slices.Equal(tables[0].Lines[1], []string{"4", "8.00", "1.00"}) ||
		!slices.Equal(tables[1].Lines[0], []string{"ep", "4", "4.00", "2.00"}) {
		t.Errorf("%+v", tables)
	}
	some := p.Rows([]Result{of("martini", "Barrier", "", 2, 1)}) // the others have not been run
	if tables := p.Tables(some, Own); len(tables) != 1 || !slices.Equal(tables[0].Lines[0], []string{"2", "1.00", "-"}) {
		t.Errorf("%+v", tables)
	}
	if plots, err := p.Plots(t.TempDir(), some); err != nil || plots != nil {
		t.Error(plots, err)
	}
}

// TestModernOnEqualTerms: every modern setting is a parameter of its model and changes it; rates of links and of copies
// are the same everywhere.
func TestModernOnEqualTerms(t *testing.T) {
	value := func(c models.Choice, name string) float64 { return c.Params.Value(name) }
	for _, n := range NICs() {
		own, err := n.choice(Own, mostNodes)
		if err != nil {
			t.Fatal(err)
		}
		c, err := n.choice(Modern, mostNodes)
		if err == nil {
			err = c.Check(mostNodes)
		}
		equal, failed := n.choice(Equal, mostNodes)
		if err = errors.Join(err, failed); err == nil {
			err = equal.Check(mostNodes)
		}
		if err != nil {
			t.Fatal(n.Name, err)
		}
		if topology := equal.Topology(mostNodes); n.placed != (topology == "one:64") {
			t.Errorf("%s is on %q", n.Name, topology)
		}
		for _, s := range n.modern {
			name, _, _ := strings.Cut(s, "=")
			if value(own, name) == value(c, name) && name != "switch.cross" {
				t.Errorf("%s: %s is the own one", n.Name, s)
			}
		}
		rate := map[string]func() float64{ // bytes a nanosecond on a link
			"cenju4":   func() float64 { return 8 * value(c, "clock") / 1000 },
			"dimmnet2": func() float64 { return 1 / value(c, "swif.byte") },
			"sync":     func() float64 { return value(c, "data.rate") / 8 / 1000 },
		}[c.Name]
		if rate == nil {
			rate = func() float64 {
				return value(c, "link.rate") / 8 * value(c, "link.data-bits") / value(c, "link.raw-bits")
			}
		}
		if got := rate(); math.Abs(got-8) > 1e-9 {
			t.Errorf("%s: %v bytes a nanosecond", n.Name, got)
		}
	}
}

// TestBcastIsNotQuickerThanItsMessage: ranks begin a repetition together, except for the skew of a barrier
// by messages.
func TestBcastIsNotQuickerThanItsMessage(t *testing.T) {
	for _, n := range NICs() {
		if !n.serves("PingPong") {
			continue
		}
		var usec []float64
		for _, program := range []string{"PingPong", "Bcast"} {
			r, err := Cell{Variant: Own, NIC: n.Name, Program: program, Nodes: 2, Bytes: 8}.Measure()
			if err != nil {
				t.Fatal(err)
			}
			usec = append(usec, r.Usec)
		}
		if usec[1] < 0.75*usec[0] {
			t.Errorf("%s: a message takes %v us, a Bcast to one rank %v us", n.Name, usec[0], usec[1])
		}
	}
}

// TestNoNodeIsNearer: on equal terms a message takes the same time to any node; on its own terms, the torus
// has near and far nodes.
func TestNoNodeIsNearer(t *testing.T) {
	const nodes = 9
	for _, n := range NICs() {
		for _, variant := range []string{Modern, Equal} {
			c, err := n.choice(variant, nodes)
			if err != nil {
				t.Fatal(err)
			}
			took := make([]vtime.Time, nodes)
			_, err = virtual.Job{Model: c, Ranks: nodes}.Run(func(world *mpi.Comm, now func() vtime.Time) error {
				for peer := 1; peer < nodes; peer++ {
					for range 5 { // some of which coincide with the end of the barrier
						begun := now()
						if err := bounce(world, peer); err != nil {
							return err
						}
						if t := now() - begun; world.Rank() == 0 && (took[peer] == 0 || t < took[peer]) {
							took[peer] = t
						}
					}
					if err := mpi.Barrier(world); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(n.Name, err)
			}
			alike := slices.Max(took[1:])-slices.Min(took[1:]) < hop*vtime.Nanosecond // except for the phase of a NIC's clock
			if variant == Equal && !alike || variant == Modern && n.Name == "sync" && alike {
				t.Errorf("%s, %s: %v", n.Name, variant, took)
			}
		}
	}
}

// bounce sends a message from rank 0 to a peer and back.
func bounce(world *mpi.Comm, peer int) (err error) {
	buf := []int{0}
	switch world.Rank() {
	case 0:
		if err = mpi.Send(world, buf, peer, 0); err == nil {
			_, err = mpi.Recv(world, buf, peer, 0)
		}
	case peer:
		if _, err = mpi.Recv(world, buf, 0, 0); err == nil {
			err = mpi.Send(world, buf, 0, 0)
		}
	}
	return err
}

func TestWrongPlans(t *testing.T) {
	for want, change := range map[string]func(p *Plan){
		`no variant "old"; there is own, modern`:                             func(p *Plan) { p.Variants = []string{"old"} },
		`no NIC "myrinet"; there is martini, martini:pm, martini:vp, cenju4`: func(p *Plan) { p.NICs = []string{"myrinet"} },
		`no test "Scan"; there is PingPong, Barrier`:                         func(p *Plan) { p.Tests = []string{"Scan"} },
		`no kernel "dc"; there is ep`:                                        func(p *Plan) { p.Kernels = []string{"dc"} },
		`Q`:                                                                  func(p *Plan) { p.Classes = []string{"Q"} },
		"65 nodes; give 2 to 64":                                             func(p *Plan) { p.Nodes = []int{65} },
		"1 nodes; give 2 to 64":                                              func(p *Plan) { p.KernelNodes = []int{1} },
		"size 12; give multiples of 8":                                       func(p *Plan) { p.Sizes = []int{12} },
		"nothing to run":                                                     func(p *Plan) { p.Tests, p.Kernels = nil, nil },
	} {
		p := small()
		change(&p)
		if err := p.Check(); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
	p := small()
	if p.Kernels, p.KernelNodes = []string{"bt", "cg"}, []int{2, 8}; p.Check() != nil {
		t.Error("cg runs on 2 and 8 nodes")
	}
	if slices.ContainsFunc(p.Cells(), func(c Cell) bool { return c.Program == "bt" }) {
		t.Error("bt takes squares")
	}
}

// TestFailures: an impossible cell is an error and gives no result.
func TestFailures(t *testing.T) {
	for _, c := range []Cell{
		{Variant: Own, NIC: "myrinet", Program: "Barrier", Nodes: 2}, {Variant: Own, NIC: "cenju4", Program: "Scans", Nodes: 2},
		{Variant: Own, NIC: "cenju4", Program: "dc", Class: "S", Nodes: 2}, {Variant: Own, NIC: "cenju4", Program: "is", Class: "Q", Nodes: 2},
		{Variant: Own, NIC: "cenju4", Program: "bt", Class: "S", Nodes: 2},
	} {
		if r, err := c.Measure(); err == nil {
			t.Errorf("%+v", r)
		}
	}
	if s := (Cell{NIC: "myrinet"}).setup(); !strings.Contains(s, "no NIC") {
		t.Error(s)
	}
}
