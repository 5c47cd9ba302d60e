package ep

// logInverse and logValue are c and -2 ln(1/c) of minusTwoLog: c is the inverse
// of the middle of each sixteenth, except around 1.
var (
	logInverse = [16]float64{
		0x1.5555555555555p+0,
		0x1.47ae147ae147bp+0,
		0x1.3b13b13b13b14p+0,
		0x1.2f684bda12f68p+0,
		0x1.2492492492492p+0,
		0x1.1a7b9611a7b96p+0,
		0x1.1111111111111p+0,
		0x1.0842108421084p+0,
		0x1.0000000000000p+0,
		0x1.e1e1e1e1e1e1ep-1,
		0x1.c71c71c71c71cp-1,
		0x1.af286bca1af28p-1,
		0x1.999999999999ap-1,
		0x1.8618618618618p-1,
		0x1.745d1745d1746p-1,
		0x1.642c8590b2164p-1,
	}
	logValue = [16]float64{
		0x1.269621134db91p-1,
		0x1.f991c6cb3b37ap-2,
		0x1.a93ed3c8ad9e5p-2,
		0x1.5bf406b543db0p-2,
		0x1.1178e8227e47ap-2,
		0x1.9335e5d594988p-3,
		0x1.08598b59e3a06p-3,
		0x1.0415d89e74440p-4,
		0,
		-0x1.f0a30c01162a8p-4,
		-0x1.e27076e2af2eap-3,
		-0x1.5ff3070a793d6p-2,
		-0x1.c8ff7c79a9a20p-2,
		-0x1.1675cababa60fp-1,
		-0x1.4618bc21c5ec2p-1,
		-0x1.739d7f6bbd007p-1,
	}
)

// The coefficients of the polynomial Q of minusTwoLog by descending power: the Chebyshev fit of (-2 ln(1+r)
// + 2r) / r^2 on [-1/32, 1/32].
const (
	logQ7 = -0x1.c7d6d6880307cp-3
	logQ6 = 0x1.006683c32b3a0p-2
	logQ5 = -0x1.24923a9363f54p-2
	logQ4 = 0x1.5555454f53a61p-2
	logQ3 = -0x1.9999999a5415cp-2
	logQ2 = 0x1.0000000066907p-1
	logQ1 = -0x1.555555555554ap-1
	logQ0 = 0x1.ffffffffffff3p-1
)
