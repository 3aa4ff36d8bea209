package sandbox

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atoll/engine/sandbox/boot/wire"
)

// secretNames are files in which programs keep keys, beside what they are for.
var secretNames = []string{
	"credentials.toml", "credentials", ".netrc", "_netrc", ".npmrc", "npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".Renviron",
}

// secretFolders hold keys as a whole.
var secretFolders = []string{".ssh", ".aws", ".azure", ".gnupg", ".docker", ".kube", ".config/gcloud", ".config/gh"}

// secretsIn lists the files with keys in those of the system's folders that every
// sandbox sees: in homes that lie there (of cargo and rustup, of /etc/passwd, this
// user's) and in the folders directly below /usr, /usr/local and their like.
func secretsIn(s *system) []string {
	var homes []string
	for _, name := range []string{"HOME", "CARGO_HOME", "RUSTUP_HOME"} {
		homes = append(homes, os.Getenv(name))
	}
	users, _ := os.ReadFile("/etc/passwd")
	for line := range strings.Lines(string(users)) {
		if fields := strings.Split(line, ":"); len(fields) > 5 {
			homes = append(homes, fields[5])
		}
	}
	for _, dir := range []string{"/usr", "/usr/home", "/usr/local", "/usr/local/home", "/usr/local/lib", "/usr/local/share"} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			homes = append(homes, filepath.Join(dir, e.Name()))
		}
	}
	var list []string
	seen := map[string]bool{}
	for _, home := range homes {
		real, err := filepath.EvalSymlinks(home)
		if err != nil || !filepath.IsAbs(real) || seen[real] || !s.covered(real) {
			continue
		}
		seen[real] = true
		list = append(list, secretsAt(real)...)
		list = append(list, secretsAt(filepath.Join(real, ".cargo"))...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// secretsAt lists the files with keys of one home.
func secretsAt(home string) []string {
	var list []string
	for _, name := range secretNames {
		path := filepath.Join(home, name)
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
			list = append(list, path)
		}
	}
	for _, name := range []string{"config.toml", "config"} { // of cargo, where a key may stand, too
		path := filepath.Join(home, name)
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("token")) {
			list = append(list, path)
		}
	}
	for _, name := range secretFolders {
		_ = filepath.WalkDir(filepath.Join(home, name), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				list = append(list, path)
			}
			return nil
		})
	}
	return list
}

// covers lay an empty file over each of the files with keys.
func covers(secrets []string) []wire.Mount {
	var list []wire.Mount
	for _, path := range secrets {
		list = append(list, wire.Mount{Host: "/dev/null", At: path, Device: true, Optional: true})
	}
	return list
}

// around is a folder without the files with keys in it: where there are some, what
// lies beside them, one by one. Links are left out, for a rule would follow them.
func around(m wire.Mount, secrets []string) []wire.Mount {
	if slices.Contains(secrets, m.Host) {
		return nil
	}
	if !slices.ContainsFunc(secrets, func(path string) bool { return inside(path, m.Host) }) {
		return []wire.Mount{m}
	}
	var list []wire.Mount
	entries, _ := os.ReadDir(m.Host)
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			path := filepath.Join(m.Host, e.Name())
			list = append(list, around(wire.Mount{Host: path, At: path, Optional: true}, secrets)...)
		}
	}
	return list
}
