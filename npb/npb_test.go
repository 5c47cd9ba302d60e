package npb

import (
	"strings"
	"testing"

	"rhinet/npb/nas"
)

func TestKernels(t *testing.T) {
	for _, k := range Kernels() {
		found, ok := Find(strings.ToUpper(k.Name))
		p, err := k.Describe(nas.S)
		if !ok || found.Name != k.Name || err != nil || p.Kernel != strings.ToUpper(k.Name) {
			t.Errorf("%s: found %v, %+v, %v", k.Name, ok, p, err)
		}
	}
	if _, ok := Find("xx"); ok || Names() != "ep, cg, mg, ft, is, lu, sp, bt" {
		t.Errorf("the kernels are %s", Names())
	}
}
