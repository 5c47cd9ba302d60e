package fabric

import (
	"unsafe"

	"rhinet/internal/ring"
)

// words views mem, which is aligned, as 64-bit words.
func words(mem []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/8)
}

// lines views mem, which starts on a line, as lines.
func lines(mem []byte) []ring.Line {
	return unsafe.Slice((*ring.Line)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/ring.LineBytes)
}

// half views the half of a word that comes first in memory.
func half(w *uint64) *uint32 { return (*uint32)(unsafe.Pointer(w)) }

// LineBytes views a line as bytes.
func LineBytes(l *ring.Line) *[ring.LineBytes]byte {
	return (*[ring.LineBytes]byte)(unsafe.Pointer(l))
}

// inlineOf views the part of a flag's payload that lies in its line.
func inlineOf(l *ring.Line) *[FlagInline]byte {
	return (*[FlagInline]byte)(unsafe.Pointer(&l[len(l)-FlagInline/8]))
}

// memoryOf views lines as bytes.
func memoryOf(l []ring.Line) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(l))), len(l)*ring.LineBytes)
}

// Address returns the virtual address of b in this process. It identifies memory and is never
// converted back to a pointer.
func Address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// bytesOf views words as bytes.
func bytesOf(w []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(w)*8)
}

// LinesOf views memory of the job that starts on a line as lines.
func LinesOf(mem []byte) []ring.Line { return lines(mem[:len(mem)&^(ring.LineBytes-1)]) }

// WordsOf views memory of the job that starts on a word as words.
func WordsOf(mem []byte) []uint64 { return words(mem[:len(mem)&^7]) }
