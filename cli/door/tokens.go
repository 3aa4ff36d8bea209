package door

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"atoll/engine/view"
)

// Tokens are the secrets of a file and who holds them. It is safe for concurrent
// use; a file that changed is read again.
type Tokens struct {
	file string
	now  func() time.Time

	mu    sync.Mutex
	list  []token
	stamp fileStamp
	next  time.Time // when the file is looked at again
}

type token struct {
	mark   TokenMark
	caller Caller
}

type fileStamp struct {
	mod  time.Time
	size int64
}

// leastToken is the length below which a secret can be guessed.
const leastToken = 16

// OpenTokens reads a file with one token a line: NAME ROLE TOKEN. Empty lines and
// those that begin with # say nothing; no two have one token, and a name has one role. It is a regular file that others cannot read.
func OpenTokens(file string, now func() time.Time) (*Tokens, error) {
	t := &Tokens{file: file, now: now}
	return t, t.read()
}

// TokenMark stands for a token without telling it.
type TokenMark [sha256.Size]byte

// MarkOf returns the mark of a secret.
func MarkOf(secret string) TokenMark { return sha256.Sum256([]byte(secret)) }

// Caller returns who holds a token now; false when nobody does. Every token takes the
// same time.
func (t *Tokens) Caller(secret string) (Caller, bool) { return t.Holder(MarkOf(secret)) }

// Holder returns who holds the token of a mark now, as [Tokens.Caller] does.
func (t *Tokens) Holder(mark TokenMark) (Caller, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); now.After(t.next) {
		t.next = now.Add(LookAgain)
		if err := t.reread(); err != nil {
			t.list = nil // a list that cannot be read lets nobody in
		}
	}
	found := Caller{}
	for i := range t.list {
		if subtle.ConstantTimeCompare(mark[:], t.list[i].mark[:]) == 1 {
			found = t.list[i].caller
		}
	}
	return found, found.Role > Nobody
}

func (t *Tokens) read() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reread()
}

func (t *Tokens) reread() error {
	if err := Regular(t.file); err != nil {
		return fmt.Errorf("read the tokens: %w", err)
	}
	f, err := os.Open(t.file)
	if err != nil {
		return fmt.Errorf("read the tokens: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read the tokens: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s: others can read it; `chmod 600 %s`", t.file, t.file)
	}
	stamp := fileStamp{info.ModTime(), info.Size()}
	if stamp == t.stamp && t.list != nil {
		return nil
	}
	list, err := parseTokens(f, t.file)
	if err != nil {
		return err
	}
	t.list, t.stamp = list, stamp
	return nil
}

// Regular refuses what cannot be read again when it changes, or would be waited for:
// a folder, a pipe, a device.
func Regular(file string) error {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file: it is read again when it changes", file)
	}
	return err
}

func parseTokens(f *os.File, name string) ([]token, error) {
	var list []token
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 3 {
			return nil, fmt.Errorf("%s:%d: write NAME ROLE TOKEN", name, n)
		}
		role, err := ParseRole(fields[1])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if len(fields[2]) < leastToken {
			return nil, fmt.Errorf("%s:%d: the token of %s is short and could be guessed; `openssl rand -hex 24` makes one", name, n, fields[0])
		}
		if view.CleanLine(fields[0]) != fields[0] {
			return nil, fmt.Errorf("%s:%d: the name has characters that no screen shows", name, n)
		}
		one := token{MarkOf(fields[2]), Caller{Name: fields[0], Role: role}}
		if i := slices.IndexFunc(list, func(t token) bool { return t.mark == one.mark }); i >= 0 {
			return nil, fmt.Errorf("%s:%d: %s has the token of %s; give each their own: `openssl rand -hex 24` makes one", name, n, fields[0], list[i].caller.Name)
		}
		if i := slices.IndexFunc(list, func(t token) bool { return t.caller.Name == fields[0] && t.caller.Role != role }); i >= 0 {
			return nil, fmt.Errorf("%s:%d: %s has the role %s already; give one name one role", name, n, fields[0], list[i].caller.Role)
		}
		list = append(list, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the tokens: %w", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s names nobody: write a line NAME ROLE TOKEN; `openssl rand -hex 24` makes a token", name)
	}
	return list, nil
}
