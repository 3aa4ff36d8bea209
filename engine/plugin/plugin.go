package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"atoll/store/whole"

	"aead.dev/minisign"
)

// Plugin is a plug-in whose files are as its manifest says.
type Plugin struct {
	Manifest
	Dir  string // absolute
	Hash string // sha256 of the manifest, in hexadecimal; it covers every file
	raw  []byte // the manifest
	sig  []byte // nil: not signed
}

// maxManifest bounds a manifest and its signature.
const maxManifest = 4 << 20

// Read reads a plug-in and compares its files with its manifest. It says nothing
// about trust: see [Open].
func Read(dir string) (*Plugin, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the plug-in: %w", err)
	}
	p := &Plugin{Dir: dir}
	if p.raw, err = whole.Read(filepath.Join(dir, ManifestName), maxManifest); err != nil {
		return nil, fmt.Errorf("%w: %w; name the folder that holds %s", ErrManifest, err, ManifestName)
	}
	if p.Manifest, err = parseManifest(p.raw); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(p.raw)
	p.Hash = hex.EncodeToString(sum[:])
	have, err := sums(dir)
	if err != nil {
		return nil, err
	}
	if err := p.compare(have); err != nil {
		return nil, err
	}
	p.sig, err = whole.Read(filepath.Join(dir, SignatureName), maxManifest)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	if p.sig != nil {
		var s minisign.Signature
		if err := s.UnmarshalText(p.sig); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrSignature, SignatureName, err)
		}
	}
	return p, nil
}

// Open reads a plug-in that the person whose environment this is trusts. Errors are
// those of [Read], and ErrTrust with what to do.
func Open(dir string, getenv func(string) string) (*Plugin, error) {
	p, err := Read(dir)
	if err != nil {
		return nil, fmt.Errorf("plug-in %s: %w", dir, err)
	}
	t, err := OpenTrust(getenv)
	if err != nil {
		return nil, err
	}
	if err := t.Allows(p); err != nil {
		return nil, fmt.Errorf("plug-in %s: %w", p.Name, err)
	}
	return p, nil
}

// OpenAs is [Open] for one of the given kinds.
func OpenAs(dir string, getenv func(string) string, kinds ...Kind) (*Plugin, error) {
	p, err := Open(dir, getenv)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(kinds, p.Kind) {
		return nil, fmt.Errorf("%w: plug-in %s is of kind %s; here goes %s", ErrManifest, p.Name, p.Kind, join(kinds))
	}
	return p, nil
}

// Signed returns the id of the key that signed, "" without a signature.
func (p *Plugin) Signed() string {
	var s minisign.Signature
	if p.sig == nil || s.UnmarshalText(p.sig) != nil {
		return ""
	}
	return keyID(s.KeyID)
}

// keyID is how minisign writes the id of a key.
func keyID(id uint64) string { return fmt.Sprintf("%016X", id) }
