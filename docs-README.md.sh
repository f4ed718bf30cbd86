set -e
limber new character my-puppet.yaml   # a scene to change
limber simulate my-puppet.yaml
limber view out/my-puppet
