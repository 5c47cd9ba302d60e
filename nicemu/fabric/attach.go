package fabric

import "fmt"

// An Attach says whether cross-memory attach is used as a NIC's DMA into the
// memory of other processes.
type Attach uint8

// The choices. AttachAuto tries it at set-up; AttachOn fails if it does not work; AttachOff does
// not use it, as on a kernel that refuses.
const (
	AttachAuto Attach = iota
	AttachOn
	AttachOff
)

// ParseAttach reads auto, on or off; empty means auto. The caller of an error names the variable.
func ParseAttach(s string) (Attach, error) {
	switch s {
	case "", "auto":
		return AttachAuto, nil
	case "on":
		return AttachOn, nil
	case "off":
		return AttachOff, nil
	}
	return AttachAuto, fmt.Errorf("cross-memory attach %q; it is auto, on or off", s)
}
