set -e
limber check scenes/four-bar.yaml
