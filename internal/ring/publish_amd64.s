//go:build amd64 && !purego && !race

#include "textflag.h"

// Words are loaded one by one because the caller has just stored them one by
// one: a wider load would wait until the store buffer has drained.
//
// func Publish(dst, src *Line)
TEXT ·Publish(SB), NOSPLIT, $0-16
	MOVQ   dst+0(FP), DI
	MOVQ   src+8(FP), SI
	MOVQ   0(SI), AX
	MOVQ   8(SI), BX
	MOVQ   16(SI), X1
	MOVHPS 24(SI), X1
	MOVQ   32(SI), X2
	MOVHPS 40(SI), X2
	MOVQ   48(SI), X3
	MOVHPS 56(SI), X3
	MOVUPS X3, 48(DI)
	MOVUPS X2, 32(DI)
	MOVUPS X1, 16(DI)
	MOVQ   BX, 8(DI) // not one 16-byte store with word 0: its halves have no order between them
	MOVQ   AX, 0(DI)
	RET

// func Prefetch(dst *Line)
TEXT ·Prefetch(SB), NOSPLIT, $0-8
	MOVQ dst+0(FP), DI
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0F // PREFETCHW (DI): the assembler does not know it; older processors ignore it
	RET

// func fetch(line *byte, n int)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVQ line+0(FP), DI
	MOVQ n+8(FP), CX
	TESTQ CX, CX
	JLE  fetched

fetchNext:
	PREFETCHT0 (DI)
	ADDQ $64, DI
	DECQ CX
	JNZ  fetchNext

fetched:
	RET

// func claim(line *byte, n int)
TEXT ·claim(SB), NOSPLIT, $0-16
	MOVQ line+0(FP), DI
	MOVQ n+8(FP), CX
	TESTQ CX, CX
	JLE  claimed

claimNext:
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0F // PREFETCHW (DI)
	ADDQ $64, DI
	DECQ CX
	JNZ  claimNext

claimed:
	RET

// func storeCounters(dst *Line, slot, pos uint64)
TEXT ·storeCounters(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ slot+8(FP), AX
	MOVQ pos+16(FP), BX
	MOVQ AX, 0(DI)
	MOVQ BX, 8(DI)
	RET
