package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/internal/pmi"
)

// disagreements describes the communicators whose ranks are in different collective calls: the same turn,
// but another call, or the same call with other arguments. Calls of different turns prove nothing: some
// ranks may leave a call before others reach it.
func disagreements(all []Reading) []string {
	type turn struct{ team, number uint32 }
	type group struct {
		sign  uint32
		call  string
		ranks []int
	}
	var order []turn
	calls := map[turn][]*group{}
	for i := range all {
		r := &all[i]
		if r.Ended || r.State != pmi.Waiting || r.Sign == 0 {
			continue
		}
		at := turn{r.Team, r.Turn}
		if calls[at] == nil {
			order = append(order, at)
		}
		var g *group
		for _, other := range calls[at] {
			if other.sign == r.Sign {
				g = other
			}
		}
		if g == nil {
			g = &group{sign: r.Sign, call: r.Call}
			if !r.Named && r.Note != "" { // a WaitAll notes the collective call
				g.call = r.Note
			}
			calls[at] = append(calls[at], g)
		}
		g.ranks = append(g.ranks, r.Rank)
	}
	var found []string
	for _, at := range order {
		groups := calls[at]
		if len(groups) < 2 {
			continue
		}
		parts := make([]string, 0, len(groups))
		same := true
		for _, g := range groups {
			parts = append(parts, Ranks(g.ranks)+" in "+g.call)
			same = same && g.call == groups[0].call
		}
		text := mismatch(parts)
		if same {
			text += "the calls differ in type, length, operation or root, or in what was called before; all ranks of a communicator must agree on them"
		} else {
			text += "all ranks of a communicator must make the same collective calls in the same order"
		}
		found = append(found, text)
	}
	return found
}

// differentTags says that ranks which wait for each other make a communicator with different tags, if they do. The note
// of such a call is its tag, by which the ranks find each other.
func differentTags(all []Reading, path []int) []string {
	path = slices.Sorted(slices.Values(path))
	var parts []string
	different := false
	first := &all[path[0]]
	for _, r := range path {
		s := &all[r]
		if s.Call != first.Call || !strings.HasPrefix(s.Note, "tag ") || s.More > 0 { // one of the other calls may have the tag
			return nil
		}
		different = different || s.Note != first.Note
		if len(parts) < maxGroups {
			parts = append(parts, fmt.Sprintf("rank %d gives %s", r, s.Note))
		}
	}
	if !different {
		return nil
	}
	return []string{"mismatch: in " + first.Call + " " + strings.Join(parts, ", ") + ": ranks that make a communicator together must give the same tag, and make several in the same order"}
}

// differentOrder says that ranks which wait for each other are in collective calls on different communicators, if they
// all are: then each has made first the call that the next one is to make later.
func differentOrder(all []Reading, path []int) []string {
	path = slices.Sorted(slices.Values(path))
	var calls []string
	ranks, teams := map[string][]int{}, map[uint32]bool{}
	for _, r := range path {
		s := &all[r]
		if s.Sign == 0 || s.More > 0 { // one of the other calls may be what the next rank waits for
			return nil
		}
		call := s.calls()
		if ranks[call] == nil {
			calls = append(calls, call)
		}
		ranks[call], teams[s.Team] = append(ranks[call], r), true
	}
	if len(teams) < 2 {
		return nil
	}
	var parts []string
	for _, call := range calls {
		parts = append(parts, Ranks(ranks[call])+" in "+call)
	}
	return []string{mismatch(parts) + "ranks of several communicators must make the collective calls on them in the same order"}
}

// mismatch begins a line that says which ranks do what, of which there are several kinds.
func mismatch(parts []string) string {
	if len(parts) > maxGroups {
		parts = append(parts[:maxGroups], "others")
	}
	return "mismatch: " + strings.Join(parts, ", ") + ": "
}

// finalizing names the ranks that wait for one that has finalized MPI or waits in Finalize, and so makes no call for them.
func finalizing(all []Reading) (found []string) {
	waiting := map[int][]int{}
	for r := range all {
		if p := waitsFor(all, r); p >= 0 && p != r && all[p].finalizes() {
			waiting[p] = append(waiting[p], all[r].Rank)
		}
	}
	for p := range all {
		if ranks := waiting[p]; ranks != nil && len(found) < maxGroups {
			found = append(found, fmt.Sprintf("finalize: %s for rank %d, which is in Finalize and makes no more calls", with(ranks, "waits", "wait"), all[p].Rank))
		}
	}
	return found
}

// finalizes reports whether the rank has no calls left but Finalize.
func (s *Reading) finalizes() bool {
	return !s.Ended && (s.State == pmi.Finalized || s.State == pmi.Waiting && s.Call == "Finalize" && s.More == 0)
}
