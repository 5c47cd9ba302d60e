package mpi

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"reflect"

	"rhinet/internal/layout"
	"rhinet/llc/wire"
)

// A typeCode describes the elements of a buffer, so that a message and its receive can
// be compared (MPI 4.1, section 3.3.1): the kind of a number, or a hash of the contents
// of a struct. Only the layout counts, as in MPI's type signatures: [2]float64, a
// struct of two float64, and a named float64 are all float64. int is int64 here, uint
// and uintptr are uint64.
type typeCode uint32

// The codes below firstHash are those of package reflect.
const (
	codeInt64  = typeCode(reflect.Int64)
	codeUint64 = typeCode(reflect.Uint64)
	codeByte   = typeCode(reflect.Uint8)
	firstHash  = 32
)

// class is what messages carry. 0 matches any class; bytes have it, and serve as
// MPI_PACKED.
func (k typeCode) class() uint32 {
	if k == codeByte {
		return 0
	}
	return uint32(k)
}

// String names a code in messages.
func (k typeCode) String() string {
	if k < firstHash {
		return reflect.Kind(k).String()
	}
	return "a struct"
}

// className names a class in messages.
func className(class uint32) string {
	switch class &= wire.TypeMask; {
	case class == 0:
		return "bytes"
	case class < firstHash:
		return reflect.Kind(class).String()
	}
	return "a struct of other fields"
}

// codeOf returns the code of a type that can travel.
func codeOf(t reflect.Type) typeCode { return codeOfSignature(signatureOf(t)) }

// codeOfSignature returns the code of a signature. A message whose signature is not
// known matches any type.
func codeOfSignature(s *layout.Signature) typeCode {
	switch len(s.Runs) {
	case 0:
		return codeByte
	case 1:
		return typeCode(s.Runs[0].Code)
	}
	return hashOf(s.Runs, nil, s.Bytes)
}

// signatureOf returns the signature of a value of type t. A type with padding, which
// travels too, has a signature of its own.
func signatureOf(t reflect.Type) *layout.Signature {
	runs, places := runsOf(t, 0, nil, nil)
	end := 0
	for i, r := range runs {
		if places[i] != end {
			end = -1
			break
		}
		end += r.Bytes
	}
	if size := int(t.Size()); end != size {
		return layout.SignatureOf(layout.Run{Code: uint32(hashOf(runs, places, size)), Unit: size, Bytes: size})
	}
	return layout.SignatureOf(runs...)
}

// mostRuns bounds the number of runs of a signature.
const mostRuns = 1 << 10

// runsOf appends the runs of a value of type t at an offset, and their offsets.
func runsOf(t reflect.Type, at int, runs []layout.Run, places []int) ([]layout.Run, []int) {
	size := int(t.Size())
	one := func(code typeCode, unit int) ([]layout.Run, []int) {
		if k := len(runs) - 1; k >= 0 && runs[k].Code == uint32(code) && runs[k].Unit == unit && places[k]+runs[k].Bytes == at {
			runs[k].Bytes += size
			return runs, places
		}
		return append(runs, layout.Run{Code: uint32(code), Unit: unit, Bytes: size}), append(places, at)
	}
	if size == 0 {
		return runs, places
	}
	switch t.Kind() {
	case reflect.Int:
		return one(codeInt64, size)
	case reflect.Uint, reflect.Uintptr:
		return one(codeUint64, size)
	case reflect.Array:
		e := t.Elem()
		if s := signatureOf(e); len(s.Runs) == 1 || t.Len() > mostRuns {
			return one(codeOfSignature(s), s.Bytes)
		}
		for i := range t.Len() {
			runs, places = runsOf(e, at+i*int(e.Size()), runs, places)
		}
		return runs, places
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			runs, places = runsOf(f.Type, at+int(f.Offset), runs, places)
		}
		return runs, places
	}
	return one(typeCode(t.Kind()), size)
}

// hashOf returns the code of several runs at places; adjacent if places is nil.
func hashOf(runs []layout.Run, places []int, size int) typeCode {
	h := fnv.New32a()
	var b []byte
	at := 0
	for i, r := range runs {
		if places != nil {
			at = places[i]
		}
		for _, v := range []int{at, r.Bytes, int(r.Code)} {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		at += r.Bytes
	}
	h.Write(binary.LittleEndian.AppendUint64(b, uint64(size)))
	sum := h.Sum32()
	return firstHash + typeCode((sum^sum>>16)%(wire.TypeMask+1-firstHash))
}

// mistypedText words the failure of a receive into elements of e.
func mistypedText(sent uint32, e *elem) string {
	return fmt.Sprintf("the message holds %s, the buffer %s; receive the type that was sent, or bytes", className(sent), e.name)
}
