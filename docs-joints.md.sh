set -e
limber simulate scenes/joint-gallery.yaml   # one of each kind
limber simulate scenes/spline-knee.yaml     # a knee that rolls and slides
