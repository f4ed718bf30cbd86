set -e
limber simulate scenes/diving-board.yaml
limber check scenes/rod.yaml --models   # the shapes of each body and their frequencies
