package collectives

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Rule prefers an algorithm to the table's choice, for calls of an operation in a
// range of ranks and bytes, both ends included; an upper end of 0 is no limit. Bytes
// are those of [Group.Choice]. For calls that the algorithm cannot serve, the table
// chooses as usual.
type Rule struct {
	Kind               Kind
	Algorithm          string
	MinRanks, MaxRanks int
	MinBytes, MaxBytes int
	Oversubscribed     bool // for groups with this option, else for those without
}

// shared marks rules for oversubscribed groups.
const shared = "shared"

// String writes the rule as [ParseRules] reads it, such as
//
//	bcast=linear@4..7@65536..@shared
func (r Rule) String() string {
	text := fmt.Sprintf("%v=%s@%s@%s", r.Kind, r.Algorithm, between(r.MinRanks, r.MaxRanks), between(r.MinBytes, r.MaxBytes))
	if r.Oversubscribed {
		text += "@" + shared
	}
	return text
}

func between(lo, hi int) string {
	text := strconv.Itoa(lo) + ".."
	if hi > 0 {
		text += strconv.Itoa(hi)
	}
	return text
}

// ParseRules reads rules separated by commas. The errors are of class ErrName.
func ParseRules(list string) (rules []Rule, err error) {
	if list == "" {
		return nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		r, err := parseRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func parseRule(text string) (r Rule, err error) {
	parts := strings.Split(text, "@")
	op, name, named := strings.Cut(parts[0], "=")
	if len(parts) == 4 && parts[3] == shared {
		r.Oversubscribed, parts = true, parts[:3]
	}
	if !named || len(parts) != 3 {
		return r, noName("%q is no rule, such as bcast=linear@4..7@65536..@shared", text)
	}
	rows, err := forcedRows(map[string]string{op: name})
	if err != nil {
		return r, err
	}
	for _, row := range rows {
		if row != nil {
			r.Kind, r.Algorithm = row.kind, row.name
		}
	}
	var ranks, bytes bool
	r.MinRanks, r.MaxRanks, ranks = parseBetween(parts[1])
	r.MinBytes, r.MaxBytes, bytes = parseBetween(parts[2])
	if !ranks || !bytes {
		return Rule{}, noName("%q is no rule: ranks and bytes are ranges such as 4..7, or 4.. without an upper end", text)
	}
	return r, nil
}

func parseBetween(text string) (lo, hi int, ok bool) {
	low, high, ok := strings.Cut(text, "..")
	lo, err := strconv.Atoi(low)
	if high == "" {
		return lo, 0, ok && err == nil && lo >= 0
	}
	hi, bad := strconv.Atoi(high)
	return lo, hi, ok && err == nil && bad == nil && lo >= 0 && hi >= max(lo, 1)
}

// span returns where the rule holds.
func (r Rule) span() span {
	return span{minBytes: r.MinBytes, maxBytes: r.MaxBytes, minRanks: r.MinRanks, maxRanks: r.MaxRanks}
}

// A preference is a rule that may hold for the calls of a group.
type preference struct {
	where span
	row   *row
}

// preferences resolves the rules that apply to a group of a size.
func (o Options) preferences(size int) (list []preference, err error) {
	for _, r := range o.Rules {
		rows, err := forcedRows(map[string]string{r.Kind.String(): r.Algorithm})
		if err != nil {
			return nil, err
		}
		if where := r.span(); r.Oversubscribed == o.Oversubscribed && where.holds(where.minBytes, size) {
			list = append(list, preference{where, rows[r.Kind]})
		}
	}
	return list, nil
}

// Exchanges returns the number of bytes per rank up to which calls of an operation use
// the algorithm "exchange", which takes at most most bytes, in a group of a size, as
// far as these options tell: the table prefers it, and no option names another one. It
// is negative if no calls do.
func (o Options) Exchanges(k Kind, size, most int) int { return o.exchanges(k, size, most, false) }

// ExchangesAside is Exchanges for calls that do not block. The lengths up to which the
// table prefers exchanges are those of calls that block, and do not hold here: a rank
// that only looks now and then gains by longer exchanges, too.
func (o Options) ExchangesAside(k Kind, size, most int) int { return o.exchanges(k, size, most, true) }

func (o Options) exchanges(k Kind, size, most int, aside bool) int {
	const exchange = "exchange"
	i := slices.IndexFunc(table, func(r row) bool { return r.kind == k && r.name == exchange })
	where := table[i].prefers(o.Oversubscribed)
	if !where.holds(0, size) || cmp.Or(o.Force[k.String()], exchange) != exchange {
		return -1
	}
	most = min(most, exchanged(size, o.Oversubscribed))
	if where.maxBytes > 0 && !aside {
		most = min(most, table[i].exchange(shape{kind: k, bytes: where.maxBytes}, size))
	}
	for _, r := range o.Rules {
		s := shape{kind: k, bytes: r.MinBytes}
		if r.Kind != k || r.Algorithm == exchange || r.Oversubscribed != o.Oversubscribed || !r.span().holds(r.MinBytes, size) || s.known() != r.MinBytes {
			continue
		}
		if r.MinBytes == 0 {
			return -1
		}
		most = min(most, table[i].exchange(s, size)-1)
	}
	return most
}
