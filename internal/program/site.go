package program

import (
	"os"
	"path/filepath"
	"strings"
)

// A site says where and with which argument the go command is run to build a package: a package of another
// module can only be built from within that module.
type site struct {
	arg      string // the package
	dir      string // where to run; empty: here
	name     string // dir as the user wrote it
	imported bool   // arg is an import path, not a file
}

// siteOf finds the site for the package pkg, spelled as by findProgram.
func siteOf(pkg string) site {
	here := site{arg: pkg}
	if !filepath.IsAbs(pkg) && !strings.HasPrefix(pkg, "./") && !strings.HasPrefix(pkg, "../") {
		here.imported = true
		return here
	}
	arg, dir := ".", pkg
	if info, err := os.Stat(pkg); err == nil && !info.IsDir() {
		arg, dir = "./"+filepath.Base(pkg), filepath.Dir(pkg)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return here
	}
	cwd, err := os.Getwd()
	if root := moduleOf(abs); root == "" || err == nil && root == moduleOf(cwd) {
		return here
	}
	return site{arg: arg, dir: abs, name: dir}
}

// moduleOf returns the directory of the go.mod that applies to dir, or "".
func moduleOf(dir string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && info.Mode().IsRegular() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// command returns the command that shows a user all messages of the go command.
func (s site) command() string {
	words := []string{"go", "build"}
	if s.dir != "" {
		words = append(words, "-C", s.name)
	}
	arg := s.arg
	if arg == "./." || arg == "./.." {
		arg = arg[2:] // without "./", as the user wrote it
	}
	words = append(words, arg)
	for i, w := range words {
		if strings.ContainsAny(w, " \t'\"$&;()<>|*?") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
