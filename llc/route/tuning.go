package route

const (
	// farTurns is the number of Polls for one look at a network from which nothing is expected.
	farTurns = 16
	// warmTurns is the number of fruitless looks during which something is expected after a packet went there
	// or came.
	warmTurns = 64
)
