package mpi

import (
	"fmt"
	"math/bits"
	"reflect"
	"sync"
	"sync/atomic"

	"rhinet/llc"
)

// An elem is what a world knows of one element type.
type elem struct {
	word uintptr
	size int
	log  int // of size to base 2, or -1: dividing by it is slow
	name string
	code typeCode
	key  llc.Key // of messages of such elements, without their context
	bad  string  // why it cannot travel, or ""
	// items: of type Item, whose buffers are layouts; bad, but where a call takes them.
	items bool
	item  int // bytes of one item, if it stands for those; else 0
	ops   [numPredefined]*reducer
	atomics
}

// elemCache remembers the element types of a world: recent answers the types
// in use with one load and one compare, all is filled once per type.
type elemCache struct {
	recent [16]atomic.Pointer[elem]
	all    sync.Map // uintptr -> *elem
}

// elemOf returns what is known of T. A type that cannot travel is not among
// the recent ones, so a hit there is also the check.
func elemOf[T any](k *elemCache) *elem {
	if e := recentElem[T](k); e != nil {
		return e
	}
	return learn[T](k)
}

// recentElem is elemOf of a type that can travel and was used recently, else nil.
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
	e := &elem{word: word, size: int(t.Size()), log: -1, name: t.String(), bad: unfit(t)}
	if e.bad == "" && e.size == 0 {
		e.bad = "has no size"
	}
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
		if e.ops[Sum] != nil { // a number: what is made of several is changed as one
			e.atomics = atomicsOf(e.code)
		}
	}
	first, _ := k.all.LoadOrStore(word, e)
	return first.(*elem)
}

// count is how many whole elements n bytes hold.
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

// number is how many items or elements n bytes are, or Undefined.
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

// unfit says why values of t cannot be copied to another process, or "".
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
