//go:build !purego

#include "textflag.h"

// func relax()
TEXT ·relax(SB), NOSPLIT, $0-0
	YIELD
	RET

// func count(n int)
TEXT ·count(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0

again:
	SUBS $1, R0
	BNE  again
	RET
