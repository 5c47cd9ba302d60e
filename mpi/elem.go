package mpi

import (
	"fmt"
	"math/bits"
	"reflect"
	"sync"
	"sync/atomic"

	"rhinet/llc"
)

// An elem describes one element type of a world.
type elem struct {
	word uintptr
	size int
	log  int // of size to base 2, or -1: division is slow
	name string
	code typeCode
	key  llc.Key // of messages of such elements, without the context
	bad  string  // why it cannot travel, or ""
	// items: of type Item, whose buffers are layouts. bad is set, but some calls take
	// them.
	items bool
	item  int // bytes of one item, if e describes bytes of items; else 0
	ops   [numPredefined]*reducer
	atomics
}

// elemCache holds the element types of a world: recent answers for types in use with
// one load and one compare, all is filled once per type.
type elemCache struct {
	recent [16]atomic.Pointer[elem]
	all    sync.Map // uintptr -> *elem
}

// elemOf returns the elem of T. A type that cannot travel is not among the recent ones,
// so a hit there is also the check.
func elemOf[T any](k *elemCache) *elem {
	if e := recentElem[T](k); e != nil {
		return e
	}
	return learn[T](k)
}

// predeclared is elemOf for the predeclared type of Go with a code, nil if there is none.
func predeclared(k *elemCache, code typeCode) *elem {
	switch reflect.Kind(code) {
	case reflect.Bool:
		return elemOf[bool](k)
	case reflect.Int8:
		return elemOf[int8](k)
	case reflect.Int16:
		return elemOf[int16](k)
	case reflect.Int32:
		return elemOf[int32](k)
	case reflect.Int64:
		return elemOf[int64](k)
	case reflect.Uint8:
		return elemOf[uint8](k)
	case reflect.Uint16:
		return elemOf[uint16](k)
	case reflect.Uint32:
		return elemOf[uint32](k)
	case reflect.Uint64:
		return elemOf[uint64](k)
	case reflect.Float32:
		return elemOf[float32](k)
	case reflect.Float64:
		return elemOf[float64](k)
	case reflect.Complex64:
		return elemOf[complex64](k)
	case reflect.Complex128:
		return elemOf[complex128](k)
	}
	return nil
}

// recentElem is elemOf for a type that can travel and was used recently, else nil.
func recentElem[T any](k *elemCache) *elem {
	word := typeWord[T]()
	if e := k.recent[word>>5&15].Load(); e != nil && e.word == word {
		return e
	}
	return nil
}

func learn[T any](k *elemCache) *elem {
	word := typeWord[T]()
	if e, ok := k.all.Load(word); ok {
		e := e.(*elem)
		if e.bad == "" {
			k.recent[word>>5&15].Store(e)
		}
		return e
	}
	t := reflect.TypeFor[T]()
	e := &elem{word: word, size: int(t.Size()), log: -1, name: t.String(), bad: unusable(t)}
	if e.items = t == reflect.TypeFor[Item](); e.items {
		e.bad = "is a layout, which this call does not take"
	}
	if bits.OnesCount(uint(e.size)) == 1 {
		e.log = bits.TrailingZeros(uint(e.size))
	}
	if e.bad == "" {
		e.code = codeOf(t)
		e.key = llc.MakeKey(0, e.code.class())
		for op, f := range foldsOf[T](t) {
			if f != nil {
				e.ops[op] = &reducer{fold: f, size: e.size, typ: e.code, code: uint32(op) + 1, commutative: true}
			}
		}
		if e.ops[Sum] != nil { // a number: atomic operations change it as a whole
			e.atomics = atomicsOf(e.code)
		}
	}
	first, _ := k.all.LoadOrStore(word, e)
	return first.(*elem)
}

// count returns how many whole elements n bytes hold.
func (e *elem) count(n int) int {
	if e.log >= 0 {
		return n >> e.log
	}
	return n / e.size
}

// whole reports whether n bytes are a whole number of elements.
func (e *elem) whole(n int) bool {
	if e.log >= 0 {
		return n&(e.size-1) == 0
	}
	return n%e.size == 0
}

// number returns how many items or elements n bytes are, or Undefined.
func (e *elem) number(n int) int {
	switch {
	case e.item == 0:
		return e.count(n)
	case n%e.item != 0:
		return Undefined
	}
	return n / e.item
}

// badElem is the error of a call with elements that cannot travel.
func (c *Comm) badElem(s site, e *elem) *Error {
	return c.errorAt(s, ErrType, "an element of type %s %s; use numbers, bool, or arrays and flat structs of them", e.name, e.bad)
}

// unusable returns why t cannot be an element of a message, or "".
func unusable(t reflect.Type) string {
	if why := unfit(t); why != "" || t.Size() > 0 {
		return why
	}
	return "has no size"
}

// unfit returns why values of t cannot be copied to another process, or "".
func unfit(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return ""
	case reflect.Array:
		return unfit(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if why := unfit(t.Field(i).Type); why != "" {
				return fmt.Sprintf("has the field %s, which %s", t.Field(i).Name, why)
			}
		}
		return ""
	}
	return fmt.Sprintf("holds pointers (%s)", t.Kind())
}
