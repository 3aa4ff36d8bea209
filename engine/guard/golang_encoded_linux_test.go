package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// clip writes a length of time as seconds.
const clip = `package kit

import (
	"encoding/json"
	"time"
)

type Clip struct {
	Name   string
	Length time.Duration
}

func (c *Clip) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"name": c.Name, "length_in_seconds": c.Length.Seconds()})
}

func (c *Clip) UnmarshalJSON(data []byte) error {
	var raw struct {
		Name   string  ` + "`json:\"name\"`" + `
		Length float64 ` + "`json:\"length_in_seconds\"`" + `
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	c.Name, c.Length = raw.Name, time.Duration(raw.Length*float64(time.Second))
	return nil
}
`

const clipTest = `package kit

import (
	"testing"
	"time"
)

func TestClip(t *testing.T) {
	data, err := (&Clip{"tea", 2 * time.Second}).MarshalJSON()
	if err != nil || len(data) == 0 {
		t.Fatal(err)
	}
}
`

func TestWhatAGoTypeEncodesIsDecoded(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares a Go module; TestAChangeOfAGoFunctionIsFound stands for it")
	root := mustTable(t, guard.Options{Cases: 300}, mustFiles(t, map[string]string{"go.mod": "module example.com/kit\n\ngo 1.22\n", "kit.go": clip, "kit_test.go": clipTest}))
	const was = "time.Duration(raw.Length*float64(time.Second))"
	wantWhere(t, root.mustCheck(t, "kit.go", was, "time.Duration(raw.Length)*time.Second"), "kit.Clip.UnmarshalJSON")
	wantWhere(t, root.mustCheck(t, "kit.go", was, "time.Duration(float64(time.Second)*raw.Length)"))
}
