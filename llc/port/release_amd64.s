//go:build !purego && !race

#include "textflag.h"

// func release(word *uint32)
TEXT ·release(SB), NOSPLIT, $0-8
	MOVQ word+0(FP), AX
	MOVL $0, (AX)
	RET
