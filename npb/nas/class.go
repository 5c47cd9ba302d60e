package nas

import (
	"fmt"
	"strings"
)

// A Class is a letter naming one exact set of parameters of a kernel.
type Class byte

// The classes that kernels define, in order of increasing size. Unknown marks a run whose parameters belong
// to no class; it is never verified.
const (
	S       Class = 'S'
	W       Class = 'W'
	A       Class = 'A'
	B       Class = 'B'
	C       Class = 'C'
	D       Class = 'D'
	E       Class = 'E'
	Unknown Class = 'U'
)

// Classes returns the defined classes in order of increasing size.
func Classes() []Class { return []Class{S, W, A, B, C, D, E} }

func (c Class) String() string { return string(rune(c)) }

// ParseClass converts a class letter, upper or lower case. The error lists the classes.
func ParseClass(s string) (Class, error) {
	up := strings.ToUpper(s)
	for _, c := range Classes() {
		if up == c.String() {
			return c, nil
		}
	}
	return Unknown, &ClassError{Name: s}
}

// A ClassError reports a class that is not defined.
type ClassError struct {
	Kernel string // empty: no kernel has the class
	Name   string
}

func (e *ClassError) Error() string {
	who := ""
	if e.Kernel != "" {
		who = e.Kernel + ": "
	}
	var names []string
	for _, c := range Classes() {
		names = append(names, c.String())
	}
	return fmt.Sprintf("%sunknown class %q; the classes are %s", who, e.Name, strings.Join(names, ", "))
}

// A Table maps classes to a kernel's parameters.
type Table[P any] map[Class]P

// Lookup returns the parameters of class, or a *ClassError naming the kernel.
func (t Table[P]) Lookup(kernel string, class Class) (P, error) {
	p, ok := t[class]
	if !ok {
		return p, &ClassError{Kernel: strings.ToLower(kernel), Name: class.String()}
	}
	return p, nil
}
