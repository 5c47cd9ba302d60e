// Command mpivet finds mistakes in programs that use rhinet/mpi by static analysis:
//
//	go vet -vettool=$(which mpivet) ./...
//	mpivet ./...
//
// mpivet help lists the checks; -NAME=false disables one.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"rhinet/internal/mpivet"
)

func main() { multichecker.Main(mpivet.Analyzers()...) }
