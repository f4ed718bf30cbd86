# The program of docs/collision.md compiles, and prints what the page says.
page=$LIMBER_SOURCE_DIR/docs/collision.md
block() { awk -v kind="$1" '$0 == "```" kind && !done { on = 1; next } /^```/ && on { on = 0; done = 1 } on' "$page"; }
block c >collision.c
awk '/^It prints:/ { ready = 1 } /^```/ && ready { on = !on; if (!on) exit; next } on' "$page" >expected.txt
run cc -std=c11 -Wall -Wextra -Werror -I"$LIMBER_SOURCE_DIR/include" collision.c -o collision \
  -L"$LIMBER_BUILD_DIR" -llimber -Wl,-rpath,"$LIMBER_BUILD_DIR" -lm
claim "the page's program compiles" exits 0
run ./collision
claim "it runs" exits 0
claim "it prints what the page says" diff expected.txt stdout
