package ssh

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"atoll/cli/door"
	"atoll/engine/view"
)

// Keys are the public keys of a file and whose they are. It is safe for concurrent
// use; a file that changed is read again, within [door.LookAgain].
type Keys struct {
	file string
	now  func() time.Time

	mu   sync.Mutex
	list map[string]door.Caller // by the key's wire form
	mod  time.Time
	size int64
	next time.Time // when the file is looked at again
}

// OpenKeys reads a file with one key a line: NAME [ROLE] KEY, where ROLE is look,
// decide or admin, look where it is left out, and KEY as in authorized_keys. Empty
// lines and those that begin with # say nothing. Others must not be able to write
// the file.
func OpenKeys(file string, now func() time.Time) (*Keys, error) {
	k := &Keys{file: file, now: now}
	return k, k.reread()
}

// Caller returns whose key it is; false where it is nobody's, or the file cannot be
// read any more.
func (k *Keys) Caller(key gossh.PublicKey) (door.Caller, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.now(); now.After(k.next) {
		k.next = now.Add(door.LookAgain)
		if k.reread() != nil {
			k.list = nil
		}
	}
	c, known := k.list[string(key.Marshal())]
	return c, known
}

func (k *Keys) reread() error {
	if err := door.Regular(k.file); err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	info, err := os.Stat(k.file)
	if err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	if info.ModTime().Equal(k.mod) && info.Size() == k.size && k.list != nil {
		return nil
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others can write %s and let themselves in: chmod go-w %s", k.file, k.file)
	}
	data, err := os.ReadFile(k.file)
	if err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	list, err := parseKeys(data, k.file)
	if err != nil {
		return err
	}
	k.list, k.mod, k.size = list, info.ModTime(), info.Size()
	return nil
}

func parseKeys(data []byte, name string) (map[string]door.Caller, error) {
	list := map[string]door.Caller{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		who, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if who == "" || strings.HasPrefix(who, "#") {
			continue
		}
		role := door.Look
		word, key, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if r, err := door.ParseRole(word); err == nil {
			role, rest = r, key
		}
		public, _, options, _, err := gossh.ParseAuthorizedKey([]byte(strings.TrimSpace(rest)))
		if err != nil || len(options) > 0 {
			return nil, fmt.Errorf("%s:%d: write NAME ROLE KEY, the key as in authorized_keys, without options", name, n)
		}
		if view.CleanLine(who) != who {
			return nil, fmt.Errorf("%s:%d: the name has characters that no screen shows", name, n)
		}
		list[string(public.Marshal())] = door.Caller{Name: who, Role: role}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s names nobody: write a line NAME ROLE KEY", name)
	}
	return list, nil
}
