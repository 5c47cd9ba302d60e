package results

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rhinet/bench/model"
	"rhinet/bench/nic"
)

// Output of the last step: a page, and a folder of plots.
const (
	reportFile  = "report.html"
	plotsFolder = "plots"
)

// steps returns the steps that make a results folder, the fast ones first.
func (o Options) steps() []step {
	peers := "--peers=" + strings.Join(o.Peers, ",")
	list := []step{{file: "calibrate.txt", args: words("bench calibrate"), takes: time.Second}}
	add := func(file, command string, takes time.Duration) {
		list = append(list, step{file: file, args: words(command), takes: takes})
	}
	keep := func(name, command string, takes time.Duration) {
		list = append(list, step{file: name + ".md", args: append(words(command), "--format", "markdown"), keeps: true, takes: takes})
	}
	budget, classes, counts, kernels := "50ms", []string{"S", "W", "A"}, []int{1, 2, 4, 8}, "all"
	if o.Short {
		budget, classes, counts, kernels = "1ms", []string{"S"}, []int{1, 2}, "is"
	}
	for _, w := range nic.Workloads() {
		add("nic-"+w.Name+".json", "bench nic "+w.Name+" --format json --time "+budget, 5*time.Second)
	}
	for _, name := range []string{"pingpong", "burst"} {
		command := "bench pm " + name + " --format json --time " + budget
		if o.Short {
			command += " --nodes 2"
		}
		add("pm-"+name+".json", command, 10*time.Second)
	}
	scan := "bench pm scan --format json --time " + budget
	if o.Short {
		scan += " --rings 1,16"
	}
	add("pm-scan.json", scan, 5*time.Second)
	for _, e := range model.Experiments() {
		add("model-"+e.Name+".csv", "bench nic model "+e.Name+" --format csv", time.Second)
	}
	add("model-timeline.txt", "bench nic model timeline", time.Second)
	idle := "mpirun -n 68 bench connected --rounds 60"
	if o.Short {
		idle = "mpirun -n 8 bench connected --rounds 2 --time 1ms"
	}
	add("connected.txt", idle, 5*time.Second)
	add("llc-pingpong.json", "bench llc pingpong --format json --time "+budget, 5*time.Second)
	add("mpi-pingpong.json", "mpirun -n 2 bench pingpong --format json --time "+budget, 5*time.Second)
	for _, class := range classes {
		for _, n := range counts {
			add(fmt.Sprintf("npb-%s-%d.json", class, n), fmt.Sprintf("mpirun -n %d npb -class %s -timers -format json %s", n, class, kernels), 5*time.Second)
		}
	}
	if o.Short {
		keep("compare", "bench compare --short --tests hello --rounds 2 --time 1ms "+peers, 30*time.Second)
		keep("pmb", "bench compare pmb PingPong Bcast Barrier --ranks 2,4 --sizes 8,1024,65536 --rounds 2 --time 1ms "+peers, 30*time.Second)
	} else {
		keep("compare", "bench compare --tests hello --rounds 8 --within 2m "+peers, time.Minute)
		keep("pmb", "bench compare pmb --ranks 2,4,8,16 --rounds 8 --time 20ms --within 10m "+peers, 8*time.Minute)
	}
	if len(o.References) > 0 {
		command := "bench compare npb --classes " + strings.Join(classes, ",") + " --ranks 1,2,4 --rounds 6 --within 8m"
		if o.MPI != "" {
			command += " --reference-mpi " + o.MPI
		}
		list = append(list, step{file: "npb.md", args: append(words(command), "--format", "markdown"), keeps: true, takes: 8 * time.Minute})
		last := &list[len(list)-1]
		for _, dir := range o.References {
			last.args = append(last.args, "--reference", dir)
		}
		if o.Short {
			last.args = append(last.args, "--kernels", "is", "--rounds", "1")
		}
	}
	return append(list, step{
		file: "report.txt", again: true, takes: 5 * time.Second,
		args: []string{"bench", "report", o.Dir, "-o", filepath.Join(o.Dir, reportFile), "--plots", filepath.Join(o.Dir, plotsFolder)},
	})
}

func words(text string) []string { return strings.Fields(text) }
