"""A reduced body with NumPy alone: forces, energy and kinetic energy of the states in a file, worked out
from its other arrays, must be what the file says. Then a static problem and a motion that Limber
wrote: the weight's place in trajectory.csv from the rod's coordinates there.

usage: check_stored.py BODY.npz TRAJECTORY.csv"""
import csv
import sys

import numpy as np


def stress(z, region, F):
    """Energy density and first Piola-Kirchhoff stress of the neo-Hookean model."""
    assert z["model"][region] == "neo-hookean"
    E, nu = z["young"][region], z["poisson"][region]
    mu_L, la_L = E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))
    mu, la = 4 / 3 * mu_L, la_L + 5 / 6 * mu_L
    al = 1 + 3 * mu / (4 * la)

    def psi(Ic, J):
        return mu / 2 * (Ic - 3) + la / 2 * (J - al) ** 2 - mu / 2 * np.log(Ic + 1)

    Ic, J = np.sum(F * F), np.linalg.det(F)
    P = mu * (1 - 1 / (Ic + 1)) * F + la * (J - al) * J * np.linalg.inv(F).T
    return psi(Ic, J) - psi(3, 1), P


def internal(z, eta):
    V, f = 0.0, np.zeros(len(eta))
    for G, w, region in zip(z["point_G"], z["point_weight"], z["point_region"]):
        psi, P = stress(z, region, np.eye(3) + np.tensordot(eta, G, 1))
        V += w * psi
        f += w * np.einsum("ij,kij->k", P, G)
    return V, f


def kinetic(z, eta, etad, v, w):
    B = z["B0"] + np.einsum("l,klij->kij", eta, z["B1"])
    h = z["h0"] + eta @ z["H"]
    E = z["E0"] + np.einsum("k,kij->ij", eta, np.swapaxes(z["B0"], 1, 2) + B)
    inertia = np.trace(E) * np.eye(3) - E
    C = np.stack([B[:, 2, 1] - B[:, 1, 2], B[:, 0, 2] - B[:, 2, 0], B[:, 1, 0] - B[:, 0, 1]], axis=1)
    hd = etad @ z["H"]
    return (z["mass"] * v @ v / 2 + v @ (np.cross(w, h) + hd) + w @ inertia @ w / 2
            + w @ (etad @ C) + etad @ z["M"] @ etad / 2)


def near(name, a, b, tolerance):
    error = np.max(np.abs(np.asarray(a) - b)) / max(np.max(np.abs(b)), 1e-300)
    print(f"{name}: {error:.1e}")
    if not error <= tolerance:
        sys.exit(f"FAILED: {name} differs by {error:.3e} of its size; {tolerance:g} is allowed")


def check_integrals(z):
    """The integrals again, from nodes and weights: the linear ones need no mass matrix."""
    X, Phi, first = z["node"], z["Phi"], z["face_first"]
    for f in range(len(z["face_name"])):
        node = z["face_node"][first[f]:first[f + 1]]
        w = z["face_weight"][first[f]:first[f + 1]]
        w = w / w.sum()
        D = X[node] - w @ X[node]
        moved = np.einsum("i,kij->kj", w, Phi[:, node])
        if f == 0:  # held: neither moves nor turns on average
            assert np.max(np.abs(moved)) < 1e-12 * np.max(np.abs(Phi))
            turn = np.einsum("i,kij->kj", w, np.cross(D, Phi[:, node]))
            assert np.max(np.abs(turn)) < 1e-12 * np.max(np.abs(Phi)) * np.max(np.abs(D))
        else:
            near("face_x0", w @ X[node], z["face_x0"][f - 1], 1e-13)
            near("face_W", moved, z["face_W"][f - 1], 1e-11)
            near("face_A", np.einsum("i,kia,ib->kab", w, Phi[:, node], D), z["face_A"][f - 1], 1e-10)
    near("M", z["M"], np.trace(z["B1"], axis1=2, axis2=3), 1e-12)
    near("Phi is orthonormal", z["M"], np.eye(len(z["M"])), 1e-9)


def check_motion(z, path):
    """The weight sits in the middle of the rod's face 'end'."""
    with open(path) as file:
        rows = list(csv.DictReader(file))
    r = len(z["omega"])
    for row in rows[:: len(rows) // 7]:
        eta = np.array([float(row[f"rod.e{k}"]) for k in range(r)])
        q = np.array([float(row[f"rod.q{c}"]) for c in "wxyz"])
        p = np.array([float(row[f"rod.{c}"]) for c in "xyz"])
        x = z["face_x0"][0] + eta @ z["face_W"][0]
        turned = x + 2 * np.cross(q[1:], np.cross(q[1:], x) + q[0] * x)
        near("weight", p + turned, np.array([float(row[f"weight.{c}"]) for c in "xyz"]), 1e-12)


z = np.load(sys.argv[1])
z = {name: z[name] for name in z.files}
assert "A reduced elastic body" in str(z["readme"]) and all(name in str(z["readme"]) for name in z)
check_integrals(z)
for i in range(len(z["check_eta"])):
    V, f = internal(z, z["check_eta"][i])
    T = kinetic(z, z["check_eta"][i], z["check_etad"][i], z["check_v"][i], z["check_w"][i])
    near("energy", V, z["check_energy"][i], 1e-7)
    near("force", f / z["omega"], z["check_force"][i] / z["omega"], 1e-7)
    near("kinetic energy", T, z["check_kinetic"][i], 1e-12)
step = 1e-7 * np.max(z["eta_most"])
for k in range(len(z["omega"])):  # the stiffness at rest is diag(omega^2), but for cubature
    e = np.zeros(len(z["omega"]))
    e[k] = step * z["omega"][0] / z["omega"][k]
    near("stiffness", (internal(z, e)[1] / z["omega"])[k], e[k] * z["omega"][k], 1e-3)
check_motion(z, sys.argv[2])
