package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth bounds the nesting of a result.
const maxDepth = 64

// member is one field of an object in the order it was written. value is nil,
// bool, string, json.Number, []any or object.
type member struct {
	key   string
	value any
}

type object []member

func (o object) get(key string) (any, bool) {
	for _, m := range o {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// decodeObject reads exactly one JSON object. Unlike encoding/json it refuses
// a field that is written twice and keeps the order of fields.
func decodeObject(data []byte) (object, error) {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("\xef\xbb\xbf"))
	if len(data) == 0 {
		return nil, errors.New("it is empty")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d, 0)
	if err != nil {
		return nil, explainJSON(data, int(d.InputOffset()), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object: write one object and nothing else")
	}
	o, ok := v.(object)
	if !ok {
		return nil, fmt.Errorf("it is %s, expected a JSON object", kindOf(v))
	}
	return o, nil
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested deeper than %d", maxDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return decodeMembers(d, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decodeValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	return t, nil
}

func decodeMembers(d *json.Decoder, depth int) (any, error) {
	o := object{}
	seen := make(map[string]bool)
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		if seen[key] {
			return nil, fmt.Errorf("the field %q is written twice", clip(key, 60))
		}
		seen[key] = true
		v, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o = append(o, member{key, v})
	}
	_, err := d.Token()
	return o, err
}

// explainJSON turns a syntax error into words that say what to do. at is the
// end of what could be read.
func explainJSON(data []byte, at int, err error) error {
	var syntax *json.SyntaxError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON ends in the middle: was the evaluator interrupted while writing?")
	}
	if !errors.As(err, &syntax) {
		return err
	}
	at = max(0, min(at, len(data)))
	rest := strings.TrimLeft(string(data[at:min(at+64, len(data))]), " \t\r\n:,[-+")
	for _, word := range []string{"NaN", "Infinity", "nan", "inf"} {
		if strings.HasPrefix(rest, word) {
			return fmt.Errorf("%s is no JSON number: a metric must be finite, so report such a candidate as a failure", word)
		}
	}
	if strings.HasPrefix(strings.TrimLeft(rest, "{"), "'") {
		return errors.New("JSON wants double quotes (json.dumps, not str)")
	}
	line := bytes.Count(data[:at], []byte("\n")) + 1
	return fmt.Errorf("line %d is not JSON: %s", line, OneLine(strings.TrimPrefix(err.Error(), "json: "), 120))
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return fmt.Sprintf("the text %q", clip(v, 40))
	case json.Number:
		return "the number " + clip(v.String(), 40)
	case []any:
		return "a list"
	case object:
		return "an object"
	}
	return "unknown"
}

// plainJSON writes a decoded value back, compact.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	writeJSON(&b, v)
	return b.Bytes()
}

func writeJSON(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, m.key)
			b.WriteByte(':')
			writeJSON(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, e)
		}
		b.WriteByte(']')
	default:
		text, err := json.Marshal(v)
		if err != nil {
			text = []byte("null")
		}
		b.Write(text)
	}
}
