package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/llc"
	"rhinet/bench/nic"
	"rhinet/bench/pair"
	"rhinet/bench/pm"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini/stepped"
)

// A level holds the flags of measurements below MPI.
type level struct {
	out, errs           io.Writer
	sizes, format, list string
	budget              time.Duration
	layers              string
	trace               bool
}

// levelCommands returns the commands that measure below MPI. They start their
// second process themselves.
func levelCommands(out, errs io.Writer) []*cobra.Command {
	onNIC := group("nic", "Measure the NIC's primitives between processes")
	for _, w := range nic.Workloads() {
		l := &level{out: out, errs: errs}
		cmd := l.command(w.Name, w.About, func() error {
			if l.trace {
				return l.show(w.Name)
			}
			return l.workload("nic "+w.Name, w.Processes, w.Series, w.Open)
		})
		if slices.Contains(stepped.Operations(), w.Name) {
			cmd.Flags().BoolVar(&l.trace, "trace", false, "show one operation state by state on the stepped model, and measure nothing")
		}
		onNIC.AddCommand(cmd)
	}
	onNIC.AddCommand(traceCommand(out), modelCommand(out))
	onPM := group("pm", "Measure the PM message layers between two processes")
	for _, c := range []struct {
		name, about string
		series      func(pm.Layer) pair.Series
		number      int
	}{
		{"pingpong", "round trip, against the number of nodes", pm.Layer.PingPong, 0},
		{"burst", "one way continuously, against the number of nodes", pm.Layer.Burst, 1},
	} {
		l := &level{out: out, errs: errs}
		cmd := l.command(c.name, c.about, func() error { return l.pm(c.series, c.number) })
		cmd.Flags().StringVar(&l.layers, "layer", "all", "message layers, separated by commas: rhinet, vp, ring, throttled")
		cmd.Flags().StringVar(&l.list, "nodes", "", "numbers of nodes, all but two idle (default 2,4,8,16,32,64)")
		onPM.AddCommand(cmd)
	}
	l := &level{out: out, errs: errs}
	scan := l.command("scan", "looking into many rings, against their number (column ranks)", l.scan)
	scan.Flags().StringVar(&l.list, "rings", "", "numbers of rings (default 1,2,4 ... 1024)")
	_ = scan.Flags().MarkHidden("sizes")
	onPM.AddCommand(scan)
	onLLC := group("llc", "Measure the communication library between two processes, without MPI above")
	for _, w := range llc.Workloads() {
		l := &level{out: out, errs: errs}
		onLLC.AddCommand(l.command(w.Name, w.About, func() error { return l.workload("llc "+w.Name, 2, w.Series, w.Open) }))
	}
	return []*cobra.Command{onNIC, onPM, onLLC}
}

// alone refuses to be one of the ranks of a job.
func alone(c *cobra.Command, _ []string) error {
	if os.Getenv(rankVariable) != "" {
		return usage(fmt.Errorf("%s starts what processes it needs itself; run it without mpirun", c.CommandPath()))
	}
	return nil
}

// group returns a command that has measurements below it.
func group(name, about string) *cobra.Command {
	var g *cobra.Command
	names := func() string {
		var all []string
		for _, c := range g.Commands() {
			all = append(all, c.Name())
		}
		return strings.Join(all, ", ")
	}
	g = &cobra.Command{
		Use: name, Short: about, PersistentPreRunE: alone,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("no measurement %q; %s measures %s", args[0], c.CommandPath(), names()))
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return usage(fmt.Errorf("name what to measure; %s measures %s", c.CommandPath(), names()))
		},
	}
	return g
}

// command returns one measurement with the flags that all have.
func (l *level) command(name, about string, run func() error) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: "Measure: " + about, Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return input(run()) },
	}
	c.Flags().StringVar(&l.sizes, "sizes", "", "sizes in bytes, separated by commas (default: the test's schedule)")
	c.Flags().StringVar(&l.format, "format", "table", "output format: "+bench.Formats)
	c.Flags().DurationVar(&l.budget, "time", 50*time.Millisecond, "measuring time of one size")
	return c
}

// parse reads the flags that all have.
func (l *level) parse() (bench.Printer, bench.Options, error) {
	printer, err := bench.NewPrinter(l.format, l.out)
	opts := bench.Options{Budget: l.budget}
	if err == nil {
		opts.Sizes, err = parseSizes(l.sizes)
	}
	if err == nil {
		err = positive("time", l.budget)
	}
	if err != nil {
		return nil, opts, usage(err)
	}
	return printer, opts, nil
}

// numbers reads the list of a flag whose numbers lie between low and high.
func (l *level) numbers(flag string, usual []int, low, high int) ([]int, error) {
	if l.list == "" {
		return usual, nil
	}
	var all []int
	for f := range strings.SplitSeq(l.list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil || n < low || n > high {
			return nil, usage(fmt.Errorf("%q in --%s is not a number from %d to %d", f, flag, low, high))
		}
		all = append(all, n)
	}
	return all, nil
}

