# The plant. Each module has dials; the nearer they are to where they belong,
# the further the module is: stage 0 at the start, 1 on its way, 2 when it is
# finished. A trap in two parts makes it hard:
#
#   - Each stage of one module costs power, because the other is not ready.
#     Climbing on power alone stays at stage 0.
#   - Two modules that are both on their way fight, and the plant stalls. So
#     neither can follow the other step by step: a finished pump and a finished
#     valve have to meet in one step.

BEGIN {
	split("speed stroke inlet prime", pump)
	split("lift delay seat spring", valve)
	belongs["speed"] = 62; belongs["stroke"] = 42; belongs["inlet"] = 56; belongs["prime"] = 44
	belongs["lift"] = 44; belongs["delay"] = 58; belongs["seat"] = 42; belongs["spring"] = 60
	start = 32    # how far the untouched module is, all dials together
	on_way = 16   # how much nearer it is at stage 1
	finished = 27 # and at stage 2
}

/^[ \t]*(#|$)/ { next }

{
	if ($2 != "=" || NF != 3) refuse("is not name = value")
	if (!($1 in belongs)) refuse("names no dial")
	if ($1 in dial) refuse("is there twice")
	if ($3 !~ /^[0-9][0-9]?$/) refuse("is no dial from 0 to 99")
	dial[$1] = $3
}

END {
	if (refused) exit 1
	p = progress(pump); v = progress(valve)
	ps = stage(p); vs = stage(v)
	if (ps == 2 && vs == 2) { power = 100 - (2 * start - p - v) / 2; state = "runs" }
	else if (ps > 0 && vs > 0) { power = 10; ps = vs = 0; state = "stalls: both modules are on their way" }
	else { power = 50 - 8 * (ps + vs) + within(p) + within(v); state = "idles" }
	printf "{\"summary\": \"the plant %s\", \"metrics\": [", state
	printf "{\"name\": \"power\", \"value\": %.2f, \"unit\": \"kW\", \"higher_is_better\": true}, ", power
	printf "{\"name\": \"pump\", \"value\": %d}, {\"name\": \"valve\", \"value\": %d}]}\n", ps, vs
}

# progress is how much nearer the dials of a module are than at the start; a
# module that went the wrong way has none.
function progress(names,    i, far) {
	far = 0
	for (i = 1; i <= 4; i++) {
		if (!(names[i] in dial)) {
			printf "refused: the dial %s is missing\n", names[i] | "cat >&2"
			exit 1
		}
		far += abs(dial[names[i]] - belongs[names[i]])
	}
	return far > start ? 0 : start - far
}

function stage(nearer) { return nearer >= finished ? 2 : nearer >= on_way ? 1 : 0 }

# within a stage, nearer is a little better.
function within(nearer) {
	return (nearer - (nearer >= finished ? finished : nearer >= on_way ? on_way : 0)) / 4
}

function abs(x) { return x < 0 ? -x : x }

function refuse(why) {
	printf "refused: %s:%d: %s %s\n", FILENAME, FNR, $0, why | "cat >&2"
	refused = 1
	exit 1
}
