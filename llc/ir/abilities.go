package ir

// An Announcer is an optional ability of a translator: it tells the launcher what its verdict on the end of this
// rank depends on. Any goroutine may call it.
type Announcer interface {
	// Abort notes that this rank ends the job, so that the launcher blames no other rank. It may be called at
	// any time.
	Abort()

	// MarkWorld notes whether this rank is in the world, so that it must finalize MPI before its process
	// exits. It may be called before Close.
	MarkWorld(in bool)
}

// A Settler is an optional ability of a translator that sends what it was given only later, or again: what has
// not arrived is lost if the process of this rank ends. Its driver calls it, as Poll.
type Settler interface {
	// Settled reports whether everything that was posted has arrived, or cannot arrive any more.
	Settled() bool
}

// Abilities are the optional abilities of a translator; it lacks those that are nil. A translator that wraps
// another one hands them on, because its driver chooses by them:
//
//	a := ir.AbilitiesOf(inner)
//	a.FlagArray = ... // if it has one that must be wrapped as well
//	return a.Give(outer)
type Abilities struct {
	FlagArray       FlagArray
	Controller      Controller
	Aimer           Aimer
	Reporter        Reporter
	Announcer       Announcer
	Auditor         Auditor
	Express         Express
	Lanes           Lanes
	Memory          Memory
	Remote          Remote
	Lender          Lender
	Clock           Clock
	FailureDetector FailureDetector
	Switch          Switch
	Atomics         Atomics
	Locker          Locker
	Vectors         Vectors
	Router          Router
	Refuser         Refuser
	Injector        Injector
	CPUTimer        CPUTimer
	Settler         Settler
}

// AbilitiesOf returns the abilities of t: those that Give gave it, or else those whose methods it has.
func AbilitiesOf(t Translator) (a Abilities) {
	if g, ok := t.(given); ok {
		return g.abilities
	}
	a.FlagArray, _ = t.(FlagArray)
	a.Controller, _ = t.(Controller)
	a.Aimer, _ = t.(Aimer)
	a.Reporter, _ = t.(Reporter)
	a.Announcer, _ = t.(Announcer)
	a.Auditor, _ = t.(Auditor)
	a.Express, _ = t.(Express)
	a.Lanes, _ = t.(Lanes)
	a.Memory, _ = t.(Memory)
	a.Remote, _ = t.(Remote)
	a.Lender, _ = t.(Lender)
	a.Clock, _ = t.(Clock)
	a.FailureDetector, _ = t.(FailureDetector)
	a.Switch, _ = t.(Switch)
	a.Atomics, _ = t.(Atomics)
	a.Locker, _ = t.(Locker)
	a.Vectors, _ = t.(Vectors)
	a.Router, _ = t.(Router)
	a.Refuser, _ = t.(Refuser)
	a.Injector, _ = t.(Injector)
	a.CPUTimer, _ = t.(CPUTimer)
	a.Settler, _ = t.(Settler)
	return a
}

// Give returns t with these abilities and no others, as AbilitiesOf reports them.
func (a Abilities) Give(t Translator) Translator { return given{t, a} }

type given struct {
	Translator
	abilities Abilities
}
