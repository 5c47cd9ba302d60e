package bt

import (
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

const kernel = "BT"

// classes holds the problem sizes and the published norms of each class.
var classes = nas.Table[cfd.MarchClass]{
	nas.S: {
		N: 12, Steps: 60, Dt: 0.010e0,
		Residual: [5]float64{1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02, 2.6436421275166801e-02, 1.9211784131744430e-01},
		Error:    [5]float64{4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05, 7.3821238632439731e-05, 8.9269630987491446e-04},
	},
	nas.W: {
		N: 24, Steps: 200, Dt: 0.0008e0,
		Residual: [5]float64{0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02, 0.2469174937669e+02, 0.2638427874317e+03},
		Error:    [5]float64{0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01, 0.9235878729944e+00, 0.1018045837718e+02},
	},
	nas.A: {
		N: 64, Steps: 200, Dt: 0.0008e0,
		Residual: [5]float64{1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01, 2.3665622544678910e+01, 2.5278963211748344e+02},
		Error:    [5]float64{4.2348416040525025e+00, 4.4390282496995698e-01, 9.6692480136345650e-01, 8.8302063039765474e-01, 9.7379901770829278e+00},
	},
	nas.B: {
		N: 102, Steps: 200, Dt: 0.0003e0,
		Residual: [5]float64{1.4233597229287254e+03, 9.9330522590150238e+01, 3.5646025644535285e+02, 3.2485447959084092e+02, 3.2707541254659363e+03},
		Error:    [5]float64{5.2969847140936856e+01, 4.4632896115670668e+00, 1.3122573342210174e+01, 1.2006925323559144e+01, 1.2459576151035986e+02},
	},
	nas.C: {
		N: 162, Steps: 200, Dt: 0.0001e0,
		Residual: [5]float64{0.62398116551764615e+04, 0.50793239190423964e+03, 0.15423530093013596e+04, 0.13302387929291190e+04, 0.11604087428436455e+05},
		Error:    [5]float64{0.16462008369091265e+03, 0.11497107903824313e+02, 0.41207446207461508e+02, 0.37087651059694167e+02, 0.36211053051841265e+03},
	},
	nas.D: {
		N: 408, Steps: 250, Dt: 0.00002e0,
		Residual: [5]float64{0.2533188551738e+05, 0.2346393716980e+04, 0.6294554366904e+04, 0.5352565376030e+04, 0.3905864038618e+05},
		Error:    [5]float64{0.3100009377557e+03, 0.2424086324913e+02, 0.7782212022645e+02, 0.6835623860116e+02, 0.6065737200368e+03},
	},
}

// operations returns the nominal operations of one time step (common rules,
// section 1.6).
func operations(n float64) float64 { return 3478.8*n*n*n - 17655.7*n*n + 28023.7*n }

// Describe returns the size, time steps and time step length of a class.
func Describe(class nas.Class) (nas.Problem, error) {
	return cfd.DescribeMarch(kernel, classes, class)
}

// Allowed returns nil if the class can run on procs ranks: a square number that
// leaves cells of at least three points to an edge. The error names the counts.
func Allowed(procs int, class nas.Class) error {
	return cfd.AllowedMarch(kernel, classes, procs, class)
}
