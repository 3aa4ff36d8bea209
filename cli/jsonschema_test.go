package cli

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write docs/json.schema.json anew")

const schemaFile = "../docs/json.schema.json"

func TestTheSchemaOfAllJSONIsFresh(t *testing.T) {
	want, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/json.schema.json is stale; write it anew with: go test ./cli -run Schema -update; name the change in CHANGELOG.md")
	}
}
