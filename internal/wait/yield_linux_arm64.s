//go:build !purego

#include "textflag.h"

// func yieldProcessor()
TEXT ·yieldProcessor(SB), NOSPLIT, $0-0
	MOVD $124, R8 // sched_yield
	SVC
	RET
