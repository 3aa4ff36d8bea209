package mcp

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf describes the arguments of a tool. The bounds stand in the tags of their
// fields, where those of the interface over HTTP stand as well: enum, minLength,
// maxLength, minimum, maximum and maxItems.
func schemaOf[In any]() *jsonschema.Schema {
	of := reflect.TypeFor[In]()
	s, err := jsonschema.ForType(of, &jsonschema.ForOptions{})
	if err == nil {
		err = bound(s, of)
	}
	if err != nil {
		panic(fmt.Sprintf("the arguments %v: %v", of, err)) // a slip of this program
	}
	return s
}

// bound adds the bounds of a struct's fields to its schema.
func bound(s *jsonschema.Schema, of reflect.Type) error {
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if f.Anonymous || p == nil {
			continue
		}
		if err := boundOne(p, f.Tag); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

func boundOne(p *jsonschema.Schema, tag reflect.StructTag) error {
	for key, at := range map[string]**int{"minLength": &p.MinLength, "maxLength": &p.MaxLength, "maxItems": &p.MaxItems} {
		if text, ok := tag.Lookup(key); ok {
			n, err := strconv.Atoi(text)
			if err != nil {
				return err
			}
			*at = &n
		}
	}
	for key, at := range map[string]**float64{"minimum": &p.Minimum, "maximum": &p.Maximum} {
		if text, ok := tag.Lookup(key); ok {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			*at = &v
		}
	}
	if text, ok := tag.Lookup("enum"); ok {
		for _, word := range strings.Split(text, ",") {
			p.Enum = append(p.Enum, word)
		}
	}
	return nil
}
