package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/eval/lint"
)

// tree has sort.c, solution.py, cases.txt, Makefile, packages and a tool of the candidate, protected scripts,
// and a file that the gate lets nobody change.
var tree = lint.Tree{
	Has: func(p string) bool {
		return p == "sort.c" || p == "solution.py" || p == "helper.py" || p == "Makefile" || p == "cases.txt" || p == "fixed.txt" ||
			p == "kit/__init__.py" || p == "plain/core.py" || p == "tools/beside.py"
	},
	Fixed: func(p string) bool { return p == "fixed.txt" },
	Protected: func(p string) bool {
		return p == "helper.py" || p == "check.c" || p == "check.sh" || strings.HasPrefix(p, "evaluator/")
	},
}

func TestEvaluatorsThatLendTheirRightsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, script, text string
		line               int    // 0: nothing is found
		says               string // of the finding
	}{
		{"a compiler reads what the source names", "measure.sh", "set -e\ncc -O2 -o sort sort.c\n", 2, "compiles sort.c"},
		{"under a wrapper, too", "measure.sh", "timeout 10 env CC=x gcc sort.c\n", 1, "compiles sort.c"},
		{"what was built is run", "measure.sh", "./sort < cases > out\n", 1, "./sort runs"},
		{"its time is taken", "measure.sh", "time ./sort < cases > out\n", 1, "./sort runs"},
		{"an interpreter is given the candidate's file", "measure.sh", "out=$(python3 -I solution.py)\n", 1, "python3 runs solution.py"},
		{"make does what the tree says", "measure.sh", "make all\n", 1, "make runs what the tree says"},
		{"pytest imports the candidate", "measure.sh", "python3 -m pytest -q\n", 1, "pytest"},
		{"its standard output is the result", "measure.sh", "\"$ATOLL_RUN\" ./sort > \"$ATOLL_RESULT\"\n", 1, "becomes the result"},
		{"its own time is put into JSON as it is", "measure.sh", "ms=$(\"$ATOLL_RUN\" ./sort)\nprintf '{\"metrics\": {\"ms\": %s}}' \"$ms\" > \"$ATOLL_RESULT\"\n", 2, "$ms"},
		{"by echo", "measure.sh", "ms=`$ATOLL_RUN ./sort | tail -1`\necho \"{\\\"ms\\\": $ms}\" > $ATOLL_RESULT\n", 2, "$ms"},
		{"a shell script without an ending", "measure", "#!/bin/bash\ncc sort.c\n", 2, "compiles"},
		{"Python imports the candidate", "evaluate.py", "import json\nimport solution\n", 2, "imports solution"},
		{"Python executes it", "evaluate.py", "exec(open('solution.py').read())\n", 1, "loads code"},
		{"Python starts it", "evaluate.py", "import subprocess\nsubprocess.run(['python3', 'solution.py'])\n", 2, "python3 runs solution.py"},
		{"what it prints is put into JSON on the way", "measure.sh", "echo \"{\\\"t\\\": $(\"$ATOLL_RUN\" ./s)}\" > $ATOLL_RESULT\n", 1, "copied into the result"},
		{"tee writes it", "measure.sh", "\"$ATOLL_RUN\" ./s | tee \"$ATOLL_RESULT\"\n", 1, "becomes the result"},
		{"a pipe of copies ends there", "measure.sh", "\"$ATOLL_RUN\" ./s | sort | tail -1 > \"$ATOLL_RESULT\"\n", 1, "becomes the result"},
		{"between braces", "measure.sh", "{ printf '{\"t\": '; $ATOLL_RUN ./s; printf '}'; } > \"$ATOLL_RESULT\"\n", 1, "becomes the result"},
		{"by a file and cp", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\ncp \"${TMPDIR}/o\" $ATOLL_RESULT\n", 2, "becomes the result"},
		{"by a file and cat", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\ncat < $TMPDIR/o > $ATOLL_RESULT\n", 2, "becomes the result"},
		{"by a file and a variable", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\nt=$(tail -1 $TMPDIR/o)\necho \"{\\\"t\\\": $t}\" > $ATOLL_RESULT\n", 3, "$t"},
		{"a shell reads the candidate's file", "measure.sh", ". ./sol.py\n", 1, ". runs ./sol.py"},
		{"bash does, too", "measure.sh", "source ./x\n", 1, "source runs ./x"},
		{"go test runs the tests of the tree", "measure.sh", "cd cmd\ngo test ./...\n", 2, "go test runs"},
		{"what was built into the shared scratch is run", "measure.sh", "\"$ATOLL_RUN_DIR/s\" < cases\n", 1, "$ATOLL_RUN_DIR runs"},
		{"go tests that are only built are compiled here", "quick.sh", "go test -c -o t ./packing\n$ATOLL_RUN ./t\n", 1, "go test compiles the candidate's packages"},
		{"go tests whose run alone is launched, too", "quick.sh", "go test -exec \"$ATOLL_RUN\" ./...\n", 1, "go test compiles"},
		{"without C there is assembly, which includes files as well", "quick.sh", "export CGO_ENABLED=0\ngo build ./...\n", 2, "go build compiles"},
		{"in another folder", "quick.sh", "go -C cmd build\n", 1, "go build compiles"},
		{"go run runs what the tree says", "quick.sh", "go run ./cmd/bench\n", 1, "go run runs"},
		{"cmake runs what the tree says when it configures", "build.sh", "cmake -S . -B build\n", 1, "cmake runs what the tree says"},
		{"a package of npm has scripts", "build.sh", "npm ci\n", 1, "npm ci runs what the tree says"},
		{"pip builds what is in a folder", "build.sh", "pip install --no-index .\n", 1, "pip install runs what . says"},
		{"as a module of Python, too", "build.sh", "python3 -m pip install -r requirements.txt\n", 1, "runs what requirements.txt says"},
		{"a setup script", "build.sh", "python3 setup.py build_ext --inplace\n", 1, "python3 runs setup.py"},
		{"cargo check runs build scripts", "build.sh", "cargo check\n", 1, "cargo check runs"},
		{"a module of the tree is run by its name", "measure.sh", "python3 -m solution --fast\n", 1, "python3 -m solution"},
		{"a profiler runs the candidate's file", "measure.sh", "python3 -m cProfile solution.py\n", 1, "python3 runs solution.py"},
		{"a measure of coverage, too", "measure.sh", "python3 -m coverage run solution.py\n", 1, "python3 runs solution.py"},
		{"a program on the command line imports the candidate", "measure.sh", "python3.12 -c 'import json; import solution; print(solution.f())'\n", 1, "imports solution"},
		{"a shell in a shell", "measure.sh", "bash -c './sort < cases'\n", 1, "./sort runs"},
		{"an interpreter reads it as its input", "measure.sh", "python3 < solution.py\n", 1, "python3 runs solution.py"},
		{"a version of a compiler for another machine", "measure.sh", "x86_64-linux-gnu-gcc-13 sort.c\n", 1, "compiles sort.c"},
		{"a file of options", "measure.sh", "cc @flags\n", 1, "compiles flags"},
		{"find runs a compiler", "measure.sh", "find . -name '*.c' -exec cc -c {} +\n", 1, "find runs cc"},
		{"awk runs the candidate's program", "measure.sh", "awk -f policy.awk cases\n", 1, "awk runs policy.awk"},
		{"what the candidate printed is evaluated", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\neval \"$x\"\n", 2, "eval runs what the candidate printed"},
		{"what it left is sourced", "measure.sh", "$ATOLL_RUN ./s\n. \"$ATOLL_RUN_DIR/env\"\n", 2, "$ATOLL_RUN_DIR"},
		{"Python evaluates what was printed", "evaluate.py", "import os\nx = eval(out)\n", 2, "eval loads code"},
		{"Python loads a module from a path", "evaluate.py", "import importlib.util\ns = importlib.util.spec_from_file_location('m', path)\n", 2, "spec_from_file_location loads code"},
		{"Python loads a library", "evaluate.py", "import ctypes\nlib = ctypes.CDLL('./libsort.so')\n", 2, "CDLL loads code"},
		{"Python thaws what was pickled", "evaluate.py", "import pickle\nx = pickle.load(open(p, 'rb'))\n", 2, "pickle.load calls what the bytes name"},
		{"Python gives a list of words", "evaluate.py", "import subprocess\nsubprocess.run([\n    'go', 'test', '-c',\n    './packing',\n], check=True)\n", 2, "go test compiles"},
		{"Python starts a build", "evaluate.py", "import subprocess\nsubprocess.check_call(['make', '-C', tree])\n", 2, "make runs"},
		{"go build reads what C in the tree names", "measure.sh", "go build -o s .\n", 1, "go build compiles"},
		{"go vet does, too", "measure.sh", "go vet ./...\n", 1, "go vet compiles"},
		{"go install does", "measure.sh", "timeout 9 go install ./cmd/...\n", 1, "go install compiles"},
		{"go generate runs what the tree says", "measure.sh", "go generate ./...\n", 1, "go generate runs"},
		{"tar takes symlinks along", "measure.sh", "tar -cf $TMPDIR/o.tar -C \"$ATOLL_RUN_DIR\" out\n", 1, "symlink"},
		{"tar follows them with the evaluator's rights", "measure.sh", "tar -chf $TMPDIR/o.tar solution\n", 1, "follows symlinks"},
		{"rsync takes them along", "measure.sh", "rsync -a \"$ATOLL_RUN_DIR/out/\" $TMPDIR/\n", 1, "symlink"},
		{"rsync follows them", "measure.sh", "rsync -rL solution/ $TMPDIR/\n", 1, "follows symlinks"},
		{"cp -r takes symlinks along", "measure.sh", "cp -r \"$ATOLL_RUN_DIR/out\" \"$TMPDIR\"\n", 1, "symlink"},
		{"mv does, too", "measure.sh", "mv $ATOLL_RUN_DIR/out $TMPDIR/out\n", 1, "symlink"},
		{"Python gives a shell a compiler", "evaluate.py", "import os\nos.system(\"gcc sort.c\")\n", 2, "gcc compiles sort.c"},
		{"by another name", "evaluate.py", "from subprocess import check_output as c\nc(\"cc -o s sort.c\", shell=True)\n", 2, "cc compiles sort.c"},
		{"by another name of the module", "evaluate.py", "import subprocess as sp\nsp.run(['gcc', 'sort.c'])\n", 2, "gcc compiles sort.c"},
		{"Python imports a package of the tree", "bench.py", "import time\nfrom kit.core import words as w\nimport kit\n", 3, "imports kit,"},
		{"Python imports from a package", "bench.py", "from kit import words\n", 1, "imports kit,"},
		{"Python imports a module from a folder", "bench.py", "import sys\nfrom plain import (other, core)\n", 2, "imports plain.core,"},
		{"Python imports what lies beside the script", "tools/bench.py", "import beside\n", 1, "imports beside,"},
		{"Python imports by a function", "evaluate.py", "import importlib\nm = importlib.import_module(\"solution\")\n", 2, "imports solution"},
		{"Python imports several", "evaluate.py", "import json, solution\n", 1, "imports solution"},

		{"a test of bash computes what was printed", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nif [[ $x -gt 3 ]]; then exit 1; fi\n", 2, "is computed"},
		{"by its name alone", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\n[[ x -lt 3 ]] || exit 1\n", 2, "is computed"},
		{"a command of arithmetic does", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\n(( x > 3 )) && exit 1\n", 2, "is computed"},
		{"an expansion of arithmetic does", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nms=$((x / 1000))\n", 2, "is computed"},
		{"with a dollar", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nms=$(( 10#$x / 1000 ))\n", 2, "is computed"},
		{"what is printed there", "measure.sh", "ms=$(( $(\"$ATOLL_RUN\" ./s) / 1000 ))\n", 1, "is computed"},
		{"let does", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nlet y=x+1\n", 2, "is computed"},
		{"a loop that counts does", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nfor ((i = 0; i < x; i++)); do :; done\n", 2, "is computed"},
		{"declare -i does", "measure.sh", "declare -i n=$(\"$ATOLL_RUN\" ./s)\n", 1, "is computed"},
		{"a variable that was declared so does", "measure.sh", "declare -i n\nn=$(\"$ATOLL_RUN\" ./s)\n", 2, "is computed"},
		{"a subscript is computed", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\necho \"${list[$x]}\"\n", 2, "is computed"},
		{"a subscript that is set", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nlist[x]=1\n", 2, "is computed"},
		{"an offset is computed", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\necho \"${list:$x:2}\"\n", 2, "is computed"},
		{"read from a file of what was printed", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\nread x < $TMPDIR/o\n(( x > 3 ))\n", 3, "is computed"},
		{"read from a pipe", "measure.sh", "$ATOLL_RUN ./s | while read -r a b; do (( sum += b )); done\n", 1, "is computed"},
		{"read from a file that bash opens", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\nx=$(< $TMPDIR/o)\n[[ $x -eq 1 ]]\n", 3, "is computed"},
		{"read from a stream", "measure.sh", "read x < <(\"$ATOLL_RUN\" ./s)\n(( x ))\n", 2, "is computed"},
		{"read from a text", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nread a b <<< \"$x\"\n(( a ))\n", 3, "is computed"},
		{"handed on", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\ny=${x%%.*}\n(( y ))\n", 3, "is computed"},
		{"a function's own", "measure.sh", "f() { local x=$(\"$ATOLL_RUN\" ./s); (( x )); }\n", 1, "is computed"},
		{"printf -v takes a name", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nprintf -v \"$x\" %s 1\n", 2, "name of a variable for printf"},
		{"unset takes a name", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nunset \"$x\"\n", 2, "name of a variable for unset"},
		{"declare takes a name", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\ndeclare \"$x=1\"\n", 2, "names what is declared"},
		{"a shell is given it in its program", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nsh -c \"echo $x\"\n", 2, "part of the program that sh runs"},
		{"Python is", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\npython3 -c \"print($x)\"\n", 2, "part of the program that python3 runs"},
		{"awk is given it as its program", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nawk \"BEGIN { print $x }\"\n", 2, "part of the program that awk runs"},
		{"sed is", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nsed \"s/a/$x/\" list\n", 2, "part of the program that sed runs"},
		{"jq is", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\njq -n \"{ms: $x}\" > list\n", 2, "part of the program that jq runs"},
		{"sed executes what it reads", "measure.sh", "\"$ATOLL_RUN\" ./s | sed \"s/^/echo /e\"\n", 1, "flag e"},
		{"a shell reads it", "measure.sh", "\"$ATOLL_RUN\" ./s | sh\n", 1, "sh runs what the candidate printed"},
		{"a shell is given the file", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\nbash $TMPDIR/o\n", 2, "bash runs what the candidate printed"},
		{"it is sourced from a file", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\nsource \"$TMPDIR/o\"\n", 2, "source runs what the candidate printed"},
		{"it is sourced from a stream", "measure.sh", "source <(\"$ATOLL_RUN\" ./s)\n", 1, "source runs what the candidate printed"},
		{"xargs gives it to a shell", "measure.sh", "\"$ATOLL_RUN\" ./s | xargs sh -c\n", 1, "xargs has sh"},
		{"in its script", "measure.sh", "\"$ATOLL_RUN\" ./s | xargs -I{} sh -c 'echo {}'\n", 1, "xargs has sh"},
		{"xargs deletes what it names", "measure.sh", "\"$ATOLL_RUN\" ./s | xargs rm -f\n", 1, "xargs has rm"},
		{"it is run as a command", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\n$x --fast\n", 2, "is run as a command"},
		{"find runs it", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nfind . -exec $x {} +\n", 2, "part of what find runs"},
		{"rm deletes what it names", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nrm -rf $x\n", 2, "names what rm changes"},
		{"between quotes, too", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nrm -rf -- \"$x\"\n", 2, "names what rm changes"},
		{"it names what is written", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\necho 1 > \"$x\"\n", 2, "names the file that is written"},

		{"what the candidate is asked is a file that candidates may change", "measure.sh", "\"$ATOLL_RUN\" ./s < cases.txt > \"$TMPDIR/out\"\n", 1, "is given cases.txt"},
		{"by a pipe", "measure.sh", "sort cases.txt | \"$ATOLL_RUN\" ./s > \"$TMPDIR/out\"\n", 1, "is given cases.txt"},
		{"the answer is compared with one", "measure.sh", "\"$ATOLL_RUN\" ./s > \"$TMPDIR/out\"\ncmp cases.txt \"$TMPDIR/out\"\n", 2, "compares what the candidate printed with cases.txt"},
		{"with what is made of one", "measure.sh", "\"$ATOLL_RUN\" ./s > \"$TMPDIR/out\"\nsort -n cases.txt | cmp - \"$TMPDIR/out\"\n", 2, "compares what the candidate printed with cases.txt"},
		{"on its way", "measure.sh", "\"$ATOLL_RUN\" ./s | diff - cases.txt\n", 1, "compares what the candidate printed with cases.txt"},
		{"in the folder that both share", "measure.sh", "diff -q ./cases.txt \"$ATOLL_RUN_DIR/out\"\n", 1, "compares what the candidate printed with ./cases.txt"},

		{"what is compared with is protected, fixed by the gate, or the evaluator's own", "measure.sh", "\"$ATOLL_RUN\" ./s < helper.py > \"$TMPDIR/out\"\ncmp fixed.txt \"$TMPDIR/out\"\ndiff \"$ATOLL_EVAL_DIR/want\" \"$TMPDIR/out\"\n\"$ATOLL_RUN\" ./s < \"$TMPDIR/in\"\n", 0, ""},
		{"what a candidate wrote is compared with the evaluator's own", "measure.sh", "cmp cases.txt \"$ATOLL_EVAL_DIR/want\"\n\"$ATOLL_RUN\" ./s cases.txt\n", 0, ""},
		{"its text is looked at before it is computed", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\ncase $x in ''|*[!0-9]*) exit 1;; esac\nms=$((x / 1000))\n[[ $x -gt 3 ]]\n", 0, ""},
		{"by an expression of bash", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\n[[ $x =~ ^[0-9]+$ ]] || exit 1\n(( x > 3 ))\n", 0, ""},
		{"by grep", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\necho \"$x\" | grep -qE '^[0-9]+$' || exit 1\n(( x > 3 ))\n", 0, ""},
		{"all but digits is left out", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nn=${x//[!0-9]/}\n(( n > 3 ))\ny=$($ATOLL_RUN ./s | tr -dc 0-9)\n(( y ))\n", 0, ""},
		{"a test that computes nothing", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\n[ \"$x\" -gt 3 ] && exit 1\nprintf %d \"$x\"\necho \"${#x}\" $((${#x} + 1))\n", 0, ""},
		{"the evaluator's own numbers", "measure.sh", "a=$(date +%s)\nn=3\n(( a > n )) && [[ $a -gt $n ]]\ndeclare -i m=$a\nrm -rf \"$TMPDIR/x\"\nlist[n]=1\nsh -c \"echo $a\"\n", 0, ""},
		{"it is handed over as data", "measure.sh", "x=$(\"$ATOLL_RUN\" ./s)\nawk -v x=\"$x\" 'BEGIN { print x }'\njq -n --arg x \"$x\" '{ms: ($x | tonumber)}' > list\nsh -c 'echo \"$1\"' _ \"$x\"\npython3 \"$ATOLL_EVAL_DIR/check.py\" \"$x\"\n", 0, ""},
		{"xargs hands it over as data", "measure.sh", "\"$ATOLL_RUN\" ./s | xargs sh -c 'echo \"$@\"' _\n\"$ATOLL_RUN\" ./s | xargs -n1 echo\n", 0, ""},
		{"sed and awk read it", "measure.sh", "\"$ATOLL_RUN\" ./s | sed -e s/e/x/ -e 2d | awk '{n += $1} END {print n}'\n", 0, ""},
		{"what was compared is counted", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\ncmp want $TMPDIR/o\nread x < $TMPDIR/o\n(( x ))\n", 0, ""},
		{"lines are counted", "measure.sh", "n=$(\"$ATOLL_RUN\" ./s | wc -l)\n(( n > 3 ))\n", 0, ""},
		{"what was printed is compared, then copied", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\ncmp want $TMPDIR/o\ncp $TMPDIR/o $ATOLL_RESULT\n", 0, ""},
		{"what was printed is counted", "measure.sh", "n=$($ATOLL_RUN ./s | wc -l)\necho \"{\\\"n\\\": $n, \\\"m\\\": $($ATOLL_RUN ./s | wc -c)}\" > $ATOLL_RESULT\n", 0, ""},
		{"a checker reads it", "measure.sh", "$ATOLL_RUN ./s | python3 \"$ATOLL_EVAL_DIR/check.py\" > $ATOLL_RESULT\n$ATOLL_RUN ./s | awk '{s+=$1} END {printf \"%d\", s}' > $ATOLL_RESULT\n", 0, ""},
		{"the evaluator's own files are copied", "measure.sh", "$ATOLL_RUN ./s > $TMPDIR/o\npython3 \"$ATOLL_EVAL_DIR/c.py\" $TMPDIR/o > $TMPDIR/r\ncp $TMPDIR/r $ATOLL_RESULT\n", 0, ""},
		{"the launcher's time alone is taken", "measure.sh", "t=$($ATOLL_RUN ./s > $TMPDIR/o; date +%s)\necho \"$t\" > $ATOLL_RESULT\n", 0, ""},
		{"go tests are built and run by the launcher", "quick.sh", "\"$ATOLL_RUN\" go test -c -o \"$ATOLL_RUN_DIR/t\" .\n\"$ATOLL_RUN\" go test ./...\n", 0, ""},
		{"the evaluator's own is built and run", "quick.sh", "go test -c ./evaluator\ngo run \"$ATOLL_EVAL_DIR/main.go\"\nmake -f \"$ATOLL_EVAL_DIR/Makefile\"\nmake -f check.sh\ncmake -S \"$ATOLL_EVAL_DIR\"\npython3 -m helper\npip install numpy\ncargo --version\ncargo fmt\n", 0, ""},
		{"what is printed by the launcher is no program", "measure.sh", "python3 -c 'import json, sys; print(1)' < \"$TMPDIR/o\"\nawk -f \"$ATOLL_EVAL_DIR/x.awk\" o\nfind . -name '*.c' -exec cat {} +\neval \"$(cat \"$ATOLL_EVAL_DIR/env\")\"\n", 0, ""},
		{"Python reads plain values", "evaluate.py", "import json, ast\nx = json.loads(out)\ny = ast.literal_eval(out)\nmodel.eval()\nnp.load('x.npy')\nsubprocess.run(['python3', '-c', 'print(1)'])\nsubprocess.run(cmd, check=True)\nf(['make'])\n", 0, ""},
		{"one file is copied", "measure.sh", "cp \"$ATOLL_RUN_DIR/out\" \"$TMPDIR/out\"\ncp -rL $ATOLL_RUN_DIR/a $TMPDIR\ncp -r cases $ATOLL_RUN_DIR\n", 0, ""},
		{"an environment of the evaluator is read", "measure.sh", ". \"$ATOLL_EVAL_DIR/env\"\n. ~/venv/bin/activate\n. /etc/profile\n", 0, ""},
		{"Python gives a shell the launcher", "evaluate.py", "import os\nos.system(f\"{RUN} gcc sort.c\")\nos.system(\"$ATOLL_RUN gcc sort.c\")\nrun([RUN, '-c', \"import importlib; importlib.import_module('solution')\"])\n", 0, ""},
		{"everything behind the launcher", "measure.sh", "\"$ATOLL_RUN\" cc -o \"$ATOLL_RUN_DIR/s\" sort.c\n\"$ATOLL_RUN\" \"$ATOLL_RUN_DIR/s\" > \"$TMPDIR/out\"\n", 0, ""},
		{"the evaluator's own program is compiled", "measure.sh", "cc -o \"$TMPDIR/check\" check.c\ncc \"$dir/x.c\" /usr/share/y.c\n", 0, ""},
		{"a protected script is run", "measure.sh", "sh check.sh\n. ./check.sh\n./check.sh\n", 0, ""},
		{"the time is the evaluator's", "measure.sh", "a=$(date +%s)\n$ATOLL_RUN ./s\nms=$(( $(date +%s) - a ))\nprintf '{\"ms\": %s}' \"$ms\" > \"$ATOLL_RESULT\"\n", 0, ""},
		{"a number is asked for", "measure.sh", "n=$($ATOLL_RUN ./s)\nprintf '{\"n\": %d}' \"$n\" > \"$ATOLL_RESULT\"\n", 0, ""},
		{"what was printed is looked at", "measure.sh", "n=$($ATOLL_RUN ./s)\ncase $n in *[!0-9]*) exit 1;; esac\necho \"{\\\"n\\\": $n}\" > $ATOLL_RESULT\n", 0, ""},
		{"words in texts and comments are no commands", "measure.sh", "# cc sort.c\necho 'make all' >&2\ncat <<END\ncc sort.c\nEND\n", 0, ""},
		{"go builds the evaluator's own, and the candidate's behind the launcher", "quick.sh", "go build -o x ./evaluator\n$ATOLL_RUN go vet ./...\n\"$ATOLL_RUN\" go build -o x .\n", 0, ""},
		{"go vet without C reads no other file", "quick.sh", "CGO_ENABLED=0 go vet ./...\n", 0, ""},
		{"links are followed before they are copied, or none is", "measure.sh", "rsync --no-links $ATOLL_RUN_DIR/o/ $TMPDIR\ntar -cf $TMPDIR/t cases\n", 0, ""},
		{"Python imports its own and the library's", "evaluate.py", "import helper\nimport os.path\nfrom json import loads\n", 0, ""},
		{"Python gives a program to the launcher", "evaluate.py", "RUN = \"\"\"\nimport solution\n\"\"\"\nsubprocess.run([os.environ['ATOLL_RUN'], 'python3', '-c', RUN])\n", 0, ""},
		{"a script that no shell can read", "measure.sh", "if cc sort.c\n", 0, ""},
		{"another language", "main.go", "exec.Command(\"cc\", \"sort.c\")\n", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := lint.Check([]lint.Script{{Name: c.script, Text: c.text}}, tree)
			if c.line == 0 {
				if len(found) > 0 {
					t.Errorf("found %+v", found)
				}
				return
			}
			if len(found) == 0 || found[0].Line != c.line || !strings.Contains(found[0].What, c.says) || found[0].Cure == "" {
				t.Errorf("found %+v, want line %d: %s", found, c.line, c.says)
			}
		})
	}
}

func TestEvaluatorsThatComeWithAtollAreFine(t *testing.T) {
	var scripts []lint.Script
	top := filepath.Join("..", "..", "..", "examples")
	err := filepath.WalkDir(top, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(name, "/evaluator/") || strings.Contains(name, "/adapters/") {
			return err // adapters load candidates on purpose, and each run says so
		}
		data, err := os.ReadFile(name)
		scripts = append(scripts, lint.Script{Name: name, Text: string(data)})
		return err
	})
	if err != nil || len(scripts) < 5 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	all := lint.Tree{
		Has:       func(p string) bool { return p == "solution.py" || p == "program.py" },
		Protected: func(p string) bool { return strings.HasPrefix(p, "evaluator/") },
		GoOnly:    true, // by the scope of the one in Go
	}
	for _, f := range lint.Check(scripts, all) {
		t.Errorf("%s:%d: %s", f.Script, f.Line, f.What)
	}
}

func TestNothingOfTheTreeLiesBesideAScriptFromOutside(t *testing.T) {
	for _, outside := range []bool{false, true} {
		found := lint.Check([]lint.Script{{Name: "tools/bench.py", Text: "import beside\n", Outside: outside}}, tree)
		if (len(found) == 0) != outside {
			t.Errorf("outside %v: %v", outside, found)
		}
	}
}

// TestTheShortestEvaluatorOfTheDocumentationIsFine reads it where people do.
func TestTheShortestEvaluatorOfTheDocumentationIsFine(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "evaluators.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```sh\n")
	script, _, ok := strings.Cut(rest, "```")
	if !ok || !strings.Contains(script, "ATOLL_RESULT") {
		t.Fatal("the page has no script")
	}
	for _, f := range lint.Check([]lint.Script{{Name: "measure.sh", Text: script}}, tree) {
		t.Errorf("line %d: %s", f.Line, f.What)
	}
	for _, f := range []string{"\"$ATOLL_RUN\" cc", "\"$ATOLL_RUN\" \"$ATOLL_RUN_DIR/sort\""} {
		bad := strings.Replace(script, f, strings.Replace(strings.TrimPrefix(f, "\"$ATOLL_RUN\" "), "\"$ATOLL_RUN_DIR/sort\"", "./sort", 1), 1)
		if bad == script || len(lint.Check([]lint.Script{{Name: "measure.sh", Text: bad}}, tree)) == 0 {
			t.Errorf("nothing is found without %s", f)
		}
	}
}
