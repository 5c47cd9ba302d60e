package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNICs: the study of modelled NICs prints its rows, and writes them, a page and plots to its folder;
// the second time it runs only what is new.
func TestNICs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "some", "study")
	args := []string{"model", "nics", dir, "--tests", "Barrier", "--nodes", "2,3", "--kernels", "is", "--classes", "S", "--kernel-nodes", "2", "--nics", "cenju4,dimmnet2", "--format", "csv"}
	status, first, errs := process(t, args...)
	if status != 0 || strings.Count(first, "\n") != 1+3*2*2+3+3*2 || !strings.Contains(first, "modern,dimmnet2,is,S,2,0,") {
		t.Fatalf("status %d, %q, %q", status, first, errs)
	}
	for file, want := range map[string]string{
		"nics.csv": "own,cenju4,Barrier,,3,0,", "nics.json": `"nic": "dimmnet2"`, "nics.txt": "modern: Barrier", "nics.md": "![Barrier: own](barrier-own.svg)",
		"models.txt": "own cenju4:", "commands.txt": "bench model nics DIR --variants own,modern,equal --nics cenju4,dimmnet2 --tests Barrier", "barrier-modern.svg": "<svg", "cells/own.cenju4.Barrier.3.0.json": `"usec":`,
	} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if status, again, errs := process(t, args...); status != 0 || again != first {
		t.Errorf("status %d, %q, %q", status, again, errs)
	}
	other := append(slices.Clone(args), "--from", filepath.Join(dir, "nics.json"))
	other[2] = t.TempDir()
	if status, taken, errs := process(t, other...); status != 0 || taken != first { // including the real time that each cell took
		t.Errorf("status %d, %q, %q", status, taken, errs)
	}
	if status, out, errs := process(t, "model", "nics", dir, "--tests", "Barrier", "--nodes", "2", "--kernels", "", "--nics", "martini"); status != 0 || !strings.Contains(out, "martini") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	file := filepath.Join(dir, "nics.csv")
	if status, _, errs := process(t, "model", "nics", filepath.Join(file, "x")); status != statusUsage || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "give another folder") {
		t.Errorf("status %d, %q", status, errs)
	}
}
