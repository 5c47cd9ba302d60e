package program

import (
	"os"
	"path/filepath"
	"testing"
)

// files makes files that can be executed, in the current directory or where their names say.
func files(t *testing.T, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatAProgramIs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	files(t, map[string]string{"cmd/tool/main.go": "package main\n", "one.go": "package main\n", "prog": "#!/bin/sh\n"})
	sh, err := Find("sh")
	if err != nil || filepath.Base(sh.Path) != "sh" || sh.Package != "" {
		t.Errorf("sh: %+v, %v", sh, err)
	}
	for name, want := range map[string]Program{
		"./prog":           {Path: "./prog"},
		dir + "/prog":      {Path: dir + "/prog"},
		"./cmd/tool":       {Package: "./cmd/tool"},
		"cmd/tool":         {Package: "./cmd/tool"},
		"cmd/tool/":        {Package: "./cmd/tool/"},
		dir + "/cmd/tool":  {Package: dir + "/cmd/tool"},
		"one.go":           {Package: "./one.go"},
		"example.org/tool": {Package: "example.org/tool"},
		"rhinet/cmd/npb":   {Package: "rhinet/cmd/npb"},
	} {
		want.Name = name
		if got, err := Find(name); err != nil || got != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A name in PATH means the program even if an importable package has a directory of that name. The
// directory of a main package is preferred to the program, and so is a path.
func TestProgramBesidePackageOfItsName(t *testing.T) {
	t.Chdir(t.TempDir())
	files(t, map[string]string{"lib/lib.go": "package lib\n", "tool/main.go": "package main\n", "alone/lib.go": "package alone\n"})
	bin := t.TempDir()
	files(t, map[string]string{filepath.Join(bin, "lib"): "#!/bin/sh\n", filepath.Join(bin, "tool"): "#!/bin/sh\n"})
	t.Setenv("PATH", bin)
	for name, want := range map[string]Program{
		"lib":   {Name: "lib", Path: filepath.Join(bin, "lib")},
		"./lib": {Name: "./lib", Package: "./lib"},
		"tool":  {Name: "tool", Package: "./tool"},
		"alone": {Name: "alone", Package: "./alone"},
	} {
		if got, err := Find(name); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
}
