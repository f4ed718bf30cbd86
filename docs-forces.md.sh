set -e
limber simulate scenes/magnet-pendulum.yaml   # attractions
limber simulate scenes/cable-arm.yaml         # a cable through eyelets
limber simulate scenes/bobblehead.yaml        # springs that stiffen
