// Command typecheck checks the types of all packages of a module, and of their tests, for other platforms.
//
//	go run ./internal/typecheck linux/arm64 darwin/amd64
//
// It reads everything from source, which takes seconds, while a build for another platform compiles all that
// the packages import. It finds what does not compile there, except mistakes in assembly.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() { os.Exit(command(".", os.Args[1:], os.Stderr)) }

// command checks the module in dir for platforms, and returns the exit status: 0 if everything is correct, 1 if
// something is not, 2 for a mistake in the arguments.
func command(dir string, platforms []string, trouble io.Writer) (status int) {
	if len(platforms) == 0 {
		fmt.Fprintln(trouble, "typecheck: name the platforms to check for, such as linux/arm64")
		return 2
	}
	for _, platform := range platforms {
		wrong, err := check(dir, platform)
		if err != nil {
			fmt.Fprintf(trouble, "typecheck: %s\n", strings.TrimSpace(err.Error())) // the go command ends lines
			return 2
		}
		for _, mistake := range wrong {
			fmt.Fprintf(trouble, "typecheck: %s: %s\n", platform, mistake)
			status = 1
		}
	}
	return status
}

// check returns what is wrong in the module in dir on one platform, each mistake once.
func check(dir, platform string) (wrong []string, err error) {
	system, arch, two := strings.Cut(platform, "/")
	if !two || system == "" || arch == "" {
		return nil, fmt.Errorf("%q is no platform; write GOOS/GOARCH, such as linux/arm64", platform)
	}
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		Tests: true,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", platform, err)
	}
	if len(list) == 0 {
		return nil, errors.New("there are no packages here; run it in a module")
	}
	known := map[string]bool{} // a file belongs to its package, and to that with its tests
	packages.Visit(list, nil, func(p *packages.Package) {
		for _, mistake := range p.Errors {
			if text := mistake.Error(); !known[text] {
				known[text] = true
				wrong = append(wrong, text)
			}
		}
	})
	return wrong, nil
}
