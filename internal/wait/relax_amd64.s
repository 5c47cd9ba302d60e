//go:build !purego

#include "textflag.h"

// func relax()
TEXT ·relax(SB), NOSPLIT, $0-0
	PAUSE
	RET

// func count(n int)
TEXT ·count(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), CX

again:
	SUBQ $1, CX
	JNZ  again
	RET
