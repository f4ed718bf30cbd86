# What Blender makes of glTF files: blender -b -P blender.py -- FILE.glb...
# For each, the largest distance between a vertex of a bent or carried surface in Blender and where the file puts it, as
# computed here from morph targets and skins, over a few keyed times.
import json
import struct
import sys

import bpy
import numpy as np

np.bool = bool  # that the importer of Blender 3.4 asks for, and newer versions of NumPy do not have
SIZES = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}


class File:
    def __init__(self, path):
        data = open(path, "rb").read()
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20 : 20 + length])
        self.bytes = data[28 + length :]
        nodes = self.json["nodes"]
        self.parent = {c: i for i, n in enumerate(nodes) for c in n.get("children", [])}
        self.channels = {}
        for a in self.json.get("animations", []):
            for c in a["channels"]:
                s = a["samplers"][c["sampler"]]
                key = (c["target"]["node"], c["target"]["path"])
                self.channels[key] = (self.read(s["input"]), self.read(s["output"]))

    def read(self, index):
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        at = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        size = SIZES[a["type"]]
        out = np.frombuffer(self.bytes, TYPES[a["componentType"]], a["count"] * size, at)
        return out.reshape(-1, size) if size > 1 else out

    def key(self, node, path, default, k):
        if (node, path) in self.channels:
            times, values = self.channels[node, path]
            return values.reshape(len(times), -1)[k].astype(float)
        return np.array(self.json["nodes"][node].get(path, default), float)

    def pose(self, node, k):
        t = self.key(node, "translation", [0, 0, 0], k)
        x, y, z, w = self.key(node, "rotation", [0, 0, 0, 1], k)
        s = self.key(node, "scale", [1, 1, 1], k)
        out = np.eye(4)
        out[:3, :3] = s * np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        out[:3, 3] = t
        return self.pose(self.parent[node], k) @ out if node in self.parent else out

    def vertices(self, node, k):
        n = self.json["nodes"][node]
        mesh = self.json["meshes"][n["mesh"]]
        part = mesh["primitives"][0]
        x = self.read(part["attributes"]["POSITION"]).astype(float)
        targets = part.get("targets", [])
        weights = self.key(node, "weights", mesh.get("weights", []), k)
        for w, t in zip(weights, targets):
            x = x + w * self.read(t["POSITION"])
        x = np.c_[x, np.ones(len(x))]
        if "skin" not in n:
            return x @ self.pose(node, k).T
        skin = self.json["skins"][n["skin"]]
        inverse = self.read(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        bones = np.array([self.pose(j, k) for j in skin["joints"]]) @ inverse
        joints = self.read(part["attributes"]["JOINTS_0"])
        share = self.read(part["attributes"]["WEIGHTS_0"])
        return np.einsum("vj,vjab,vb->va", share, bones[joints], x)


def shown_as(file, node):
    """The object of a node: several may have its name, one on each body."""
    nodes, parent = file.json["nodes"], file.parent.get(node)
    name = nodes[node]["name"]
    if "skin" in nodes[node] or parent is None:
        return bpy.data.objects[name]
    on = bpy.data.objects[nodes[parent]["name"]].children
    return next(o for o in on if o.name.split(".")[0] == name)


def distance(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    file, scene, worst, compared = File(path), bpy.context.scene, 0, 0
    rate = scene.render.fps / scene.render.fps_base
    bent = [
        i
        for i, n in enumerate(file.json["nodes"])
        if "skin" in n or "mesh" in n and "targets" in file.json["meshes"][n["mesh"]]["primitives"][0]
    ]
    times = next(iter(file.channels.values()))[0]
    for k in np.linspace(0, len(times) - 1, 7).astype(int):
        frame = float(times[k]) * rate
        scene.frame_set(int(frame), subframe=frame - int(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        for i in bent:
            shown = shown_as(file, i).evaluated_get(graph)
            mesh = shown.to_mesh()
            x = np.array([shown.matrix_world @ v.co for v in mesh.vertices])
            want = file.vertices(i, k)
            want = np.c_[want[:, 0], -want[:, 2], want[:, 1]]
            assert len(x) == len(want), "Blender has other vertices"
            worst = max(worst, np.abs(x - want).max())
            compared += len(x)
            shown.to_mesh_clear()
    return worst, compared


good = wrong = 0
for path in sys.argv[sys.argv.index("--") + 1 :]:
    worst, compared = distance(path)
    print(f"{path}: {compared} vertices, at most {1000 * worst:.3f} mm apart")
    good, wrong = good + (worst < 5e-4), wrong + (worst >= 5e-4)
print(f"{good} good, {wrong} wrong")
