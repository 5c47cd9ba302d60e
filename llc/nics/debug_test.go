package nics

import (
	"strings"
	"testing"
)

func TestParseDebug(t *testing.T) {
	everything := Debug{Requests: true, Contract: true}
	for value, want := range map[string]Debug{
		"": {}, ",": {}, "1": {Requests: true}, "requests": {Requests: true}, "contract": {Contract: true},
		"contract, requests": everything, "all": everything, "all,contract": everything,
	} {
		if got, err := ParseDebug(value); err != nil || got != want {
			t.Errorf("%q: %+v, %v", value, got, err)
		}
	}
	for _, value := range []string{"contracts", "yes", "contract,2", "contract;requests"} {
		d, err := ParseDebug(value)
		if err == nil || d != (Debug{}) || !strings.Contains(err.Error(), "there are requests, contract") {
			t.Errorf("%q: %+v, %v", value, d, err)
		}
	}
}
