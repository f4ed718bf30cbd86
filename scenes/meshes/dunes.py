#!/usr/bin/env python3
"""The ground of walkers on dunes: dunes.obj, ridges that run askew, and flat ground to start from.

    python3 scenes/meshes/dunes.py
"""
import math
import os

HEIGHT = 0.04              # of a crest above a trough [m]
APART = 1.6                # crests along x [m]
SKEW = 0.2                 # crests per metre along y: feet of the two sides do not rise together
START, FULL = 1.2, 2.2     # where dunes begin and where they are as high as they get [m]
X, Y = (-2.0, 7.6), (-1.6, 1.6)
CELL = (0.2, 0.4)          # edges of the grid [m]


def height(x, y):
    u = min(max((x - START) / (FULL - START), 0), 1)
    wave = 0.5 - 0.5 * math.cos(2 * math.pi * ((x - START) / APART + SKEW * y))
    return HEIGHT * u * u * (3 - 2 * u) * wave


def main():
    nx, ny = (round((r[1] - r[0]) / c) for r, c in zip((X, Y), CELL))
    lines = ["# made by dunes.py"]
    for j in range(ny + 1):
        for i in range(nx + 1):
            x, y = X[0] + i * CELL[0], Y[0] + j * CELL[1]
            lines.append(f"v {x:.4g} {y:.4g} {height(x, y):.6f}")
    for j in range(ny):
        for i in range(nx):
            a = j * (nx + 1) + i + 1
            b = a + nx + 1
            lines += [f"f {a} {a + 1} {b + 1}", f"f {a} {b + 1} {b}"]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dunes.obj")
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
