package launch

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"rhinet/internal/program"
)

func TestRefusedBeforeTheStart(t *testing.T) {
	t.Chdir(t.TempDir())
	script(t, "script", "#!/bin/sh\n")
	script(t, "orphan", "#!/no/such/interpreter -x\n")
	script(t, "bare", "#!\n")
	script(t, "text", "just words\n")
	os.WriteFile("plain", []byte("#!/bin/sh\n"), 0o644)
	os.Mkdir("empty", 0o755)
	part := func(program string) []Part { return []Part{{Ranks: 1, Program: program}} }
	cases := []struct {
		name  string
		parts []Part
		want  string
	}{
		{"nothing", nil, "no program given"},
		{"no name", part(""), "no program given"},
		{"no ranks", []Part{{Ranks: 0, Program: "sh"}}, "0 ranks of sh: a job has 1 to 1024 ranks"},
		{"negative", []Part{{Ranks: -3, Program: "sh"}}, "-3 ranks of sh: a job has 1 to 1024 ranks"},
		{"too many", []Part{{Ranks: 1025, Program: "sh"}}, "1025 ranks of sh: a job has 1 to 1024 ranks"},
		{"too many in all", []Part{{Ranks: 1000, Program: "sh"}, {Ranks: 25, Program: "sh"}}, "1025 ranks in all: a job has at most 1024"},
		{"unknown", part("./nothing"), "./nothing: no such program; name an executable or a Go main package"},
		{"unknown, absolute", part("/no/where"), "/no/where: no such program; name an executable or a Go main package"},
		{"not in PATH", part("no-such-program"), "no-such-program: no such program in PATH"},
		{"here, but not in PATH", part("plain"), "plain: no such program in PATH; for the file in this directory write ./plain"},
		{"no such Go file", part("main.go"), "main.go: no such file"},
		{"number", part("4"), "4: no such program in PATH; -n 4 sets the number of ranks"},
		{"not executable", part("./plain"), "./plain is not executable; chmod +x makes it so"},
		{"directory", part("./empty"), "./empty is a directory without Go files: name an executable or a Go main package"},
		{"directory without a slash", part("empty"), "empty: no such program in PATH, and the directory of that name has no Go files"},
		{"here", part("."), ". is a directory without Go files: name an executable or a Go main package"},
		{"above", part(".."), ".. is a directory without Go files: name an executable or a Go main package"},
		{"not a file", part("/dev/null"), "/dev/null is not a regular file, so no program"},
		{"below a file", part("./script/x"), "./script/x: not a directory"},
		{"no interpreter", part("./orphan"), "./orphan needs the interpreter /no/such/interpreter, which does not exist"},
		{"empty #! line", part("./bare"), "./bare names no interpreter in its #! line"},
		{"second part", []Part{{Ranks: 1, Program: "sh"}, {Ranks: 1, Program: "./nothing"}}, "./nothing: no such program; name an executable or a Go main package"},
		{"no directory", []Part{{Ranks: 1, Program: "sh", Dir: "nowhere"}}, "working directory nowhere: no such file or directory"},
		{"file as directory", []Part{{Ranks: 1, Program: "sh", Dir: "plain"}}, "working directory plain is not a directory"},
	}
	if runtime.GOOS == "linux" && !program.ForeignFormats() {
		cases = append(cases, struct {
			name  string
			parts []Part
			want  string
		}{"text", part("./text"), "./text is no program for this machine; a script needs a #! line"})
	}
	for _, c := range cases {
		_, err := Prepare(job(c.parts...))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// What the kernel refuses is reported when the first rank is started.
func TestRefusedByTheKernel(t *testing.T) {
	t.Chdir(t.TempDir())
	script(t, "broken", "\x7fELF but nothing more")
	r := run(t, job(self(t, 1, "sleep=1m"), Part{Ranks: 1, Program: "./broken"}))
	r.want(t, StatusUsage, "mpirun: ./broken is no program for this machine")
	r.one(t)
	r.quick(t)
	script(t, "late", "#!/bin/sh\n")
	plan, err := Prepare(job(Part{Ranks: 1, Program: "./late"}))
	if err != nil {
		t.Fatal(err)
	}
	os.Remove("late")
	var text lockedBuffer
	plan.job.Stderr = &text
	if status := plan.Run(); status != StatusUsage || text.String() != "mpirun: ./late: no such file or directory\n" {
		t.Errorf("status %d, %q", status, text.String())
	}
}

func TestStartErrors(t *testing.T) {
	j := job(Part{Ranks: 1, Program: "sh", Args: []string{strings.Repeat("x", 3<<20)}})
	run(t, j).want(t, StatusUsage, "mpirun: sh: arguments and environment are too long\n")
}

func TestFilesLimit(t *testing.T) {
	if err := checkDescriptors(1); err != nil {
		t.Error(err)
	}
	err := checkDescriptors(1 << 40)
	if err == nil || !strings.Contains(err.Error(), " ranks need ") || !strings.Contains(err.Error(), "raise it with ulimit -n") {
		t.Errorf("got %v", err)
	}
}

// A small limit is enough for a small job, and a limit that is too small is noticed before anything is
// started.
func TestFewFiles(t *testing.T) {
	for limit, want := range map[string]string{"32": "ran\n", "16": "mpirun: 1 rank needs 26 open files, but the limit is 16; raise it with ulimit -n\n"} {
		p := command(t, job(self(t, 1, "print=ran")))
		p.Args = []string{"sh", "-c", "ulimit -n " + limit + " && exec " + p.Path}
		p.Path = "/bin/sh"
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		if r := p.finish(t); r.out+r.err != want {
			t.Errorf("with %s: status %d, %s%s", limit, r.status, r.out, r.err)
		}
	}
}

func TestCurrentDirectoryIsGone(t *testing.T) {
	nowhere := t.TempDir()
	t.Chdir(nowhere)
	if err := os.Remove(nowhere); err != nil {
		t.Skip(err)
	}
	want := "working directory .: the current directory is gone; give a path that begins with /"
	if _, err := Prepare(job(Part{Ranks: 1, Program: "sh", Dir: "."})); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	run(t, job(self(t, 1, "print=x"))).want(t, 0)
}
