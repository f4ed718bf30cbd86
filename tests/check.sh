# Checks for test scripts. A script is a list of calls to these; each claim that fails is printed
# with what was seen, and the script goes on to the next.
check_done=0
check_failed=0

# Run a command; keep its exit status in $status and its output in the files stdout and stderr.
run() {
  status=0
  "$@" >stdout 2>stderr </dev/null || status=$?
}

# claim TEXT COMMAND...: the command must succeed
claim() {
  local text=$1
  shift
  check_done=$((check_done + 1))
  if ! "$@"; then
    check_failed=$((check_failed + 1))
    echo "FAILED: $text"
    echo "  check: $*"
    if [ "$check_failed" -le 5 ]; then
      echo "  last exit status: ${status-}"
      sed 's/^/  stdout: /' stdout 2>/dev/null | head -20 || true
      sed 's/^/  stderr: /' stderr 2>/dev/null | head -20 || true
    fi
  fi
}

exits() { [ "$status" -eq "$1" ]; }
prints() { grep -qF -- "$1" stdout; }
complains() { grep -qF -- "$1" stderr; }
# On slow machines a line tells how far long work is; anything else is a complaint.
content() { ! grep -qvE '^ *[0-9]+ % ' stderr; }
silent() { [ ! -s stdout ] && [ ! -s stderr ]; }

check_summary() {
  echo "$((check_done - check_failed)) of $check_done claims hold"
  [ "$check_failed" -eq 0 ] && [ "$check_done" -gt 0 ]
}
