#!/usr/bin/env python3
"""A stone of scenes/arch.yaml: voussoir.obj, a wedge between two joints of a semicircular arch of radius 1 m
about the origin, its middle above it. A thinner arch falls:

    python3 scenes/meshes/voussoir.py           # a thickness of 0.115
    python3 scenes/meshes/voussoir.py 0.098     # falls
"""
import math
import os
import sys

STONES = 15
DEPTH = 0.4  # along y [m]


def main():
    thick = float(sys.argv[1]) if len(sys.argv) > 1 else 0.115
    half = math.pi / STONES / 2
    lines = [f"# made by voussoir.py: {STONES} stones, a thickness of {thick:g}"]
    for y in (-DEPTH / 2, DEPTH / 2):
        for r, a in ((1 - thick / 2, -half), (1 - thick / 2, half), (1 + thick / 2, half), (1 + thick / 2, -half)):
            lines.append(f"v {r * math.sin(a):.12f} {y:g} {r * math.cos(a):.12f}")
    quads = ((1, 2, 3, 4), (8, 7, 6, 5), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 8, 4), (4, 8, 5, 1))
    lines += ["f " + " ".join(map(str, q)) for q in quads]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "voussoir.obj")
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
