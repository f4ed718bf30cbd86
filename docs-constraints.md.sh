set -e
limber simulate scenes/four-bar.yaml     # a loop
limber simulate scenes/gear-train.yaml   # couplings
limber simulate scenes/scissor.yaml      # many loops
limber simulate scenes/cam.yaml          # cams
limber simulate scenes/ratchet.yaml      # a ratchet, and a rack that yields
limber simulate scenes/swing-ride.yaml   # rates
