set -e
limber simulate scenes/rod.yaml                                        # in a basis
limber simulate scenes/rod.yaml --full --duration 0.02 --out out/full  # every node, the first moments
