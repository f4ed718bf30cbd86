#!/usr/bin/env python3
"""The flesh and the skin of scenes/starfish.yaml: starfish.vtk, tetrahedra that fill it, and
starfish.obj, the smooth surface that they carry along. No other file is needed:

    python3 scenes/meshes/starfish.py
"""
import math
import os

ARMS = 5
REACH = 0.205      # of an arm, from the middle [m]
WAIST = 0.055      # where two arms meet
THICK = 0.026      # half the thickness in the middle
CELL = 0.030       # edge of the lattice that the tetrahedra are cut from


def outline(angle):
    """How far the star reaches in this direction."""
    c = 0.5 * (1 + math.cos(ARMS * angle))
    return WAIST + (REACH - WAIST) * c ** 3.2


def height(rho, angle):
    """Half the thickness at this part of the way to the outline."""
    along = rho * outline(angle) / REACH
    return THICK * (1 - 0.55 * along) * math.sqrt(max(0.0, 1 - rho ** 2.5))


def depth(p):
    """Positive inside, about how deep [m]."""
    r = math.hypot(p[0], p[1])
    a = math.atan2(p[1], p[0])
    rho = r / outline(a)
    if rho >= 1:
        return -0.5 * (r - outline(a))
    return height(rho, a) - abs(p[2])


def samples(four):
    """Points all over a tetrahedron."""
    n = 4
    return [tuple(sum(w * p[k] for w, p in zip((a, b, c, n - a - b - c), four)) / n
                  for k in range(3))
            for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]


def lattice():
    """Tetrahedra of a body-centred cubic lattice that are inside in part: together they hold all
    of the skin."""
    n, m = int(REACH / CELL) + 2, int(THICK / CELL) + 2
    index, points, cells = {}, [], []

    def corner(i, j, k):
        return (CELL * i, CELL * j, CELL * k)

    def point(key, p):
        if key not in index:
            index[key] = len(points)
            points.append(p)
        return index[key]

    for i in range(-n, n):
        for j in range(-n, n):
            for k in range(-m, m):
                here = (CELL * (i + 0.5), CELL * (j + 0.5), CELL * (k + 0.5))
                for axis in range(3):  # the centres on both sides of a face, and its four edges
                    step = [0, 0, 0]
                    step[axis] = 1
                    there = tuple(h + CELL * s for h, s in zip(here, step))
                    u, v = (axis + 1) % 3, (axis + 2) % 3
                    base = [i + step[0], j + step[1], k + step[2]]
                    ring = []
                    for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        c = list(base)
                        c[u] += du
                        c[v] += dv
                        ring.append(tuple(c))
                    for e in range(4):
                        a, b = ring[e], ring[(e + 1) % 4]
                        four = [here, there, corner(*a), corner(*b)]
                        if max(depth(p) for p in samples(four)) > 0:
                            cells.append([point(("c", i, j, k), here),
                                          point(("c", i + step[0], j + step[1], k + step[2]), there),
                                          point(a, four[2]), point(b, four[3])])
    return points, cells


def volume(points, cell):
    o, a, b, c = (points[i] for i in cell)
    d = [[q[k] - o[k] for k in range(3)] for q in (a, b, c)]
    return (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1])
            - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0])
            + d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) / 6


def connected(points, cells):
    """The largest part that hangs together by faces."""
    owner, near = {}, [[] for _ in cells]
    for c, cell in enumerate(cells):
        for skip in range(4):
            face = tuple(sorted(cell[:skip] + cell[skip + 1:]))
            if face in owner:
                near[c].append(owner[face])
                near[owner[face]].append(c)
            owner[face] = c
    part, best = [-1] * len(cells), []
    for start in range(len(cells)):
        if part[start] >= 0:
            continue
        todo, found = [start], []
        part[start] = start
        while todo:
            c = todo.pop()
            found.append(c)
            for o in near[c]:
                if part[o] < 0:
                    part[o] = start
                    todo.append(o)
        best = max(best, found, key=len)
    kept = [cells[c] for c in sorted(best)]
    used = sorted({i for cell in kept for i in cell})
    number = {i: n for n, i in enumerate(used)}
    return [points[i] for i in used], [[number[i] for i in cell] for cell in kept]


def write_tetrahedra(path):
    points, cells = connected(*lattice())
    for cell in cells:
        if volume(points, cell) < 0:
            cell[0], cell[1] = cell[1], cell[0]
    with open(path, "w", encoding="ascii") as out:
        out.write("# vtk DataFile Version 3.0\nstarfish, made by starfish.py\nASCII\n"
                  "DATASET UNSTRUCTURED_GRID\nPOINTS %d double\n" % len(points))
        for p in points:
            out.write("%.6g %.6g %.6g\n" % p)
        out.write("CELLS %d %d\n" % (len(cells), 5 * len(cells)))
        for cell in cells:
            out.write("4 %d %d %d %d\n" % tuple(cell))
        out.write("CELL_TYPES %d\n" % len(cells) + "10\n" * len(cells))
    print(path, len(points), "nodes,", len(cells), "tetrahedra")


def write_skin(path):
    around, rings = 20 * ARMS, 10
    vertex, face = [(0.0, 0.0, THICK), (0.0, 0.0, -THICK)], []

    def at(ring, step, side):
        """Rings below the edge have an upper and a lower vertex; the edge itself has one."""
        if ring == 0:
            return 0 if side > 0 else 1
        return number[ring, step % around, side if ring < rings else 0]

    number = {}
    for ring in range(1, rings + 1):
        rho = math.sin(0.5 * math.pi * ring / rings)
        for step in range(around):
            a = 2 * math.pi * step / around
            r = rho * outline(a)
            for side in (1, -1) if ring < rings else (0,):
                number[ring, step, side] = len(vertex)
                vertex.append((r * math.cos(a), r * math.sin(a), side * height(rho, a)))
    for ring in range(rings):
        for step in range(around):
            for side in (1, -1):
                a, b = at(ring, step, side), at(ring, step + 1, side)
                c, d = at(ring + 1, step + 1, side), at(ring + 1, step, side)
                for t in ((a, d, c), (a, c, b)):
                    if len(set(t)) == 3:
                        face.append(t if side > 0 else t[::-1])
    with open(path, "w", encoding="ascii") as out:
        out.write("# starfish, made by starfish.py\n")
        for p in vertex:
            out.write("v %.6g %.6g %.6g\n" % p)
        for t in face:
            out.write("f %d %d %d\n" % tuple(i + 1 for i in t))
    print(path, len(vertex), "vertices,", len(face), "triangles")


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    write_tetrahedra(os.path.join(here, "starfish.vtk"))
    write_skin(os.path.join(here, "starfish.obj"))
