package plugin

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aead.dev/minisign"

	"atoll/store/whole"
)

// Trust is what a person agreed to: keys whose plug-ins are believed, hashes of
// plug-ins without such a signature, and permissions. It lies in the person's own
// configuration folder, not in a repository.
type Trust struct {
	Keys   []Key    `json:"keys,omitempty"`
	Hashes []string `json:"hashes,omitempty"` // of manifests
	Grants []Grant  `json:"grants,omitempty"`
	path   string
}

// Key is a public key in minisign's format.
type Key struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

// Grant is the permissions that a plug-in was given, whatever its version.
type Grant struct {
	Plugin      string      `json:"plugin"`
	Signer      string      `json:"signer"` // id of the key, or the hash of an unsigned manifest
	Permissions Permissions `json:"permissions"`
}

// OpenTrust reads what the person of an environment agreed to. Without a file it
// is nothing.
func OpenTrust(getenv func(string) string) (*Trust, error) {
	base := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if home == "" {
			return nil, fmt.Errorf("find the plug-ins that you trust: neither XDG_CONFIG_HOME nor HOME is set")
		}
		base = filepath.Join(home, ".config")
	}
	t := &Trust{path: filepath.Join(base, "atoll", "plugins.json")}
	data, err := os.ReadFile(t.path)
	if os.IsNotExist(err) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(data, t)
	}
	if err != nil {
		return nil, fmt.Errorf("read the plug-ins that you trust from %s: %w; mend the file, or take it away and trust them again", t.path, err)
	}
	return t, nil
}

// Path is the file that it lies in.
func (t *Trust) Path() string { return t.path }

// Allows returns nil for a plug-in that may run: signed by a trusted key or named
// by its hash, with all that it asks for granted. Otherwise an ErrSignature or an
// ErrTrust that says what to do.
func (t *Trust) Allows(p *Plugin) error {
	if err := t.Believes(p); err != nil {
		return err
	}
	if asks := p.Permissions.List(); len(asks) > 0 && !t.granted(p) {
		return fmt.Errorf("%w: it asks for %s; `atoll plugin trust %s` shows that and asks you once", ErrTrust, strings.Join(asks, ", "), p.Dir)
	}
	return nil
}

// Believes is [Trust.Allows] whatever the permissions.
func (t *Trust) Believes(p *Plugin) error {
	if keys, err := t.keys(p.Signed()); err != nil {
		return err
	} else if len(keys) > 0 {
		_, _, err := p.Sealed(t)
		return err
	}
	if slices.Contains(t.Hashes, p.Hash) {
		return nil
	}
	if p.sig != nil {
		return fmt.Errorf("%w: it is signed by the key %s, which you do not trust: `atoll plugin trust --key FILE.pub` adds a key, `atoll plugin trust %s --hash %s` this one version", ErrTrust, p.Signed(), p.Dir, p.Hash)
	}
	return fmt.Errorf("%w: it is not signed; when you have read it: `atoll plugin trust %s --hash %s`", ErrTrust, p.Dir, p.Hash)
}

// signer is who vouches for a plug-in.
func (t *Trust) signer(p *Plugin) string {
	if id := p.Signed(); id != "" && slices.ContainsFunc(t.Keys, func(k Key) bool { return k.ID == id }) {
		return id
	}
	return p.Hash
}

func (t *Trust) granted(p *Plugin) bool {
	return slices.ContainsFunc(t.Grants, func(g Grant) bool {
		return g.Plugin == p.Name && g.Signer == t.signer(p) && p.Permissions.within(g.Permissions)
	})
}

// AddKey trusts a public key, given as the text of minisign's file or as its second
// line, and returns its id.
func (t *Trust) AddKey(text string) (string, error) {
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte(strings.TrimSpace(text))); err != nil {
		return "", fmt.Errorf("%w: this is no public key of minisign: %w", ErrTrust, err)
	}
	id := keyID(key.ID())
	if !slices.ContainsFunc(t.Keys, func(k Key) bool { return k.Key == key.String() }) {
		t.Keys = append(t.Keys, Key{ID: id, Key: key.String()})
	}
	return id, t.save()
}

// AddHash trusts one version of a plug-in by the hash of its manifest.
func (t *Trust) AddHash(hash string) error {
	if !slices.Contains(t.Hashes, hash) {
		t.Hashes = append(t.Hashes, hash)
	}
	return t.save()
}

// Grant gives a plug-in what its manifest asks for. Later versions of the same
// signer that ask for no more need not ask again.
func (t *Trust) Grant(p *Plugin) error {
	who := t.signer(p)
	t.Grants = slices.DeleteFunc(t.Grants, func(g Grant) bool { return g.Plugin == p.Name && g.Signer == who })
	t.Grants = append(t.Grants, Grant{Plugin: p.Name, Signer: who, Permissions: p.Permissions})
	return t.save()
}

// Drop takes back what names a key id, a hash or a plug-in, and reports whether
// there was something.
func (t *Trust) Drop(name string) (bool, error) {
	before := len(t.Keys) + len(t.Hashes) + len(t.Grants)
	t.Keys = slices.DeleteFunc(t.Keys, func(k Key) bool { return k.ID == name })
	t.Hashes = slices.DeleteFunc(t.Hashes, func(h string) bool { return h == name })
	t.Grants = slices.DeleteFunc(t.Grants, func(g Grant) bool { return g.Plugin == name || g.Signer == name })
	if before == len(t.Keys)+len(t.Hashes)+len(t.Grants) {
		return false, nil
	}
	return true, t.save()
}

// save writes the file whole: a reader sees the old one or the new one.
func (t *Trust) save() error {
	err := os.MkdirAll(filepath.Dir(t.path), 0o700)
	if err == nil {
		err = whole.Write(t.path, whole.Options{Sync: true}, whole.JSON(t))
	}
	if err != nil {
		return fmt.Errorf("write the plug-ins that you trust: %w", err)
	}
	return nil
}
