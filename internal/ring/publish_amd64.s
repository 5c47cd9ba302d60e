//go:build amd64 && !purego && !race

#include "textflag.h"
#include "go_asm.h"

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

// func put(r *Ring, slot uint64, head *[3]uint64, payload []byte)
TEXT ·put(SB), NOSPLIT, $0-48
	MOVQ r+0(FP), R13
	MOVQ slot+8(FP), R10
	MOVQ head+16(FP), DX
	MOVQ payload_base+24(FP), SI
	MOVQ payload_len+32(FP), CX
	MOVQ Ring_lines(R13), DI
	MOVQ Ring_mask(R13), R9
	MOVL 4(DX), AX
	MOVL 12(DX), BX
	MOVQ 16(DX), R8
	SHLQ $32, AX
	SHLQ $32, BX
	LEAQ 1(R10), R11     // the next line, and the sequence unless that is 0
	MOVL R11, R12
	CMPL R12, $1
	ADCL $0, R12
	ORQ  R12, AX
	ORQ  CX, BX
	LEAQ const_prefetchAhead(R10), R12
	IMULQ $const_scatter, R10
	IMULQ $const_scatter, R11
	IMULQ $const_scatter, R12
	ANDQ R9, R10
	ANDQ R9, R11
	ANDQ R9, R12
	SHLQ $const_slotShift, R10
	SHLQ $const_slotShift, R11
	SHLQ $const_slotShift, R12
	LEAQ (DI)(R11*1), DX
	LEAQ (DI)(R12*1), R11
	ADDQ R10, DI
	MOVQ R8, 16(DI)
	ADDQ BX, R8
	ADDQ AX, R8
	ADDQ R8, Ring_sum(R13)
	CMPQ CX, $const_Short
	JGT  putHead         // it is in its place
	CMPQ CX, $8
	JLT  putFew
	LEAQ 24(DI), R9
	MOVQ -8(SI)(CX*1), R8 // the last word, which may overlap the one before
	MOVQ R8, -8(R9)(CX*1)
	JMP  putTest

putWord:
	MOVQ (SI), R8
	MOVQ R8, (R9)
	ADDQ $8, SI
	ADDQ $8, R9
	SUBQ $8, CX

putTest:
	CMPQ CX, $8
	JGT  putWord

putHead:
	MOVQ BX, 8(DI)
	MOVQ AX, 0(DI)
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0A // PREFETCHW (DX)
	BYTE $0x41; BYTE $0x0F; BYTE $0x0D; BYTE $0x0B // PREFETCHW (R11)
	RET

putFew:
	TESTQ CX, CX
	JLE   putHead

putByte:
	MOVB -1(SI)(CX*1), R8
	MOVB R8, 23(DI)(CX*1)
	DECQ CX
	JNZ  putByte
	JMP  putHead

// The next line is scatter lines on, and so is the one after.
//
// func line(o *Outlet, slot, w0, w1, w2 uint64, payload []byte) bool
TEXT ·line(SB), NOSPLIT, $0-65
	MOVQ  o+0(FP), R13
	MOVQ  Outlet_words+0(R13), AX
	MOVQ  Outlet_words+8(R13), BX
	MOVQ  Outlet_words+16(R13), CX
	MOVQ  (AX), AX
	MOVQ  (BX), BX
	MOVQ  (CX), CX
	XORQ  Outlet_were+0(R13), AX
	XORQ  Outlet_were+8(R13), BX
	XORQ  Outlet_were+16(R13), CX
	ORQ   BX, AX
	ORQ   CX, AX
	JNE   lineNone
	MOVQ  Outlet_count(R13), DX
	INCQ  (DX)
	MOVQ  slot+8(FP), R10
	MOVQ  w1+24(FP), BX
	MOVQ  w2+32(FP), R8
	MOVQ  payload_base+40(FP), SI
	MOVQ  payload_len+48(FP), CX
	LEAQ  1(R10), AX
	MOVQ  AX, Outlet_slot(R13)
	MOVQ  Outlet_ring(R13), R13
	MOVQ  Ring_mask(R13), R9
	CMPL  AX, $1 // the sequence, unless that is 0
	ADCL  $0, AX
	ORQ   w0+16(FP), AX
	SHLQ  $const_slotShift, R9
	IMUL3Q $(const_scatter*const_SlotBytes), R10, R10
	LEAQ  (const_scatter*const_SlotBytes)(R10), R11
	LEAQ  (const_prefetchAhead*const_scatter*const_SlotBytes)(R10), R12
	ANDQ  R9, R10
	ANDQ  R9, R11
	ANDQ  R9, R12
	MOVQ  Ring_lines(R13), DX
	LEAQ  (DX)(R10*1), DI
	MOVQ  R8, R10
	ADDQ  BX, R8
	ADDQ  AX, R8
	ADDQ  R8, Ring_sum(R13)
	CMPQ  CX, $8
	JNE   lineOther
	MOVQ  (SI), R8
	MOVQ  R8, 24(DI)

