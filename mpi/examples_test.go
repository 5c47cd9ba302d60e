package mpi_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Each family of calls has an example, which go doc shows with one of its names.
func TestEachFamilyHasAnExample(t *testing.T) {
	families := map[string][]string{
		"messages": {"Send", "Sendrecv"}, "requests": {"Isend", "WaitAny", "Request_Done", "Request_Cancel"}, "probes": {"Probe"}, "matched probes": {"Mprobe"}, "persistent requests": {"SendInit"},
		"buffered sends": {"Bsend"}, "partitions": {"PsendInit"}, "layouts": {"View", "Fields"}, "packing": {"Pack"},
		"collective calls": {"Bcast", "Gather", "Scatterv", "Alltoall", "Alltoallw"}, "reductions": {"Reduce", "Allreduce", "Exscan"}, "operations": {"OpFunc"},
		"nonblocking collective calls": {"Iallreduce"}, "persistent collective calls": {"AllreduceInit"},
		"communicators": {"Comm_Split"}, "groups": {"Comm_Create"}, "attributes": {"NewKeyval"}, "inter-communicators": {"Comm_IntercommCreate"}, "sessions": {"CommFromGroup"},
		"grids": {"Comm_CartCreate"}, "graphs": {"Comm_DistGraphCreateAdjacent"}, "neighbors": {"NeighborAllgather"},
		"windows": {"WinAllocate", "WinAllocateShared", "WinDynamic", "Win_PutLayout"}, "epochs of two groups": {"Win_Start"}, "atomic accesses": {"Win_FetchAndOp"}, "locks": {"Win_Lock"},
		"errors": {"Error", "NewErrorClass"}, "error handlers": {"Comm_SetErrhandler"}, "generalized requests": {"NewRequest"}, "contexts": {"Comm_WithContext"}, "fault tolerance": {"Comm_Shrink"},
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "example_") && strings.HasSuffix(e.Name(), "_test.go") {
			f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	has := map[string]bool{}
	for _, e := range doc.Examples(files...) {
		has[e.Name] = true
		if e.Output == "" {
			t.Errorf("the example of %s is not run: it has no output", e.Name)
		}
	}
	for family, names := range families {
		for _, n := range names {
			if !has[n] {
				t.Errorf("%s: there is no example of %s", family, n)
			}
		}
	}
}
