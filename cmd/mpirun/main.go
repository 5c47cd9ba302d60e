// Command mpirun starts a program as the ranks of a parallel job on this machine, supervises it, and ends
// it as a whole:
//
//	mpirun -n 4 ./cmd/npb -class S ep
//
// The program is an executable or a Go main package, which mpirun builds itself. docs/mpirun.md describes
// every flag and the guarantees for users.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"rhinet/internal/launch"
)

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// streams are where a launcher reads and writes.
type streams struct{ in, out, err *os.File }

// run does what the arguments request and returns the exit status.
func run(args []string, std streams) int {
	if len(args) > 0 && slices.Contains(cobraWords, args[0]) {
		return runCobra(args, std)
	}
	if len(args) > 0 && args[0] == tuneWord {
		return tune(args[1:], std)
	}
	if len(args) > 0 && args[0] == daemonWord {
		return daemon(std)
	}
	req, err := parse(args)
	switch {
	case errors.Is(err, errHelp):
		return runCobra([]string{"--help"}, std)
	case errors.Is(err, errVersion):
		return answer(std, "the version", []byte(version()+"\n"))
	case err != nil:
		return usage(std, err)
	}
	for _, note := range req.notes {
		fmt.Fprintln(std.err, "mpirun: "+note)
	}
	if err := checkSettings(&req.job); err != nil {
		return usage(std, err)
	}
	if err := req.tune(); err != nil {
		return usage(std, err)
	}
	return execute(req, std)
}

// execute runs a job that has passed all checks that are possible before its programs are looked up.
func execute(req *request, std streams) int {
	job := &req.job
	job.Stdin, job.Stdout, job.Stderr = std.in, std.out, std.err
	if req.noInput {
		job.Stdin = nil
	}
	plan, err := launch.Prepare(job)
	if err != nil {
		return usage(std, req.meant(err))
	}
	if req.dryRun {
		var table bytes.Buffer
		plan.Print(&table)
		return answer(std, "the placement", table.Bytes())
	}
	status := req.virtual.finish(req, std, plan.Run())
	status = req.profile.finish(std, status, plan.Started())
	return req.observe.finish(std, status)
}

// meant adds to the error of a job that cannot start what the user may have meant by the name of the program.
func (req *request) meant(err error) error {
	switch name := req.job.Parts[0].Program; {
	case name == tuneWord:
		return fmt.Errorf("%w; to write a table, begin with %[2]s: mpirun %[2]s [flags]", err, tuneWord)
	case req.observe.stats == onStandardError && formats[filepath.Ext(name)] != nil:
		return fmt.Errorf("%w; a file for statistics is given as --stats=%s", err, name)
	}
	return err
}

// usage reports a mistake of the user, in one line, whatever characters the user's input contains.
func usage(std streams, err error) int {
	fmt.Fprintf(std.err, "mpirun: %s\n", shortened(visible(err.Error())))
	return launch.StatusUsage
}

// longestWord is how much of a word of the user's input a message repeats.
const longestWord = 200

// shortened shortens very long words in the middle.
func shortened(text string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		if r := []rune(w); len(r) > longestWord {
			words[i] = string(r[:longestWord/2]) + "..." + string(r[len(r)-longestWord/4:])
		}
	}
	return strings.Join(words, " ")
}

// visible escapes control characters as Go does between quotes.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// version returns the version and the revision that this program was built from.
func version() string {
	revision := "unknown revision"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
		if v := info.Main.Version; v != "" && v != "(devel)" {
			revision = v
		}
	}
	return fmt.Sprintf("mpirun (rhinet) %s, %s, %s/%s", revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