lineHead:
	MOVQ  R10, 16(DI)
	MOVQ  BX, 8(DI)
	MOVQ  AX, 0(DI)
	BYTE $0x42; BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x1A // PREFETCHW (DX)(R11*1)
	BYTE $0x42; BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x22 // PREFETCHW (DX)(R12*1)
	MOVB  $1, ret+64(FP)
	RET

lineOther:
	JLT   lineFew
	CMPQ  CX, $const_Inline
	JGT   lineBehind
	CMPQ  CX, $16
	JLT   lineTwo
	LEAQ  24(DI), R9
	MOVUPS -16(SI)(CX*1), X0 // the last two words, which may overlap those before
	MOVUPS X0, -16(R9)(CX*1)
	JEQ   lineHead

lineWords:
	MOVUPS (SI), X0
	MOVUPS X0, (R9)
	ADDQ  $16, SI
	ADDQ  $16, R9
	SUBQ  $16, CX
	CMPQ  CX, $16
	JGT   lineWords
	JMP   lineHead

lineTwo:
	MOVQ  (SI), R8
	MOVQ  -8(SI)(CX*1), R9
	MOVQ  R8, 24(DI)
	MOVQ  R9, 16(DI)(CX*1)
	JMP   lineHead

	// The line behind is written first, so that a reader that polls the line has no time to take it away
	// between its first store and its last; no store crosses from one to the other.
lineBehind:
	CMPQ  CX, $(const_Inline+16)
	JLT   behindTwo
	MOVUPS -16(SI)(CX*1), X0
	MOVUPS X0, 8(DI)(CX*1)
	MOVQ  $const_Inline, R8
	SUBQ  $16, CX

behindWords:
	MOVUPS (SI)(R8*1), X0
	MOVUPS X0, 24(DI)(R8*1)
	ADDQ  $16, R8
	CMPQ  R8, CX
	JLT   behindWords

behindLine:
	MOVUPS (SI), X0
	MOVUPS 16(SI), X1
	MOVQ  32(SI), R8
	MOVUPS X0, 24(DI)
	MOVUPS X1, 40(DI)
	MOVQ  R8, 56(DI)
	MOVQ  R10, 16(DI)
	MOVQ  BX, 8(DI)
	MOVQ  AX, 0(DI)
	BYTE $0x42; BYTE $0x0F; BYTE $0x0D; BYTE $0x4C; BYTE $0x1A; BYTE $0x40 // PREFETCHW 64(DX)(R11*1)
	BYTE $0x42; BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x1A             // PREFETCHW (DX)(R11*1)
	BYTE $0x42; BYTE $0x0F; BYTE $0x0D; BYTE $0x4C; BYTE $0x22; BYTE $0x40 // PREFETCHW 64(DX)(R12*1)
	BYTE $0x42; BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x22             // PREFETCHW (DX)(R12*1)
	MOVB  $1, ret+64(FP)
	RET

behindTwo:
	CMPQ  CX, $(const_Inline+8)
	JLT   behindByte
	MOVQ  const_Inline(SI), R8
	MOVQ  -8(SI)(CX*1), R9
	MOVQ  R8, const_LineBytes(DI)
	MOVQ  R9, 16(DI)(CX*1)
	JMP   behindLine

behindByte:
	MOVB  -1(SI)(CX*1), R8
	MOVB  R8, 23(DI)(CX*1)
	DECQ  CX
	CMPQ  CX, $const_Inline
	JGT   behindByte
	JMP   behindLine

lineFew:
	TESTQ CX, CX
	JLE   lineHead

lineByte:
	MOVB  -1(SI)(CX*1), R8
	MOVB  R8, 23(DI)(CX*1)
	DECQ  CX
	JNZ   lineByte
	JMP   lineHead

lineNone:
	MOVB  $0, ret+64(FP)
	RET

// func Prefetch(dst *Line)
TEXT ·Prefetch(SB), NOSPLIT, $0-8
	MOVQ dst+0(FP), DI
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0F // PREFETCHW (DI): the assembler does not know it; older processors ignore it
	RET

// func prefetchLines(line *byte, n int)
TEXT ·prefetchLines(SB), NOSPLIT, $0-16
	MOVQ line+0(FP), DI
	MOVQ n+8(FP), CX
	ADDQ $128, DI // so that distances fit a byte
	SUBQ $4, CX
	JLT  prefetchRest

prefetchFour:
	BYTE $0x0F; BYTE $0x0D; BYTE $0x4F; BYTE $0x80 // PREFETCHW -128(DI)
	BYTE $0x0F; BYTE $0x0D; BYTE $0x4F; BYTE $0xC0 // PREFETCHW -64(DI)
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0F             // PREFETCHW (DI)
	BYTE $0x0F; BYTE $0x0D; BYTE $0x4F; BYTE $0x40 // PREFETCHW 64(DI)
	ADDQ $256, DI
	SUBQ $4, CX
	JGE  prefetchFour

prefetchRest:
	ADDQ $4, CX
	JLE  prefetchDone

