package nics

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"rhinet/bench"
)

// Known reads the results in the files given by --from.
func Known(files []string) (all []Result, err error) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--from: %w", err)
		}
		known, err := Read(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("--from %s: %w; give a nics.json that bench model nics has written", file, err)
		}
		all = append(all, known...)
	}
	return all, nil
}

// Folder writes the files beside the cells of a plan; from are the files of earlier results.
func (p *Plan) Folder(dir string, from []string, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	command := p.command(from)
	plots, err := p.Plots(dir, rows)
	return errors.Join(err,
		bench.WriteFile(dir, "nics.csv", func(w io.Writer) error { return Write(w, "csv", rows) }),
		bench.WriteFile(dir, "nics.json", func(w io.Writer) error { return Write(w, "json", rows) }),
		bench.WriteFile(dir, "nics.txt", func(w io.Writer) error { return p.Summary(w, rows) }),
		bench.WriteFile(dir, "models.txt", p.Models),
		bench.WriteCommand(dir, command),
		bench.WriteFile(dir, "nics.md", func(w io.Writer) error { return p.Page(w, rows, plots, command) }))
}

// command returns the command line of a plan without the name of the folder.
func (p *Plan) command(from []string) string {
	numbers := func(list []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]") }
	known := ""
	if from != nil {
		known = " --from " + strings.Join(from, ",")
	}
	return "bench model nics DIR --variants " + strings.Join(p.Variants, ",") + " --nics " + strings.Join(p.NICs, ",") + " --tests " + strings.Join(p.Tests, ",") +
		" --sizes " + numbers(p.Sizes) + " --nodes " + numbers(p.Nodes) + " --kernels " + strings.Join(p.Kernels, ",") + " --classes " + strings.Join(p.Classes, ",") +
		" --kernel-nodes " + numbers(p.KernelNodes) + known
}
