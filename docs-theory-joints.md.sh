set -e
limber simulate scenes/joint-gallery.yaml --out out/gallery
