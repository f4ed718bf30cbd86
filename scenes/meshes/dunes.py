#!/usr/bin/env python3
"""The ground of walkers on dunes: dunes.csv, ridges that run askew, and flat ground to start from.

    python3 scenes/meshes/dunes.py
"""
import math
import os

HEIGHT = 0.04              # of a crest above a trough [m]
APART = 1.6                # crests along x [m]
SKEW = 0.2                 # crests per metre along y: feet of the two sides do not rise together
START, FULL = 1.2, 2.2     # where dunes begin and where they are as high as they get [m]
X, Y = (-2.0, 7.6), (-1.6, 1.6)
CELL = 0.2                 # edges of the grid [m]


def height(x, y):
    u = min(max((x - START) / (FULL - START), 0), 1)
    wave = 0.5 - 0.5 * math.cos(2 * math.pi * ((x - START) / APART + SKEW * y))
    return HEIGHT * u * u * (3 - 2 * u) * wave


def main():
    nx, ny = (round((r[1] - r[0]) / CELL) + 1 for r in (X, Y))
    lines = [f"# heights of dunes [m], {CELL} m apart: lines along x; made by dunes.py"]
    for j in range(ny):
        row = (height(X[0] + i * CELL, Y[0] + j * CELL) for i in range(nx))
        lines.append(",".join(f"{h:.4f}".rstrip("0").rstrip(".") for h in row))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dunes.csv")
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
