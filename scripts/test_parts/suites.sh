# Runs suites side by side, the tests that failed once more, and says what came of it. Read by `. scripts/test_parts/suites.sh`
# behind lib.sh. A suite NAME is the function suite_NAME of the caller, which calls run_ctest, run_pytest, or a program
# whose exit status counts as one test.
# shellcheck shell=bash

suites_at_once=3
flaky_most=5  # more tests than this that pass only in the second run fail the whole run
again_most=30 # more failed tests than this are not run again: the change is at fault, not the machine
results=${top:?}/build # where logs and results are kept
build_dir="$top/build/dev"
jobs=$(nproc)
abreast=$jobs # tests of a suite at once: with three suites all cores are busy

# Names the files that the current call of a suite leaves: its log, its JUnit file, a line "passed|failed|skipped NAME"
# for each test, and pytest's cache, which knows what failed.
name_results() {
	suite=$1 turn=$2
	log="$results/test-$suite$turn.log"
	junit="$results/test-$suite$turn.xml"
	tests="$results/test-$suite$turn.tests"
	seconds_file="$results/test-$suite$turn.seconds"
	cache="$results/test-$suite.cache"
}

# Warnings are errors in the dev build, and sanitizers are on. Both runners fail if they find no test.
run_ctest() {
	local only=(-j "$abreast")
	[ -z "$turn" ] || only=(-j 1 --rerun-failed)
	ctest --test-dir "$build_dir/tests/$1" --output-on-failure --no-tests=error --output-junit "$junit" "${only[@]}"
}

run_pytest() {
	local only=()
	[ -z "$turn" ] || only=(-n 0 --last-failed --last-failed-no-failures=none)
	CAIRND="$build_dir/server/cairnd" CAIRN_BUILD="$build_dir" "$top/.venv/bin/python3" -m pytest -q -p xdist \
		-n "$abreast" -o cache_dir="$cache" --durations=12 --junit-xml="$junit" "$@" "${only[@]}"
}

# Runs a suite; a suite without a JUnit file is one test. A suite that failed without a failed test, or had no test, has
# a failed test of its own name.
run_suite_once() {
	local began=$SECONDS status=0
	rm -f "$junit" "$tests"
	("suite_$suite") >"$log" 2>&1 || status=$?
	"$top/scripts/test_parts/junit.py" "$junit" >"$tests"
	if [ ! -s "$tests" ] && [ "$status" = 0 ] && [ ! -e "$junit" ]; then
		printf 'passed %s\n' "$suite" >"$tests"
	elif ! grep -q '^failed ' "$tests" && { [ "$status" != 0 ] || ! grep -q '^passed ' "$tests"; }; then
		printf 'failed %s\n' "$suite" >>"$tests"
	fi
	printf '%s\n' "$((SECONDS - began))" >"$seconds_file"
}

names_of() { { sed -n "s/^$1 //p" "$2" 2>/dev/null || true; } | sort -u; } # passed|failed|skipped FILE
failed_of() { names_of failed "$1"; }
count_of() { grep -c "^$1 " "$tests" || true; }

# In a process of its own, which Ctrl-C is to reach.
run_suite() {
	trap - INT
	name_results "$1" ""
	rm -rf "$cache"
	run_suite_once
	if [ "$(count_of failed)" = 0 ]; then
		row_of "$suite"
		return
	fi
	printf '%s\n' "$(row_of "$suite")" "$(failed_of "$tests" | sed "s/^/failed: $suite: /")" \
		"$(tail -n 60 "$log")" "(all of it in ${log#"$top"/})"
}

run_suites() {
	local name
	for name in "$@"; do
		rm -f "$results/test-$name".{tests,seconds} "$results/test-$name-again".{tests,seconds}
		while [ "$(jobs -pr | wc -l)" -ge "$suites_at_once" ]; do
			wait -n || true
		done
		run_suite "$name" &
	done
	wait
}

# Nothing else runs now, and the tests run one after the other.
run_again() {
	local name total
	total=$(for name in "$@"; do name_results "$name" "" && failed_of "$tests"; done | wc -l)
	[ "$total" -gt 0 ] || return 0
	if [ "$total" -gt "$again_most" ]; then
		say "$total tests failed: more than $again_most, so they are not run again"
		return
	fi
	step "once more, alone: what failed"
	for name in "$@"; do
		name_results "$name" ""
		[ -n "$(failed_of "$tests")" ] || continue
		name_results "$name" "-again"
		run_suite_once
		[ -z "$(failed_of "$tests")" ] || tail -n 100 "$log"
	done
}

# Sets twice and flaky, lists of names: a failed test is flaky if the second run says that it passed.
judge() {
	local first again
	name_results "$1" ""
	first=$(failed_of "$tests")
	again=$(names_of passed "$results/test-$1-again.tests")
	twice=$(comm -23 <(printf '%s\n' "$first") <(printf '%s\n' "$again") | sed '/^$/d')
	flaky=$(comm -12 <(printf '%s\n' "$first") <(printf '%s\n' "$again") | sed '/^$/d')
}

lines_in() { printf '%s' "$1" | grep -c '' || true; }

row_of() {
	local name=$1 twice flaky
	judge "$name"
	[ -s "$tests" ] || { printf 'failed %s\n' "$name" >"$tests" && judge "$name"; } # killed: it left nothing
	printf '%-11s %5s passed %4s failed %4s skipped %5s s\n' "$name" "$(($(count_of passed) + $(lines_in "$flaky")))" \
		"$(lines_in "$twice")" "$(count_of skipped)" "$(cat "$seconds_file" 2>/dev/null || echo 0)"
}

# Prints a row for each suite, the tests that failed twice, the flaky ones, and the counts. False if the run failed.
sum_up() {
	local name passed=0 skipped=0 all_twice="" all_flaky="" twice flaky failed unsteady
	for name in "$@"; do
		row_of "$name"
		judge "$name"
		passed=$((passed + $(count_of passed) + $(lines_in "$flaky")))
		skipped=$((skipped + $(count_of skipped)))
		all_twice+=$(printf '%s' "$twice" | sed "s/^/failed: $name: /")${twice:+$'\n'}
		all_flaky+=$(printf '%s' "$flaky" | sed "s/^/flaky: $name: /")${flaky:+$'\n'}
	done
	failed=$(lines_in "$all_twice") unsteady=$(lines_in "$all_flaky")
	say "total $SECONDS s"
	printf '%s' "$all_twice" "$all_flaky"
	[ "$unsteady" -le "$flaky_most" ] || say "$unsteady tests are flaky: more than $flaky_most fail the run"
	say "$passed passed, $failed failed$([ "$skipped" = 0 ] || printf ', %s skipped' "$skipped")"
	[ "$failed" = 0 ] && [ "$unsteady" -le "$flaky_most" ]
}
