# Films through the real ffmpeg: as many frames as the motion has at 30 a second, their size, and how long they last.
for program in ffmpeg ffprobe; do
  if ! command -v "$program" >/dev/null; then
    echo "no $program"
    exit 77
  fi
done
probe() { # FILE FIELD: of its only stream, frames counted by decoding them
  ffprobe -v error -count_frames -select_streams v -show_entries "stream=$2" -of default=nw=1:nk=1 "$1"
}
lasts() { # FILE SECONDS, to a frame
  local seconds
  seconds=$(ffprobe -v error -show_entries format=duration -of default=nw=1:nk=1 "$1")
  python3 -c "import sys; sys.exit(abs($seconds - $2) > 1 / 30)"
}
film() { # FORMAT CODEC SECONDS FRAMES
  run "$LIMBER" simulate "$LIMBER_SOURCE_DIR/scenes/double-pendulum.yaml" --duration "$3" --film "$1" --out "$1" -q
  claim "a film is made as $1" exits 0
  claim "... without a word" silent
  claim "... of $4 frames, from the start to $3 s" test "$(probe "$1/film.$1" nb_read_frames)" = "$4"
  claim "... 30 a second" test "$(probe "$1/film.$1" r_frame_rate)" = 30/1
  claim "... 1280 wide" test "$(probe "$1/film.$1" width)" = 1280
  claim "... and 720 high" test "$(probe "$1/film.$1" height)" = 720
  claim "... by $2" test "$(probe "$1/film.$1" codec_name)" = "$2"
  claim "... as long as its frames" lasts "$1/film.$1" "$(python3 -c "print($4 / 30)")"
  claim "... and nothing is left aside" test -z "$(find "$1" -name '.*.part')"
}
film mp4 h264 0.4 13
film webm vp9 0.1 4
# The frames differ: the first is not the last.
run ffmpeg -v error -i mp4/film.mp4 -f framemd5 frames.txt
claim "frames can be read" exits 0
claim "... and show a motion" test "$(grep -v '^#' frames.txt | awk '{ print $NF }' | sort -u | wc -l)" -ge 12
