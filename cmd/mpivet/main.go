// Command mpivet finds mistakes in programs that use rhinet/mpi by reading them:
//
//	go vet -vettool=$(which mpivet) ./...
//	mpivet ./...
//
// mpivet help lists the checks; -NAME=false leaves one out.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"rhinet/internal/mpivet"
)

func main() { multichecker.Main(mpivet.Analyzers()...) }
