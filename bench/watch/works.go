package watch

import "strconv"

// Works returns the works of bench watch: pieces, run by the program self, and small kernels on one rank,
// as the difference between two runs and one. program finds another of our programs.
func Works(self string, program func(name string) (string, error)) (list []Work, err error) {
	for _, piece := range Pieces() {
		list = append(list, PieceWork(self, piece))
	}
	npb, err := program("npb")
	if err != nil {
		return nil, err
	}
	for _, kernel := range []string{"is", "mg"} {
		list = append(list, Work{Name: "npb " + kernel + " S", Base: []string{npb, "-class", "S", kernel}, Full: []string{npb, "-class", "S", kernel, kernel}, Per: 1})
	}
	return list, nil
}

// PieceWork is a piece run by this program.
func PieceWork(self string, piece Piece) Work {
	args := func(reps int) []string { return []string{self, "watch", "piece", piece.Name, strconv.Itoa(reps)} }
	return Work{Name: piece.Name, Base: args(piece.Few), Full: args(piece.Many), Per: piece.Many - piece.Few}
}
