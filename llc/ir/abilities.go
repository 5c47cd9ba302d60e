package ir

// An Aborter is an optional ability of a translator, found by assertion: Abort
// notes that this rank ends the job, so that the launcher blames nobody else. It
// may be called by any goroutine at any time.
type Aborter interface{ Abort() }

// Abilities are the optional abilities of a translator; it lacks those that are
// nil. What wraps a translator hands them on exactly, because whoever drives it
// chooses by them:
//
//	a := ir.AbilitiesOf(inner)
//	a.Board = ... // if it has one that must be wrapped as well
//	return a.Give(outer)
type Abilities struct {
	Board    Board
	Aimer    Aimer
	Reporter Reporter
	Aborter  Aborter
	Auditor  Auditor
}

// AbilitiesOf returns the abilities that t has.
func AbilitiesOf(t Translator) (a Abilities) {
	a.Board, _ = t.(Board)
	a.Aimer, _ = t.(Aimer)
	a.Reporter, _ = t.(Reporter)
	a.Aborter, _ = t.(Aborter)
	a.Auditor, _ = t.(Auditor)
	return a
}

// Give returns t with these abilities and no others.
func (a Abilities) Give(t Translator) Translator {
	has := 0
	for i, present := range []bool{a.Board != nil, a.Aimer != nil, a.Reporter != nil, a.Aborter != nil, a.Auditor != nil} {
		if present {
			has |= 1 << i
		}
	}
	return givers[has](t, a)
}

// givers has one function for each set of abilities: Board 1, Aimer 2, Reporter
// 4, Aborter 8, Auditor 16. It is read only.
var givers = [...]func(Translator, Abilities) Translator{
	func(t Translator, _ Abilities) Translator { return struct{ Translator }{t} },
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
		}{t, a.Board}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aimer
		}{t, a.Aimer}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aimer
		}{t, a.Board, a.Aimer}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Reporter
		}{t, a.Reporter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Reporter
		}{t, a.Board, a.Reporter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aimer
			Reporter
		}{t, a.Aimer, a.Reporter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aimer
			Reporter
		}{t, a.Board, a.Aimer, a.Reporter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aborter
		}{t, a.Aborter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aborter
		}{t, a.Board, a.Aborter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aimer
			Aborter
		}{t, a.Aimer, a.Aborter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aimer
			Aborter
		}{t, a.Board, a.Aimer, a.Aborter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Reporter
			Aborter
		}{t, a.Reporter, a.Aborter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Reporter
			Aborter
		}{t, a.Board, a.Reporter, a.Aborter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aimer
			Reporter
			Aborter
		}{t, a.Aimer, a.Reporter, a.Aborter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aimer
			Reporter
			Aborter
		}{t, a.Board, a.Aimer, a.Reporter, a.Aborter}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Auditor
		}{t, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Auditor
		}{t, a.Board, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aimer
			Auditor
		}{t, a.Aimer, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aimer
			Auditor
		}{t, a.Board, a.Aimer, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Reporter
			Auditor
		}{t, a.Reporter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Reporter
			Auditor
		}{t, a.Board, a.Reporter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aimer
			Reporter
			Auditor
		}{t, a.Aimer, a.Reporter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aimer
			Reporter
			Auditor
		}{t, a.Board, a.Aimer, a.Reporter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aborter
			Auditor
		}{t, a.Aborter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aborter
			Auditor
		}{t, a.Board, a.Aborter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aimer
			Aborter
			Auditor
		}{t, a.Aimer, a.Aborter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aimer
			Aborter
			Auditor
		}{t, a.Board, a.Aimer, a.Aborter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Reporter
			Aborter
			Auditor
		}{t, a.Reporter, a.Aborter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Reporter
			Aborter
			Auditor
		}{t, a.Board, a.Reporter, a.Aborter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Aimer
			Reporter
			Aborter
			Auditor
		}{t, a.Aimer, a.Reporter, a.Aborter, a.Auditor}
	},
	func(t Translator, a Abilities) Translator {
		return struct {
			Translator
			Board
			Aimer
			Reporter
			Aborter
			Auditor
		}{t, a.Board, a.Aimer, a.Reporter, a.Aborter, a.Auditor}
	},
}
