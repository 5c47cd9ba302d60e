package main

import (
	"github.com/mmcloughlin/avo/build"
)

func gatherKernel(ctx *build.Context, lanes int)  {}
func scatterKernel(ctx *build.Context, lanes int) {}
