#!/bin/sh
# Installs the coding clients at pinned versions, each into a folder of its own:
#   install.sh PREFIX [client...]       (codex claude gemini opencode pi)
# Needs node and npm. Versions that are there already are left as they are.
set -eu
prefix=${1:?usage: install.sh PREFIX [client...]}
shift
[ $# -gt 0 ] || set -- codex claude gemini opencode pi
for client in "$@"; do
	case $client in
	codex) package=@openai/codex version=0.169.0 ;;
	claude) package=@anthropic-ai/claude-code version=2.1.328 ;;
	gemini) package=@google/gemini-cli version=0.61.0 ;;
	opencode) package=opencode-ai version=1.18.33 ;;
	pi) package=@mariozechner/pi-coding-agent version=0.73.1 ;;
	*) echo "install.sh: no client $client" >&2; exit 2 ;;
	esac
	dir=$prefix/$client
	have=$(sed -n 's/^ *"version": *"\(.*\)".*/\1/p' "$dir/node_modules/$package/package.json" 2>/dev/null | head -n 1 || true)
	if [ "$have" = "$version" ]; then
		continue
	fi
	mkdir -p "$dir"
	npm install --no-audit --no-fund --prefix "$dir" "$package@$version" >&2
done
