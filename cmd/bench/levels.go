package main

import (
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
	"rhinet/bench/progress"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini/stepped"
)

// levelCommands returns the commands that measure below MPI. They start their second process themselves.
func levelCommands(out, errs io.Writer) []*cobra.Command {
	onNIC := group("nic", "Measure the NIC's primitives between processes")
	onNIC.AddCommand(workloadCommands("nic", nic.Workloads(), out, errs)...)
	for _, c := range onNIC.Commands() {
		if slices.Contains(stepped.Operations(), c.Name()) {
			addTrace(c, out)
		}
	}
	onNIC.AddCommand(traceCommand(out), modelCommand(out))
	onPM := group("pm", "Measure the PM message layers between two processes")
	onPM.AddCommand(
		layersCommand("pingpong", "round trip, against the number of nodes", pm.PingPong, out, errs),
		layersCommand("burst", "one way continuously, against the number of nodes", pm.Burst, out, errs),
		scanCommand(out))
	onLLC := group("llc", "Measure the communication library between two processes, without MPI above")
	onLLC.AddCommand(workloadCommands("llc", llc.Workloads(), out, errs)...)
	onLLC.AddCommand(shareCommand(out),
		besideCommand("mixed", "Compare: 8 bytes beside a stream of long messages, to the same rank and to another", progress.Mixed(), out, errs),
		besideCommand("overlap", "Compare: how much of a long message hides behind computation", progress.Overlap(), out, errs))
	return []*cobra.Command{onNIC, onPM, onLLC}
}

// alone rejects running as a rank of a job.
func alone(c *cobra.Command, _ []string) error {
	if os.Getenv(rankVariable) != "" {
		return usage(fmt.Errorf("%s starts what processes it needs itself; run it without mpirun", c.CommandPath()))
	}
	return nil
}

// group returns a command with measurements as subcommands.
func group(name, about string) *cobra.Command {
	var g *cobra.Command
	names := func() string {
		var all []string
		for _, c := range g.Commands() {
			if !c.Hidden {
				all = append(all, c.Name())
			}
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

// levelBudget is the measuring time for each size below MPI.
const levelBudget = 50 * time.Millisecond

// workloadCommands returns a command for each workload of a level.
func workloadCommands(level string, all []pair.Workload, out, errs io.Writer) (commands []*cobra.Command) {
	for _, w := range all {
		m := &measurement{out: out}
		commands = append(commands, m.command(w.Name, w.About, levelBudget, func(printer bench.Printer, sizes []int) error {
			if err := bench.CheckSizes(w.Tests, sizes); err != nil {
				return err
			}
			if err := w.Measure(level, w.Tests, 0, w.Processes, fabric.Default(), bench.Steady(m.budget), sizes, errs, printer.Row); err != nil {
				return err
			}
			return printer.Close()
		}))
	}
	return commands
}

// layersCommand measures one test of the PM layers.
func layersCommand(name, about string, test int, out, errs io.Writer) *cobra.Command {
	m := &measurement{out: out}
	var layers, nodes string
	c := m.command(name, about, levelBudget, func(printer bench.Printer, sizes []int) error {
		counts, err := numbers("nodes", nodes, pm.Nodes(), 2, pm.MaxNodes)
		if err != nil {
			return err
		}
		chosen, err := pm.FindLayers(layers)
		if err != nil {
			return err
		}
		var tests []bench.Test
		for _, l := range chosen {
			tests = append(tests, l.Workload().Tests[test])
		}
		if err := bench.CheckSizes(tests, sizes); err != nil {
			return err
		}
		if err := pm.Measure(test, chosen, counts, bench.Steady(m.budget), sizes, errs, printer.Row); err != nil {
			return err
		}
		return printer.Close()
	})
	c.Flags().StringVar(&layers, "layer", "all", "message layers, separated by commas: rhinet, vp, ring, throttled")
	c.Flags().StringVar(&nodes, "nodes", "", "numbers of nodes, all but two idle (default 2,4,8,16,32,64)")
	return c
}

// numbers parses the list of a flag whose numbers must be between low and high.
func numbers(flag, list string, usual []int, low, high int) ([]int, error) {
	if list == "" {
		return usual, nil
	}
	var all []int
	for f := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil || n < low || n > high {
			return nil, usage(fmt.Errorf("%q in --%s is not a number from %d to %d", f, flag, low, high))
		}
		all = append(all, n)
	}
	return all, nil
}

// shown is how many bytes a trace moves by default.
const shown = 8

// addTrace gives a measurement the flag for showing a trace instead of measuring.
func addTrace(c *cobra.Command, out io.Writer) {
	trace := c.Flags().Bool("trace", false, "show one operation state by state on the stepped model, and measure nothing")
	measure := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if *trace {
			return show(out, c.Name(), c.Flag("sizes").Value.String())
		}
		return measure(c, args)
	}
}

// show traces one operation; its size is that in the list, if there is one.
func show(out io.Writer, operation, list string) error {
	sizes, err := parseSizes(list)
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
	if err := stepped.Show(out, operation, sizes[0]); err != nil {
		return usage(err)
	}
	return nil
}

// traceCommand shows any operation that the stepped model can show.
func traceCommand(out io.Writer) *cobra.Command {
	var sizes string
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
		RunE: func(_ *cobra.Command, args []string) error { return show(out, args[0], sizes) },
	}
	c.Flags().StringVar(&sizes, "sizes", "", "bytes that the operation moves (default 8)")
	return c
}

// second is the program of the process that a measurement below MPI starts.
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

// opener returns the function with which the second process opens its side.
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
