#!/usr/bin/env python3
"""A hill for boulders to roll down: hill.csv, heights that end on level ground.

    python3 scenes/meshes/hill.py
"""
import math
import os

HIGH = 1.5   # top of the hill [m]
WIDE = 3.2   # from its middle to its foot [m]
CELL = 0.2   # edges of the grid [m]


def height(x, y):
    r = min(math.hypot(x, y) / WIDE, 1)
    bumps = 0.06 * math.sin(3.1 * x + 0.5) * math.cos(2.7 * y - 0.3)
    return (HIGH + 4 * bumps * r) * (1 - r * r) ** 2


def main():
    n = round(WIDE / CELL)
    lines = [f"# heights of a hill [m], {CELL} m apart: lines along x; made by hill.py"]
    for j in range(-n, n + 1):
        row = (height(i * CELL, j * CELL) for i in range(-n, n + 1))
        lines.append(",".join(f"{h:.3f}".rstrip("0").rstrip(".") for h in row))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hill.csv")
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
