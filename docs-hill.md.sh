set -e
limber simulate scenes/hill-arm.yaml   # two muscles move a forearm
