//go:build !purego

#include "textflag.h"

// func walk(way []uintptr)
// The frame pointer leads to that of the caller, and the return address is above it.
TEXT ·walk(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ way_base+0(FP), DI
	MOVQ BP, AX
	MOVQ way_len+8(FP), CX
	SUBQ $4, CX
	JNE  most

	// Four are asked for most often, and are there.
	TESTQ AX, AX
	JZ    done
	MOVQ  8(AX), DX
	MOVQ  DX, (DI)
	MOVQ  (AX), AX
	TESTQ AX, AX
	JZ    done
	MOVQ  8(AX), DX
	MOVQ  DX, 8(DI)
	MOVQ  (AX), AX
	TESTQ AX, AX
	JZ    done
	MOVQ  8(AX), DX
	MOVQ  DX, 16(DI)
	MOVQ  (AX), AX
	TESTQ AX, AX
	JZ    done
	MOVQ  8(AX), DX
	MOVQ  DX, 24(DI)
	RET

most:
	ADDQ $4, CX

next:
	TESTQ AX, AX
	JZ    done
	MOVQ  8(AX), DX
	MOVQ  DX, (DI)
	MOVQ  (AX), AX
	ADDQ  $8, DI
	SUBQ  $1, CX
	JNZ   next

done:
	RET
