package route

const (
	// farTurns is how many Polls there are for one look at the network from which nothing is expected.
	farTurns = 16
	// warmTurns is for how many looks that find nothing something is expected after a packet went there or came.
	warmTurns = 64
)
