package sp

import (
	"testing"

	"rhinet/npb/cfd/cfdtest"
)

// suite returns the tests that BT and SP share. The right-hand side is followed by T_in, the solves by T_x,
// T_y and T_z.
func suite() cfdtest.March {
	return cfdtest.March{
		Kernel:        Kernel(),
		March:         march(),
		RightHandSide: cfdtest.Norm{3.2788469634402e+02, 1.2096224265622e-01, 9.2342141453173e-02, 9.6335500464870e-01, 9.1946826357600e-01},
		X:             cfdtest.Norm{9.8045161786558e-02, 2.0807923499055e+02, 5.4415913025600e-02, 7.4327501855050e-01, 6.7821076127067e-01},
		Y:             cfdtest.Norm{6.1145557040209e-02, 4.3514030636385e-02, 1.4582057941780e+02, 5.6941685558732e-01, 4.7838326657572e-01},
		Z:             cfdtest.Norm{2.1757666889281e+02, 2.2159460614480e+01, 5.6640817962112e+01, 4.9374110254586e+01, 3.6030508404948e+02},
		Residual:      cfdtest.Norm{3.1104879395394e+04, 2.7469904155222e+03, 7.5716258562911e+03, 6.3543275136937e+03, 4.3865749584545e+04},
		Error:         cfdtest.Norm{2.9783807868691e+02, 2.1924520944381e+01, 7.3278847362706e+01, 6.3378463851743e+01, 5.7144179412877e+02},
	}
}

func TestKernel(t *testing.T) { suite().Test(t) }

func BenchmarkStep(b *testing.B) { suite().Benchmark(b) }
