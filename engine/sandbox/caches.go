package sandbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Caches finds the warm caches of the named tools (go, npm, pip, cargo, or an
// absolute folder) on the host. It returns them as Spec.Caches wants them, and
// the environment that makes the tools use them, offline. What is not there is
// left out. Only caches are returned: settings and credentials that some tools
// keep beside them stay outside.
func (b *Box) Caches(ctx context.Context, names []string) ([]Mount, []string) {
	var mounts []Mount
	var env []string
	add := func(host, at string, write bool, vars ...string) {
		if fi, err := os.Stat(host); err == nil && fi.IsDir() {
			mounts = append(mounts, Mount{Host: host, At: at, Write: write, Optional: true})
			env = append(env, vars...)
		}
	}
	own, _ := os.UserHomeDir()
	for _, name := range names {
		switch name {
		case "go":
			env = append(env, "GOPROXY=off", "GOTOOLCHAIN=local", "GOTELEMETRY=off", "GOENV=off", "GOSUMDB=off")
			dirs := b.goCaches(ctx)
			add(dirs[0], CacheDir+"/go-build", true, "GOCACHE="+CacheDir+"/go-build")
			add(dirs[1], CacheDir+"/go-mod", false, "GOMODCACHE="+CacheDir+"/go-mod")
		case "npm":
			add(filepath.Join(own, ".npm", "_cacache"), CacheDir+"/npm/_cacache", true,
				"npm_config_cache="+CacheDir+"/npm", "npm_config_offline=true", "npm_config_update_notifier=false")
		case "pip":
			add(filepath.Join(cacheHome(own), "pip"), CacheDir+"/pip", true, "PIP_CACHE_DIR="+CacheDir+"/pip", "PIP_DISABLE_PIP_VERSION_CHECK=1")
		case "cargo":
			for _, sub := range []string{"registry", "git"} {
				add(filepath.Join(cargoHome(own), sub), HomeDir+"/.cargo/"+sub, true)
			}
			env = append(env, "CARGO_HOME="+HomeDir+"/.cargo", "CARGO_NET_OFFLINE=true")
		default:
			if filepath.IsAbs(name) && !b.system.covered(name) {
				add(filepath.Clean(name), filepath.Clean(name), true)
			}
		}
	}
	return mounts, slices.Compact(env)
}

// cacheHome is the folder for caches of the user.
func cacheHome(own string) string {
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(own, ".cache")
}

func cargoHome(own string) string {
	if dir := os.Getenv("CARGO_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(own, ".cargo")
}

// goCaches asks go for its build and module caches.
func (b *Box) goCaches(ctx context.Context) [2]string {
	b.tools.mu.Lock()
	defer b.tools.mu.Unlock()
	if b.tools.caches != [2]string{} {
		return b.tools.caches
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOCACHE", "GOMODCACHE")
	cmd.Dir = "/"
	out, err := cmd.Output()
	if err != nil {
		return [2]string{}
	}
	lines := strings.SplitN(strings.TrimSpace(string(out)), "\n", 2)
	if len(lines) == 2 {
		b.tools.caches = [2]string{lines[0], lines[1]}
	}
	return b.tools.caches
}