prefetchOne:
	BYTE $0x0F; BYTE $0x0D; BYTE $0x4F; BYTE $0x80 // PREFETCHW -128(DI)
	ADDQ $64, DI
	DECQ CX
	JNZ  prefetchOne

prefetchDone:
	RET

// func fetch(line *byte, n int)
TEXT ·fetch(SB), NOSPLIT, $0-16
	MOVQ line+0(FP), DI
	MOVQ n+8(FP), CX
	SUBQ $8, CX
	JLT  fetchRest

fetchEight:
	PREFETCHT0 (DI)
	PREFETCHT0 64(DI)
	PREFETCHT0 128(DI)
	PREFETCHT0 192(DI)
	PREFETCHT0 256(DI)
	PREFETCHT0 320(DI)
	PREFETCHT0 384(DI)
	PREFETCHT0 448(DI)
	ADDQ $512, DI
	SUBQ $8, CX
	JGE  fetchEight

fetchRest:
	ADDQ $8, CX
	JLE  fetchDone

fetchOne:
	PREFETCHT0 (DI)
	ADDQ $64, DI
	DECQ CX
	JNZ  fetchOne

fetchDone:
	RET

// func glance(line *Line, want uint32, looks int, along *byte) bool
TEXT ·glance(SB), NOSPLIT, $0-33
	MOVQ line+0(FP), DI
	MOVL want+8(FP), AX
	MOVQ looks+16(FP), CX
	MOVQ along+24(FP), SI

glanceLook:
	CMPL       (DI), AX
	JEQ        glanceThere
	PREFETCHT0 (SI)
	DECQ       CX
	JGT        glanceLook
	MOVB       $0, there+32(FP)
	RET

glanceThere:
	MOVB $1, there+32(FP)
	RET

// func release(r *Reader)
TEXT ·release(SB), NOSPLIT, $0-8
	MOVQ r+0(FP), DI
	MOVQ Reader_slot(DI), AX
	MOVQ Reader_pos(DI), R9
	MOVQ (Reader_ring+Ring_mask)(DI), R10
	MOVQ (Reader_ring+Ring_lines)(DI), R11
	MOVQ (Reader_ring+Ring_counters)(DI), SI
	LEAL 1(AX), DX // the sequence, unless that is 0
	CMPL DX, $1
	ADCL $0, DX
	MOVL DX, Reader_want(DI)
	IMUL3Q $const_scatter, AX, BX
	ANDQ R10, BX
	SHLQ $const_slotShift, BX
	ADDQ R11, BX
	MOVQ BX, Reader_line(DI) // no write barrier: the ring keeps all its lines
	MOVQ AX, 0(SI)
	MOVQ R9, 8(SI)
	CMPQ Reader_row(DI), $const_fetchRow
	JLT  released
	ADDQ $const_fetchAhead, AX
	IMULQ $const_scatter, AX
	ANDQ R10, AX
	SHLQ $const_slotShift, AX
	PREFETCHT0 (R11)(AX*1)
	CMPQ Reader_usual(DI), $const_Inline
	JLS  released
	PREFETCHT0 const_LineBytes(R11)(AX*1)

released:
	RET

// func next(r *Reader, n, sum uint64)
TEXT ·next(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), DX
	MOVQ sum+16(FP), R8
	MOVQ Reader_slot(DI), AX
	MOVQ (Reader_ring+Ring_mask)(DI), R10
	MOVQ (Reader_ring+Ring_lines)(DI), R11
	MOVQ (Reader_ring+Ring_counters)(DI), SI
	MOVQ DX, Reader_usual(DI)
	ADDQ R8, Reader_sum(DI)
	INCQ AX
	MOVQ AX, Reader_slot(DI)
	LEAL 1(AX), DX // the sequence, unless that is 0
	CMPL DX, $1
	ADCL $0, DX
	MOVL DX, Reader_want(DI)
	IMUL3Q $const_scatter, AX, BX
	ANDQ R10, BX
	SHLQ $const_slotShift, BX
	ADDQ R11, BX
	MOVQ BX, Reader_line(DI) // no write barrier: the ring keeps all its lines
	MOVQ AX, 0(SI)
	MOVQ Reader_row(DI), R9
	INCQ R9
	MOVQ R9, Reader_row(DI)
	CMPQ R9, $const_fetchRow
	JLT  nextDone
	ADDQ $const_fetchAhead, AX
	IMULQ $const_scatter, AX
	ANDQ R10, AX
	SHLQ $const_slotShift, AX
	PREFETCHT0 (R11)(AX*1)
	CMPQ Reader_usual(DI), $const_Inline
	JLS  nextDone
	PREFETCHT0 const_LineBytes(R11)(AX*1)

nextDone:
	RET

// func storeCounters(dst *Line, slot, pos uint64)
TEXT ·storeCounters(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ slot+8(FP), AX
	MOVQ pos+16(FP), BX
	MOVQ AX, 0(DI)
	MOVQ BX, 8(DI)
	RET
