# run_pages scripts|long: the blocks to run of each page, in a folder run/PAGE. Browser, Blender and, where it is missing,
# ffmpeg are stand-ins; make knows its targets. (docs/tutorial.md, program.md, python.md and README.md have their own tests.)
mkdir bin
ln -s "$LIMBER" bin/limber
printf '#!/bin/sh\n' | tee bin/xdg-open >bin/blender
command -v ffmpeg >/dev/null || printf '#!/bin/sh\ncat >/dev/null\nfor film; do :; done\n: >"$film"\n' >bin/ffmpeg
printf '#!/bin/sh\ngrep -q "^$1:" "%s/Makefile"\n' "$LIMBER_SOURCE_DIR" >bin/make
chmod +x bin/*
run_pages() {
  local script page
  for script in $(python3 "$LIMBER_SOURCE_DIR/tests/project/pages.py" "$1" "$LIMBER_SOURCE_DIR"); do
    [[ $script =~ ^README|tutorial|program|python ]] && continue
    page=${script#docs-}
    page=run/${page%.md.sh}
    mkdir -p "$page"
    ln -s "$LIMBER_SOURCE_DIR/scenes" "$page/scenes"
    run env PATH="$PWD/bin:$PATH" bash -c "cd $page && bash -x ../../$script"
    claim "the commands of $script run" exits 0
  done
}
