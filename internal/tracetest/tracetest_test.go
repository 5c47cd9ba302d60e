package tracetest

import (
	"strings"
	"testing"
)

// events makes a trace of events, with names for process 1 and its thread 2.
func events(list string) []byte {
	return []byte(`{"displayTimeUnit":"ns","traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}},` +
		`{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"t"}}` + list + `]}`)
}

const slices2 = `,{"ph":"X","name":"a","pid":1,"tid":2,"ts":1.5,"dur":2},{"ph":"X","name":"b","pid":1,"tid":2,"ts":1.5,"dur":0.000001},{"ph":"X","name":"c","pid":1,"tid":2,"ts":3.5,"dur":0}`

func TestChrome(t *testing.T) {
	arrow := `,{"ph":"s","name":"m","cat":"m","id":7,"pid":1,"tid":2,"ts":2},{"ph":"t","name":"m","cat":"m","id":7,"pid":1,"tid":2,"ts":3},{"ph":"f","bp":"e","name":"m","cat":"m","id":7,"pid":1,"tid":2,"ts":3.4}`
	count := `,{"ph":"C","name":"n","pid":1,"ts":1,"args":{"level":3}},{"ph":"C","name":"n","pid":1,"ts":1,"args":{"level":2}}`
	trace, err := Chrome(events(slices2 + arrow + count))
	if err != nil || len(trace.Events) != 10 {
		t.Fatal(trace, err)
	}
	for wrong, want := range map[string]string{
		"]": "no trace", `,{"ph":"X","odd":1}`: "unknown field",
		`,{"ph":"X","name":"a","pid":1,"tid":2,"ts":1}`:                                         "wrong fields",
		`,{"ph":"X","name":"","pid":1,"tid":2,"ts":1,"dur":1}`:                                  "wrong fields",
		`,{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":-1}`:                                "lasts",
		`,{"ph":"X","name":"a","pid":1,"tid":2,"ts":0.0000005,"dur":1}`:                         "no time",
		`,{"ph":"X","name":"a","pid":1,"tid":2,"dur":1}`:                                        "no time",
		`,{"ph":"X","name":"a","pid":1,"tid":3,"ts":1,"dur":1}`:                                 "has no name",
		`,{"ph":"C","name":"a","pid":2,"ts":1,"args":{"n":1}}`:                                  "has no name",
		`,{"ph":"C","name":"a","pid":1,"ts":1,"args":{"n":"1"}}`:                                "counts 1",
		`,{"ph":"C","name":"a","pid":1,"ts":1}`:                                                 "counts nothing",
		count + `,{"ph":"C","name":"n","pid":1,"ts":0.5,"args":{"level":3}}`:                    "back in time",
		`,{"ph":"B","name":"a","pid":1,"tid":2,"ts":1}`:                                         "a phase that nothing writes",
		`,{"ph":"M","name":"process_name","pid":1,"args":{"name":"q"}}`:                         "a second name",
		`,{"ph":"M","name":"process_name","pid":3,"args":{}}`:                                   "names nothing",
		slices2 + `,{"ph":"X","name":"d","pid":1,"tid":2,"ts":3,"dur":1}`:                       "overlaps",
		slices2 + strings.Replace(arrow, `"ph":"s"`, `"ph":"t"`, 1):                             "step 1 of 3",
		slices2 + strings.Replace(arrow, `"ts":3.4`, `"ts":2.5`, 1):                             "step 2 of 3",
		slices2 + strings.Replace(arrow, `"ts":3.4`, `"ts":3.6`, 1):                             "no slice here",
		slices2 + strings.Replace(arrow, `"bp":"e",`, ``, 1):                                    "no slice here",
		slices2 + strings.Replace(arrow, `"name":"m","cat":"m"`, `"name":"o","cat":"m"`, 1):     "as well",
		slices2 + `,{"ph":"s","name":"m","cat":"m","id":8,"pid":1,"tid":2,"ts":2}`:              "leads nowhere",
		slices2 + `,{"ph":"s","name":"m","id":8,"pid":1,"tid":2,"ts":2}`:                        "no category",
		slices2 + `,{"ph":"s","name":"m","cat":"m","pid":1,"tid":2,"ts":2}`:                     "wrong fields",
		slices2 + arrow + strings.Replace(arrow, `"id":7`, `"id":8`, 2) + `,{"ph":"M","pid":1}`: "of something else",
	} {
		if _, err := Chrome(events(wrong)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", wrong, err, want)
		}
	}
	for _, text := range []string{"", "{}", `{"displayTimeUnit":"ns"}`, `{"traceEvents":[]}`, string(events("")) + "{}"} {
		if _, err := Chrome([]byte(text)); err == nil || !strings.Contains(err.Error(), "no trace") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// dump is a complete dump, from which wrong ones are made.
const dump = `$date today $end $timescale 1 ps $end
$scope module node_0 $end $var integer 32 ! bus $end $var string 1 n1 RFend $end $upscope $end
$var reg 1 $x on $end $var real 64 r rate $end
$enddefinitions $end
$dumpvars b0 ! sIDLE n1 x$x r1.5 r $end
#0 b101 ! 1$x
#15151 sFLIT0 n1
`

func TestVCD(t *testing.T) {
	d, err := VCD([]byte(dump))
	if err != nil || len(d.Vars) != 4 || d.Vars[1].Name != "node_0.RFend" || d.Vars[2].Type != "reg" || d.Changes != 3 || d.Last != 15151 || d.Unit != "1ps" {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, c := range [][3]string{
		{"$enddefinitions $end", "", "is no section of a header"},
		{"1 ps", "3 ps", "$timescale 3ps"},
		{"$timescale 1 ps $end", "", "without a unit"},
		{"$timescale", "$timescale 1ns $end $timescale", "$timescale 1ps"},
		{"$upscope $end", "", "ends in a scope"},
		{"$upscope", "$upscope $end $upscope", "without a scope"},
		{"module node_0", "module node 0", "$scope"},
		{"module node_0", "modul node_0", "$scope"},
		{"module node_0", "module 0_node", "$scope"},
		{"32 ! bus", "0 ! bus", "$var"},
		{"32 ! bus", "32 ! b>us", "$var"},
		{"32 ! bus", "32 bus", "$var"},
		{"integer 32", "int 32", "$var"},
		{"n1 RFend", "! RFend", "has the code ! of"},
		{"n1 RFend", "n1 bus", "two variables"},
		{"$dumpvars b0 ! sIDLE n1 x$x r1.5 r $end", "", "before the initial values"},
		{"#0 b101 ! 1$x\n#15151 sFLIT0 n1\n", "1$x", "before a time"},
		{"sIDLE n1", "", "0 initial values of node_0.RFend"},
		{"sIDLE n1", "sIDLE n1 sIDLE n1", "2 initial values"},
		{"$end\n#0", "$end $dumpvars $end\n#0", "initial values again"},
		{"#15151", "#0", "time #0 after 0"},
		{"#15151", "#-1", "time #-1"},
		{"b101 !", "b" + strings.Repeat("1", 33) + " !", "integer of 32 bits"},
		{"b101 !", "b1021 !", "a value b1021"},
		{"b101 !", "b-1 !", "a value b-1"},
		{"b101 !", "1!", "a value 1!"},
		{"b101 !", "s1 !", "a value s1"},
		{"b101 !", "r1 !", "a value r1"},
		{"b101 !", "q1 !", "a value q1"},
		{"b101 !", "b101 ?", "is not declared"},
		{"sFLIT0 n1", "bFLIT0 n1", "a value bFLIT0"},
		{"sFLIT0 n1", "sFLIT0", "too early"},
		{"r1.5 r $end", "r1.5 r", "is not declared"},
		{"$date today $end", "$date today", "without variables"},
	} {
		if !strings.Contains(dump, c[0]) {
			t.Errorf("the dump has no %q", c[0])
		}
		if _, err := VCD([]byte(strings.Replace(dump, c[0], c[1], 1))); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q instead of %q: %v; want %s", c[1], c[0], err, c[2])
		}
	}
	for name, good := range map[string]bool{"x.vcd": true, "x.json": false, "x": false} {
		if err := Check(name, []byte(dump)); (err == nil) != good {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := VCD([]byte("$timescale 1ps")); err == nil {
		t.Error("a dump without an end")
	}
	if _, err := VCD([]byte(strings.Split(dump, "$dumpvars")[0])); err == nil || !strings.Contains(err.Error(), "no initial values") {
		t.Error(err)
	}
}
