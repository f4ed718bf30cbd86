set -e
make bench-peers   # once: installs Simbody, DART, Bullet and ODE from Debian and builds their drivers
make bench         # recursions, stiff chains, loops, boxes in contact, beasts that walk; writes build/bench.json
make bench-all     # all the tables below