// workload measures what opener finds by a name, on so many processes.
func (l *level) workload(name string, processes int, series []pair.Series, open func(*pair.End) (pair.Side, error)) error {
	printer, opts, err := l.parse()
	if err != nil {
		return err
	}
	if err := pair.Check(series, opts.Sizes); err != nil {
		return err
	}
	if err := l.all(name, processes, processes, fabric.Default(), open, series, 0, opts, printer); err != nil {
		return err
	}
	return printer.Close()
}

func (l *level) pm(series func(pm.Layer) pair.Series, number int) error {
	printer, opts, err := l.parse()
	if err != nil {
		return err
	}
	nodes, err := l.numbers("nodes", pm.Nodes(), 2, pm.MaxNodes)
	if err != nil {
		return err
	}
	layers := pm.Layers()
	if l.layers != "all" {
		layers = nil
		for name := range strings.SplitSeq(l.layers, ",") {
			layer, err := pm.FindLayer(strings.TrimSpace(name))
			if err != nil {
				return err
			}
			layers = append(layers, layer)
		}
	}
	var all []pair.Series
	for _, layer := range layers {
		all = append(all, series(layer))
	}
	if err := pair.Check(all, opts.Sizes); err != nil {
		return err
	}
	for i, layer := range layers {
		for _, n := range nodes {
			if err := l.all("pm "+layer.Name, 2, n, layer.Geometry(n), layer.Open, all[i:i+1], number, opts, printer); err != nil {
				return err
			}
		}
	}
	return printer.Close()
}

// all measures series, which a side knows by numbers from first on, between
// this process and others.
func (l *level) all(name string, count, nodes int, g fabric.Geometry, open func(*pair.End) (pair.Side, error),
	series []pair.Series, first int, opts bench.Options, printer bench.Printer) error {
	leader, err := pair.Lead(name, count, nodes, g, l.errs)
	if err != nil {
		return err
	}
	side, err := open(leader.End)
	if err == nil {
		for i, s := range series {
			timed := func(bytes, reps int) (float64, error) { return leader.Call(side, first+i, bytes, reps) }
			if err = pair.Measure(s, nodes, opts, timed, printer.Row); err != nil {
				break
			}
		}
		err = errors.Join(err, side.Close())
	}
	return errors.Join(err, leader.Close())
}

func (l *level) scan() error {
	printer, opts, err := l.parse()
	if err != nil {
		return err
	}
	rings, err := l.numbers("rings", pm.Rings(), 1, pm.MaxRings)
	if err != nil {
		return err
	}
	if opts.Sizes != nil {
		return usage(errors.New("scan sends nothing that has a size; numbers of rings are given with --rings"))
	}
	for _, way := range pm.Scans() {
		for _, n := range rings {
			s, err := pm.NewScan(way, n)
			if err != nil {
				return err
			}
			timed := func(_, reps int) (float64, error) {
				start := time.Now()
				for range reps {
					s.Pass()
				}
				return max(time.Since(start).Seconds()/float64(reps), 1e-9), nil
			}
			series := pair.Series{Name: way, Sizes: []int{4}, Min: 4, Max: 4, Unit: 1, Scale: 1, Moves: float64(n)}
			if err := errors.Join(pair.Measure(series, n, opts, timed, printer.Row), s.Close()); err != nil {
				return err
			}
		}
	}
	return printer.Close()
}

// shown is how many bytes a trace moves unless told otherwise.
const shown = 8

// show traces one operation of the size named, if one is.
func (l *level) show(operation string) error {
	sizes, err := parseSizes(l.sizes)
	if err != nil {
		return usage(err)
	}
	switch len(sizes) {
	case 0:
		sizes = []int{shown}
	case 1:
	default:
		return usage(fmt.Errorf("--trace shows one size, not %d", len(sizes)))
	}
	if err := stepped.Show(l.out, operation, sizes[0]); err != nil {
		return usage(err)
	}
	return nil
}

// traceCommand shows any operation that the stepped model can show.
func traceCommand(out io.Writer) *cobra.Command {
	l := &level{out: out}
	c := &cobra.Command{
		Use:       "trace OPERATION",
		Short:     "Show an operation state by state: " + strings.Join(stepped.Operations(), ", "),
		ValidArgs: stepped.Operations(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage(fmt.Errorf("name one operation to trace: %s", strings.Join(stepped.Operations(), ", ")))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return l.show(args[0]) },
	}
	c.Flags().StringVar(&l.sizes, "sizes", "", "bytes that it moves (default 8)")
	return c
}

// second is the life of the process that a measurement below MPI starts.
func second(name string, errs io.Writer) int {
	kind, name, _ := strings.Cut(name, " ")
	open, err := opener(kind, name)
	if err == nil {
		err = pair.Follow(open)
	}
	if err != nil {
		fmt.Fprintf(errs, "bench: second process: %v\n", err)
		return 1
	}
	return 0
}

// opener finds what the second process opens.
func opener(kind, name string) (func(*pair.End) (pair.Side, error), error) {
	switch kind {
	case "nic":
		w, err := nic.Find(name)
		return w.Open, err
	case "llc":
		w, err := llc.Find(name)
		return w.Open, err
	case "pm":
		l, err := pm.FindLayer(name)
		return l.Open, err
	}
	return nil, fmt.Errorf("no measurement of %q", kind)
}
