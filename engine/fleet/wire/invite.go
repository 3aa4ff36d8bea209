package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Invite is what a machine needs to join a fleet: where it is, who the machine
// is, and how to know the server. It holds a key and is shown to one machine
// alone.
type Invite struct {
	Address string `json:"a"` // host:port
	Fleet   string `json:"f,omitempty"`
	Name    string `json:"n"`
	Pool    string `json:"p,omitempty"`
	Seed    string `json:"s"` // of its nkey
	Server  []byte `json:"c"` // SHA-256 of the server's certificate
}

// invitePrefix begins an invite in its written form.
const invitePrefix = "atoll1."

// String is the written form: one word.
func (i Invite) String() string {
	data, _ := json.Marshal(i) // strings and bytes: nothing of it fails
	return invitePrefix + base64.RawURLEncoding.EncodeToString(data)
}

// IsInvite reports whether text is the written form of an invite, not a URL.
func IsInvite(text string) bool { return strings.HasPrefix(text, invitePrefix) }

// anyInvite begins an invite of any version, where a word begins.
var anyInvite = regexp.MustCompile(`(^|\s)atoll[0-9]+\.`)

// Pasted is what a machine is to join with, of what somebody pasted: an invite may stand in
// the whole line that was printed.
func Pasted(text string) (string, error) {
	text = strings.TrimSpace(text)
	if at := anyInvite.FindStringIndex(text); at != nil {
		if text = strings.TrimSpace(text[at[0]:]); !IsInvite(text) {
			return "", fmt.Errorf("%w: the invite is of another version of atoll; install on both machines what made it", ErrMessage)
		}
	}
	return text, nil
}

// ParseInvite reads the written form. Line breaks that a terminal put in do not
// matter.
func ParseInvite(text string) (Invite, error) {
	var i Invite
	word := strings.Join(strings.Fields(text), "")
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(word, invitePrefix))
	if err == nil {
		err = json.Unmarshal(data, &i)
	}
	if err != nil {
		return i, fmt.Errorf("%w: the invite cannot be read; copy all of the line that was printed on the machine of the run", ErrMessage)
	}
	if err := CheckName(i.Name); err != nil {
		return i, err
	}
	if i.Pool == "" {
		i.Pool = DefaultPool
	}
	return i, CheckName(i.Pool)
}

// DefaultPool is the queue of all tasks, and the pool of machines that were given none.
const DefaultPool = "any"
