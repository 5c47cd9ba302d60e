// Command mpivet finds mistakes in programs that use rhinet/mpi by static analysis:
//
//	go vet -vettool=$(which mpivet) ./...
//	mpivet ./...
//
// mpivet help lists the checks; -NAME=false disables one.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/multichecker"

	"rhinet/internal/mpivet"
)

const usage = `Find mistakes in programs that use rhinet/mpi

Usage:
  go vet -vettool=$(which mpivet) ./...
  mpivet [flags] package...

mpivet help lists the checks and the flags, and mpivet help CHECK describes a check.
-CHECK runs that check alone, -CHECK=false all others. The exit status is not 0 if a
mistake was found.
`

func main() {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case "-h", "-help", "--help":
			fmt.Print(usage)
			return
		}
	}
	multichecker.Main(mpivet.Analyzers()...)
}
