package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"rhinet/bench"
)

// modes lists the prefixes of the names of pieces that are done in a mode, and the flag of the mode.
var modes = []struct{ piece, flag string }{{"observed", "--stats"}, {"traced", "--trace"}, {"checked", "--check"}}

// Modes counts the pieces that exist in all modes of a job, done by the program self, and prints the
// instructions of each mode as a multiple of those without a flag.
func Modes(ctx context.Context, out io.Writer, self string, o Options) error {
	for _, piece := range Pieces() {
		if _, _, ok := inMode(piece.Name); ok {
			o.Works = append(o.Works, PieceWork(self, piece))
		}
	}
	now, _, err := Run(ctx, o)
	if err != nil {
		return err
	}
	plain := map[string]float64{}
	for _, w := range now.Works {
		if call, flag, _ := inMode(w.Work); flag == "" {
			plain[call] = w.Instructions
		}
	}
	var rows [][]string
	for _, w := range now.Works {
		call, flag, _ := inMode(w.Work)
		if plain[call] == 0 {
			return errors.New("no count of " + call)
		}
		rows = append(rows, []string{call, flag, fmt.Sprintf("%.0f", w.Instructions), fmt.Sprintf("%.2f", w.Instructions/plain[call])})
	}
	fmt.Fprintln(out, now.Host)
	return bench.Table(out, []string{"work", "flag", "instructions", "times as many"}, rows)
}

// inMode splits the name of a piece into the call and the flag of the job; ok is false for pieces that do
// not exist in all modes.
func inMode(name string) (call, flag string, ok bool) {
	for _, m := range modes {
		if rest, found := strings.CutPrefix(name, m.piece+" "); found {
			call, flag = rest, m.flag
		}
	}
	switch {
	case call == "8" || name == "traffic 8":
		return "8 bytes by Send and Recv", flag, true
	case call != "":
		return call, flag, true
	}
	return name, "", name == "window 64" || name == "allreduce 8" || name == "barrier"
}
