package bt

import (
	"testing"

	"rhinet/npb/cfd/cfdtest"
)

// suite returns the tests that BT and SP share.
func suite() cfdtest.March {
	return cfdtest.March{
		Kernel:        Kernel(),
		March:         march(),
		RightHandSide: cfdtest.Norm{6.7877440849324e+02, 6.8656671466445e+01, 1.7373916450581e+02, 1.4653216460274e+02, 9.7682415991639e+02},
		X:             cfdtest.Norm{4.7650969106985e+02, 5.5732655067226e+01, 1.3721034692569e+02, 1.1537716922297e+02, 7.3985399646473e+02},
		Y:             cfdtest.Norm{3.5543394143641e+02, 4.1213459213632e+01, 1.0360013950747e+02, 8.6484947909194e+01, 5.4561279763666e+02},
		Z:             cfdtest.Norm{1.9679772956638e+02, 1.8259210443335e+01, 4.9757381630751e+01, 4.2523309452245e+01, 3.1462259320786e+02},
		Residual:      cfdtest.Norm{3.3535293688400e+04, 3.3560713246605e+03, 8.4375947504742e+03, 7.1127400861544e+03, 4.7563208848733e+04},
		Error:         cfdtest.Norm{3.1637300455966e+02, 2.5339480744517e+01, 7.9863770341058e+01, 7.0151399654241e+01, 6.1865927818179e+02},
	}
}

func TestKernel(t *testing.T) { suite().Test(t) }

func BenchmarkStep(b *testing.B) { suite().Benchmark(b) }
