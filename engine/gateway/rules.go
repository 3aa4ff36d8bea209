package gateway

import (
	"encoding/json"
	"fmt"
	"strings"
)

// rules are what fields with values of their own may hold. Each returns what is passed
// on, nil for nothing, or why the request is refused.
var rules = map[string]func(w *walk, at string, raw json.RawMessage) (json.RawMessage, error){
	"flag":    (*walk).flag,
	"picture": (*walk).picture,
	"blob":    (*walk).blob,
	"media":   (*walk).media,
	"file":    (*walk).file,
	"address": (*walk).address,
	"stored":  (*walk).stored,
	"own":     (*walk).own,
	"store":   (*walk).store,
}

// flag is true or false.
func (w *walk) flag(_ string, raw json.RawMessage) (json.RawMessage, error) {
	if string(raw) != "true" && string(raw) != "false" {
		return nil, nil
	}
	return raw, nil
}

// picture is one that is sent, as data: or as an object with such a url.
func (w *walk) picture(at string, raw json.RawMessage) (json.RawMessage, error) {
	var in struct {
		URL    string `json:"url"`
		Detail string `json:"detail,omitempty"`
	}
	if string(raw) == "null" {
		return raw, nil
	}
	if raw[0] != '{' {
		if json.Unmarshal(raw, &in.URL) != nil {
			return w.address(at, raw)
		}
	} else if json.Unmarshal(raw, &in) != nil {
		return w.address(at, raw)
	}
	if !begins(in.URL, "data:image/") {
		return w.address(at, raw)
	}
	w.pictures++
	if raw[0] != '{' {
		return raw, nil
	}
	return encode(in)
}

// blob are bytes in base64, counted as a picture.
func (w *walk) blob(_ string, raw json.RawMessage) (json.RawMessage, error) {
	if raw[0] != '"' {
		return nil, nil
	}
	w.pictures++
	return raw, nil
}

// media is what such bytes are: of a document's pages or a film nobody here knows how
// many there are.
func (w *walk) media(at string, raw json.RawMessage) (json.RawMessage, error) {
	var kind string
	if json.Unmarshal(raw, &kind) != nil {
		return nil, nil
	}
	if begins(kind, "image/") || begins(kind, "text/") {
		return raw, nil
	}
	return w.unbounded(at, fmt.Sprintf("a file of the kind %.40q", kind), raw)
}

// file is a file that is sent, as data: or in base64.
func (w *walk) file(at string, raw json.RawMessage) (json.RawMessage, error) {
	var s string
	if string(raw) == "null" {
		return raw, nil
	}
	if json.Unmarshal(raw, &s) != nil || !begins(s, "data:") && strings.ContainsAny(s, ":.") {
		return w.address(at, raw)
	}
	return w.unbounded(at, "a file", raw)
}

// address is content that is somewhere else: the provider would fetch it.
func (w *walk) address(at string, raw json.RawMessage) (json.RawMessage, error) {
	if string(raw) == "null" {
		return raw, nil
	}
	return nil, misfit(at, "content at an address", "what is there has no bound: send the content itself")
}

// stored is content that the provider has and the request only names.
func (w *walk) stored(at string, raw json.RawMessage) (json.RawMessage, error) {
	if string(raw) == "null" {
		return raw, nil
	}
	return w.unbounded(at, "what the provider has stored", raw)
}

// unbounded is refused where money is limited, and else told.
func (w *walk) unbounded(at, what string, raw json.RawMessage) (json.RawMessage, error) {
	if w.limited {
		return nil, misfit(at, what, "its cost has no bound, and money is limited")
	}
	w.note("%s passed on: %s, whose cost has no bound", at, what)
	return raw, nil
}

// own is the name that the provider gave to an item when it stored it. Where money is
// limited nothing is stored, and no item has one.
func (w *walk) own(_ string, raw json.RawMessage) (json.RawMessage, error) {
	if w.limited {
		return nil, nil
	}
	return plain(raw), nil
}

// store says whether the provider keeps the conversation.
func (w *walk) store(at string, raw json.RawMessage) (json.RawMessage, error) {
	if w.limited || string(raw) != "true" {
		return json.RawMessage("false"), nil
	}
	w.note("%s passed on: the provider keeps the conversation", at)
	return raw, nil
}

// begins is strings.HasPrefix in any case.
func begins(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
