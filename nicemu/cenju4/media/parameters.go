package media

import (
	"rhinet/nicemu/cenju4/timed"
	"rhinet/nicemu/param"
)

// Parameters returns the table of the medium, including that of the machine below it.
func Parameters() *param.Table {
	return param.New(append([]param.Parameter{
		{Name: "mpi.eager", Unit: "bytes", Value: 1024, Least: 64, Most: mostEager, Whole: true, About: "longest message sent before its receiver has asked for it",
			Source: "chosen, because two copies of so much (host.copy) take about as long as the messages that ask (mpi.call, paralib.*)"},
	}, timed.Parameters().All()...)...)
}

// mostEager is the largest allowed value of mpi.eager.
const mostEager = 16 << 10
