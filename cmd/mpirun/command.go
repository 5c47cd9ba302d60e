package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/internal/launch"
	"rhinet/llc/nics"
)

// cobraWords are the first words that ask for help or completion instead of a job. A program with such a
// name is started as ./name.
var cobraWords = []string{"help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}

// shells are the shells for which cobra writes completion scripts.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// checkShell rejects arguments for which cobra would print help and succeed: the output would be taken for
// a completion script.
func checkShell(args []string) error {
	switch known := strings.Join(shells, ", "); {
	case len(args) < 2:
		return fmt.Errorf("completion for which shell? There is %s", known)
	case !strings.HasPrefix(args[1], "-") && !slices.Contains(shells, args[1]):
		return fmt.Errorf("completion %s: no script for this shell; there is %s", args[1], known)
	}
	return nil
}

// runCobra handles command lines that do not start a job. Only this path builds the cobra command, so that
// a job does not wait for it.
func runCobra(args []string, std streams) int {
	switch {
	case args[0] == "completion":
		if err := checkShell(args); err != nil {
			return usage(std, err)
		}
	case args[0] == "help" && len(args) > 1:
		return usage(std, fmt.Errorf("help %s: there is help for mpirun as a whole only, and a program of that name is started as ./help", args[1]))
	}
	cmd := command()
	var out bytes.Buffer
	cmd.SetIn(std.in)
	cmd.SetOut(&out)
	cmd.SetErr(std.err)
	if args[0] == "help" {
		args = []string{"--help"}
	}
	cmd.SetArgs(longNames(cmd, args))
	if err := cmd.Execute(); err != nil {
		return usage(std, err)
	}
	return answer(std, "what was asked for", optionalValues(out.Bytes()))
}

// optionalValues writes a flag in a help text whose value may be left out as it is given: --stats[=FILE], where the flag
// library writes the value as that of other flags, with a mark behind it.
func optionalValues(help []byte) []byte {
	return regexp.MustCompile(`(--\S+) (\S+)\[=-\]`).ReplaceAll(help, []byte("$1[=$2]  "))
}

// answer prints a text that was requested. A failed write is a failure, so that a script can notice it.
func answer(std streams, what string, text []byte) int {
	if _, err := std.out.Write(text); err != nil {
		fmt.Fprintf(std.err, "mpirun: cannot write %s: %v\n", what, err)
		return launch.StatusFailed
	}
	return 0
}

// command describes mpirun to cobra, for help and for shell completion.
func command() *cobra.Command {
	req := newRequest()
	cmd := &cobra.Command{
		Use:   "mpirun -n N [flags] program [args...]",
		Short: "Start a program as the ranks of a parallel job",
		Long: `Start a program as the N ranks of a parallel job on this machine.

The program is an executable or a Go main package (a directory, a file or an
import path), which is built first. Flags end at the program's name. Several
programs make one job with a colon between them:

  mpirun -n 1 ./master : -n 3 ./worker

mpirun tune measures the best settings for this machine, or a modelled network, and
writes a table that later jobs use; see mpirun tune --help.

The exit status is that of the first rank that failed, 128 + signal if a signal
ended it, 124 after a timeout, 2 if the command line cannot be carried out.
SIGQUIT (Ctrl-\) prints what every rank waits for and is then passed to the ranks.`,
		Example: `  mpirun -n 4 ./cmd/npb -class S ep is cg
  mpirun -n 2 --tag-output --timeout 1m ./a.out
  mpirun tune && mpirun -v -n 2 ./a.out
  mpirun completion bash > ~/.local/share/bash-completion/completions/mpirun`,
		Args:                  cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
		Run:                   func(*cobra.Command, []string) {},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.SetInterspersed(false)
	fs.AddFlagSet(req.flags)
	// Cobra has its own help flag, which prints instead of returning.
	fs.Lookup("help").Value = new(helpWanted)
	err := errors.Join(
		cmd.RegisterFlagCompletionFunc("bind-to", cobra.FixedCompletions([]string{"core", "none"}, cobra.ShellCompDirectiveNoFileComp)),
		cmd.RegisterFlagCompletionFunc("nic", cobra.FixedCompletions(nics.Selectable(), cobra.ShellCompDirectiveNoFileComp)),
		cmd.MarkFlagDirname("wdir"),
	)
	if err != nil {
		panic(err) // a flag named above that addFlags does not declare
	}
	return cmd
}

// helpWanted is the help flag as cobra expects it.
type helpWanted bool

func (h *helpWanted) Set(v string) error { *h = v == "true"; return nil }
func (h *helpWanted) Type() string       { return "bool" }
func (h *helpWanted) String() string {
	if *h {
		return "true"
	}
	return "false"
}

// longNames adds the second dash to long names behind a single dash, for the flag library that completes
// the rest.
func longNames(cmd *cobra.Command, args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if i > 0 && len(a) > 2 && a[0] == '-' {
			if name, long := longName(cmd.Flags(), a); long {
				a = "--" + name
			}
		}
		out = append(out, a)
	}
	return out
}
