package mpi

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"reflect"

	"rhinet/llc/wire"
)

// A typeCode says what the elements of a buffer are made of, so that a message
// and its receive can be compared (MPI 4.1, section 3.3.1): the kind of a number,
// or a hash of what a struct is made of. Only the layout counts, as with MPI's
// type signatures: [2]float64, a struct of two float64, and a named float64 are
// all float64. int is int64 here, uint and uintptr are uint64.
type typeCode uint32

// The codes below firstHash are those of package reflect.
const (
	codeInt64  = typeCode(reflect.Int64)
	codeUint64 = typeCode(reflect.Uint64)
	codeByte   = typeCode(reflect.Uint8)
	firstHash  = 32
)

// class is what messages carry: 0 fits anything, and so do bytes, which take
// the place of MPI_PACKED.
func (k typeCode) class() uint32 {
	if k == codeByte {
		return 0
	}
	return uint32(k)
}

// String names a code for people.
func (k typeCode) String() string {
	if k < firstHash {
		return reflect.Kind(k).String()
	}
	return "a struct"
}

// className names a class for people.
func className(class uint32) string {
	switch class &= wire.TypeMask; {
	case class == 0:
		return "bytes"
	case class < firstHash:
		return reflect.Kind(class).String()
	}
	return "a struct of other fields"
}

// A run is a stretch of a struct that is made of one kind of thing.
type run struct {
	at, bytes uintptr
	code      typeCode
	unit      uintptr // size of one such thing
}

// codeOf returns the code of a type that can travel, and the size of what it
// repeats.
func codeOf(t reflect.Type) (typeCode, uintptr) {
	switch k := t.Kind(); k {
	case reflect.Int:
		return codeInt64, t.Size()
	case reflect.Uint, reflect.Uintptr:
		return codeUint64, t.Size()
	case reflect.Array:
		return codeOf(t.Elem())
	case reflect.Struct:
		runs := runsOf(t, 0, nil)
		if len(runs) == 1 && runs[0].bytes == t.Size() {
			return runs[0].code, runs[0].unit
		}
		return hashOf(runs, t.Size()), t.Size()
	default:
		return typeCode(k), t.Size()
	}
}

// runsOf appends the runs of a struct that begins at offset at.
func runsOf(t reflect.Type, at uintptr, runs []run) []run {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type.Size() == 0 {
			continue
		}
		code, unit := codeOf(f.Type)
		if f.Type.Kind() == reflect.Struct && code >= firstHash && unit == f.Type.Size() {
			runs = runsOf(f.Type, at+f.Offset, runs)
			continue
		}
		next := run{at + f.Offset, f.Type.Size(), code, unit}
		if n := len(runs) - 1; n >= 0 && runs[n].code == code && runs[n].unit == unit && runs[n].at+runs[n].bytes == next.at {
			runs[n].bytes += next.bytes
			continue
		}
		runs = append(runs, next)
	}
	return runs
}

// hashOf returns the code of a struct of several runs.
func hashOf(runs []run, size uintptr) typeCode {
	h := fnv.New32a()
	var b []byte
	for _, r := range runs {
		for _, v := range []uintptr{r.at, r.bytes, uintptr(r.code)} {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	}
	h.Write(binary.LittleEndian.AppendUint64(b, uint64(size)))
	sum := h.Sum32()
	return firstHash + typeCode((sum^sum>>16)%(wire.TypeMask+1-firstHash))
}

// mistypedText words the failure of a receive into elements of e.
func mistypedText(sent uint32, e *elem) string {
	return fmt.Sprintf("the message holds %s, the buffer %s; receive the type that was sent, or bytes", className(sent), e.name)
}
