package wire_test

import (
	"reflect"
	"testing"

	"atoll/engine/sandbox/boot/wire"
)

func sampleJob() *wire.Job {
	return &wire.Job{
		Rung: 2, Stage: "/s", Base: "/b", Hidden: []string{"h"}, ReadOnly: true, NoOverlay: true, Launcher: "/e", MaskProc: true,
		Command: wire.Command{Args: []string{"a", "", "c\x00\n"}, Env: []string{"A=1"}, Dir: "d", Nice: 13, Slack: 14},
		Limits:  wire.Limits{Wall: 4, Grace: 5, CPU: 6, Memory: 7, Disk: 8, Procs: 9, PidMax: 12, ProcLimit: true},
		Net:     wire.Net{Own: true, Gateway: "/g", Port: 10},
		Take: wire.Take{
			Result: "r", ResultMax: 1, Product: "a/b", ProductMax: 9, Changes: true, FileMax: 2, TotalMax: 3, Skip: []string{"s"},
		},
		Delta: []wire.Change{{Path: "x\xff", Mode: 0o100644, Data: []byte("data")}, {Path: "gone", Data: []byte{}}},
		Seals: []wire.Pair{{A: "a", B: "/b"}},
		Mounts: []wire.Mount{
			{Host: "/h", At: "/a", Write: true, Private: true}, {Host: "/d", At: "/d", Device: true, Overlay: true, Optional: true},
		},
		Links: []wire.Pair{{A: "/l", B: "t"}}, Texts: []wire.File{{Path: "/t", Mode: 0o444, Data: []byte("x")}},
		Files:  []wire.File{{Path: "f", Mode: 1, Data: []byte("y")}},
		Filter: []byte{1, 2, 3}, Narrow: []byte{4}, ABI: 11, Fence: wire.FenceTrace, Resident: true, Guest: true,
	}
}

// empty lists the fields of a struct, and of the structs in it, that are zero.
func empty(v reflect.Value) (names []string) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if f.Kind() == reflect.Struct {
			for _, sub := range empty(f) {
				names = append(names, name+"."+sub)
			}
		} else if f.IsZero() {
			names = append(names, name)
		}
	}
	return names
}

func TestMessagesComeBackAsTheyWere(t *testing.T) {
	var j wire.Job
	want := sampleJob()
	if err := wire.Decode(wire.Encode(want), &j); err != nil || !reflect.DeepEqual(&j, want) {
		t.Errorf("job %+v, %v\nwant %+v", j, err, want)
	}
	if names := empty(reflect.ValueOf(*want)); names != nil {
		t.Errorf("the sample leaves %q empty: a field that is not coded would not be seen", names)
	}
	rep := wire.Report{
		Err: "e", Exit: 1, Signal: 2, TimedOut: true, Limits: []string{"wall"}, Violations: []string{"v"}, Wall: 3, CPU: 4,
		MaxRSS: 5, Result: []byte("r"), HasResult: true, Product: []byte("p"), HasProduct: true, Changes: []wire.Change{{Path: "p", Mode: 1, Data: []byte("d")}}, Refused: []string{"f"}, Copied: true,
	}
	var back wire.Report
	if err := wire.Decode(wire.Encode(&rep), &back); err != nil || !reflect.DeepEqual(back, rep) {
		t.Errorf("report %+v, %v\nwant %+v", back, err, rep)
	}
	if names := empty(reflect.ValueOf(rep)); names != nil {
		t.Errorf("the sample leaves %q empty", names)
	}
}

func FuzzDamagedMessagesAreRefused(f *testing.F) {
	f.Add(wire.Encode(sampleJob()))
	f.Add(wire.Encode(&wire.Report{Err: "x"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var j wire.Job
		if err := wire.Decode(data, &j); err == nil {
			if again := wire.Encode(&j); string(again) != string(data) && len(again) != len(data) {
				t.Errorf("decoded %d bytes, encoded %d", len(data), len(again))
			}
		}
		var r wire.Report
		_ = wire.Decode(data, &r)
		_ = wire.Decode(data, new(wire.Policy))
		_ = wire.Decode(data, new(wire.Launch))
	})
}

func TestCutMessagesAreRefused(t *testing.T) {
	whole := wire.Encode(sampleJob())
	for n := range whole {
		if err := wire.Decode(whole[:n], new(wire.Job)); err == nil {
			t.Fatalf("a message cut after %d of %d bytes was accepted", n, len(whole))
		}
	}
	if err := wire.Decode(append(whole, 0), new(wire.Job)); err == nil {
		t.Error("a message with a byte too many was accepted")
	}
}
