//go:build !purego

#include "textflag.h"

// func yieldProcessor()
TEXT ·yieldProcessor(SB), NOSPLIT, $0-0
	MOVQ $24, AX // sched_yield
	SYSCALL
	RET
