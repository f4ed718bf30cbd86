"""An angle bracket as tetrahedra: bracket.py >bracket.msh

Two legs of 8 cm, 25 mm wide and 2 mm thick, meet at a corner. The end of the lower leg is the surface `arm`, that of the upper one `tray`.
"""

LEG, WIDTH, THICK = 0.080, 0.025, 0.002
ALONG, ACROSS = 8, 2
# Tetrahedra of a brick; diagonals of its faces are those of its neighbours'.
SPLIT = ((0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7))


def steps(count):
    return [THICK + (LEG - THICK) * i / count for i in range(count + 1)]


def main():
    x = [0.0] + steps(ALONG)  # along the lower leg, with the corner first
    z = [0.0] + steps(ALONG)
    y = [WIDTH * (j / ACROSS - 0.5) for j in range(ACROSS + 1)]
    number, places, tets, ends = {}, [], [], {"arm": [], "tray": []}

    def node(i, j, k):
        if (i, j, k) not in number:
            places.append((x[i], y[j], z[k]))
            number[i, j, k] = len(places)
        return number[i, j, k]

    for i in range(ALONG + 1):
        for k in range(ALONG + 1):
            if i > 0 and k > 0:
                continue  # neither leg
            for j in range(ACROSS):
                c = [node(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2)) for b in range(8)]
                tets += [[c[n] for n in t] for t in SPLIT]
                if i == ALONG:
                    ends["arm"] += [(c[1], c[3], c[7]), (c[1], c[7], c[5])]
                if k == ALONG:
                    ends["tray"] += [(c[4], c[6], c[7]), (c[4], c[7], c[5])]
    middle = {}

    def quadratic(corner, edges):
        nodes = list(corner)
        for a, b in edges:
            pair = tuple(sorted((corner[a], corner[b])))
            if pair not in middle:
                places.append(tuple(sum(v) / 2 for v in zip(places[pair[0] - 1], places[pair[1] - 1])))
                middle[pair] = len(places)
            nodes.append(middle[pair])
        return nodes

    tets = [quadratic(t, ((0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3))) for t in tets]
    ends = {name: [quadratic(f, ((0, 1), (1, 2), (2, 0))) for f in faces] for name, faces in ends.items()}
    print('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 "arm"\n2 2 "tray"\n3 3 "bracket"\n$EndPhysicalNames')
    print(f"$Nodes\n{len(places)}")
    for n, p in enumerate(places):
        print(n + 1, *(f"{v:.9g}" for v in p))
    faces = [(9, 1, f) for f in ends["arm"]] + [(9, 2, f) for f in ends["tray"]]
    print(f"$EndNodes\n$Elements\n{len(faces) + len(tets)}")
    for n, (kind, tag, f) in enumerate(faces + [(11, 3, t) for t in tets]):
        print(n + 1, kind, 2, tag, tag, *f)
    print("$EndElements")


main()
