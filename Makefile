# The errands of this repository. `make` builds; `make ci` is what must hold.
GO_FILES = $(shell git ls-files '*.go')

.PHONY: build test full race lint fmt gen pictures e2e bench ci release vuln

build: ## the program, here
	go build -o atoll .

test: ## those of every day, four to five minutes on two calm cores
	go test ./...

full: ## with those that are long by nature, as .ci/run does
	ATOLL_FULL=1 go test ./...

race: ## those of every day under the race detector, without what it makes too slow
	go test -race -short ./...

lint: ## format, vet, staticcheck, complexity, dead code
	.ci/lint

fmt:
	go tool gofumpt -w $(GO_FILES)

gen: ## documents and golden screens that are written from code
	go test ./config -run Reference -update
	go test ./tui -run KeysFile -update
	go test . -run Drawing -update

pictures: ## docs/screens and its list: the screens of a real run, about a minute
	go test -count=1 ./tui -run PicturesOf -update

e2e: ## the binary in a real terminal
	go test -count=1 ./cli ./cli/e2e

bench: ## what one job costs beside its agent and its evaluator
	go run . doctor --speed 20000

ci:
	.ci/run

release: ## dist/: static programs for linux amd64 and arm64
	.ci/release

vuln: ## known holes in what we depend on; asks vuln.go.dev
	go tool govulncheck .
