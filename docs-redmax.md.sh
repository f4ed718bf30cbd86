set -e
limber simulate scenes/reach.yaml --out out/reach # the arm of section 6.2.11 of [red]
