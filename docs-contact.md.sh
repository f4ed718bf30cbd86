set -e
limber simulate scenes/skittles.yaml --out skittles
limber view skittles
limber simulate scenes/jansen.yaml --out beast
limber simulate scenes/trampoline.yaml --out trampoline   # an elastic body
limber simulate scenes/jelly.yaml --out jelly             # a deformable
limber simulate scenes/towel.yaml --out towel             # a thin one
