"""Claims about the Python package; test_python.sh runs them."""
import gc
import math
import os
import signal
import tempfile
import threading
import unittest
import weakref

import numpy as np

import limber

SCENES = os.path.join(os.environ["LIMBER_SOURCE_DIR"], "scenes")
ARM = os.path.join(SCENES, "robot-arm.yaml")
PENDULUM = """
duration: 0.5
bodies: {rod: {shape: {capsule: {radius: 1 cm, from: [0, 0, 0], to: [0, 0, -0.5]}}}}
joints: {pivot: {type: revolute, child: rod, axis: y}}
motors: {push: {joint: pivot, drive: force, keys: [[0, 0]]}}
markers: {tip: {body: rod, at: [0, 0, -0.5]}}
initial: {pivot: {position: 60 deg}}
"""
CART = """
gravity: [0, 0, 0]
duration: 1
solver: {integrator: bdf2, step: 2 ms}
bodies: {cart: {mass: 1 kg, inertia: [1, 1, 1]}, load: {mass: 0.5 kg, inertia: [1, 1, 1]}}
joints:
  track: {type: prismatic, child: cart, axis: x}
  spring: {type: prismatic, parent: cart, child: load, axis: x, spring: {stiffness: 80}}
motors: {drive: {joint: track, keys: [[0.1, 0], [0.4, 50 cm]]}}
retarget: {bodies: {load: {position: 1}}, iterations: 5}
"""


class Worlds(unittest.TestCase):
    def test_views_show_what_a_step_changes_without_copies(self):
        w = limber.World.open(ARM)
        views = [w.q, w.qd, w.positions, w.rotations, w.velocities, w.motor_forces]
        joint = w.joints["elbow"].q
        before = [v.copy() for v in views]
        addresses = [v.__array_interface__["data"] for v in views]
        w.step(1e-3, count=200)
        for old, v in zip(before, views):
            self.assertFalse(np.array_equal(old, v))
        self.assertEqual(addresses, [v.__array_interface__["data"] for v in
                                     [w.q, w.qd, w.positions, w.rotations, w.velocities,
                                      w.motor_forces]])
        self.assertTrue(np.shares_memory(joint, w.q))
        with self.assertRaises(ValueError):
            w.q[0] = 1

    def test_a_torque_written_to_a_view_equals_a_motor(self):
        a, b = limber.World.from_text(PENDULUM), limber.World.from_text(PENDULUM)
        a.motors["push"].set(0.3)
        b.joints["pivot"].tau[:] = 0.3
        a.step(1e-3, count=100)
        b.step(1e-3, count=100)
        self.assertEqual(a.q.tobytes(), b.q.tobytes())
        self.assertEqual(a.motors["push"].force, 0.3)

    def test_a_saved_state_goes_on_with_the_same_bytes(self):
        w = limber.World.open(ARM)
        w.step(1e-3, count=50)
        state = w.save()
        w.step(1e-3, count=50)
        q = w.q.copy()
        w.restore(state)
        self.assertAlmostEqual(w.time, 0.05)
        w.step(1e-3, count=50)
        self.assertEqual(q.tobytes(), w.q.tobytes())
        w.reset()
        self.assertEqual(w.time, 0)

    def test_a_jacobian_gives_velocities(self):
        w = limber.World.open(ARM)
        w.step(1e-3, count=300)
        hand = list(w.bodies.values())[-1]
        twist = hand.jacobian() @ w.qd
        np.testing.assert_allclose(twist[:3], hand.angular_velocity, atol=1e-12)
        np.testing.assert_allclose(twist[3:], hand.velocity, atol=1e-12)

    def test_contacts_and_rays_of_a_box_at_rest(self):
        w = limber.World.from_text("contacts: {}\n"
                                   "scenery: [{box: [4, 4, 1], position: [0, 0, -0.5], solid: true}]\n"
                                   "bodies:\n"
                                   "  block: {shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 5 cm]}\n")
        self.assertEqual(len(w.contacts), 0)
        w.step(count=50)
        c = w.contacts
        self.assertEqual(set(c.bodies), {("block", None)})
        np.testing.assert_allclose(c.forces.sum(axis=0), [0, 0, 9.81], atol=1e-4)
        np.testing.assert_allclose(c.normals, [[0, 0, 1]] * 4, atol=1e-6)
        hit = w.ray([0, 0, 1], [0, 0, -2])
        self.assertEqual(hit.body, "block")
        self.assertAlmostEqual(hit.t, 0.45)
        self.assertIsNone(w.ray([1, 0, 1], [0, 0, -2], most=0.4))
        self.assertIsNone(w.ray([1, 0, 1], [0, 0, -2]).body)
        self.assertAlmostEqual(w.distance("block", None), 0)
        self.assertTrue(w.overlap("block", None))

    def test_parts_are_found_by_name_and_placed(self):
        w = limber.World.from_text(PENDULUM)
        self.assertEqual(list(w.bodies), ["rod"])
        self.assertIn("pivot", w.joints)
        w.joints["pivot"].place(q=[0.1], qd=[0])
        self.assertEqual(w.joints["pivot"].q[0], 0.1)
        tip = w.points["tip"].position
        np.testing.assert_allclose(tip, [-0.5 * math.sin(0.1), 0, -0.5 * math.cos(0.1)], atol=1e-15)
        w.joints["pivot"].place(q=[0])
        np.testing.assert_allclose(tip, [0, 0, -0.5], atol=1e-15)

    def test_pushes_turn_and_wrong_ones_are_told(self):
        w = limber.World.from_text(PENDULUM)
        w.bodies["rod"].twist((0, 1, 0))
        w.step(1e-3)
        self.assertGreater(w.qd[0], 0)
        with self.assertRaisesRegex(limber.Error, "a force is not a finite number"):
            w.bodies["rod"].push((math.nan, 0, 0))
        w.step(1e-3)  # and it goes on

    def test_values_of_a_scene_are_changed(self):
        w = limber.World.from_text(PENDULUM, set={"initial.pivot.position": "30 deg"})
        self.assertAlmostEqual(w.q[0], math.radians(30))
        r = limber.simulate(text=PENDULUM, set={"initial.pivot.position": 0.1, "gravity": [0, 0, -1.62]})
        self.assertEqual(r.q[0, 0], 0.1)
        with self.assertRaisesRegex(limber.Error, "(?s)pivt"):
            limber.World.from_text(PENDULUM, set={"initial.pivt.position": 1})

    def test_elastic_bodies_are_kept_with_the_same_bytes(self):
        rod, states = os.path.join(SCENES, "rod.yaml"), []
        with tempfile.TemporaryDirectory() as cache:
            for where in (False, cache, cache):
                w = limber.World.open(rod, cache=where)
                w.step(0, count=20)
                states.append(w.q.tobytes())
            self.assertTrue(os.listdir(cache))
        self.assertEqual(states, states[:1] * 3)

    def test_ctrl_c_ends_the_making_of_a_world(self):
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(100):
                limber.World.open(os.path.join(SCENES, "rod.yaml"), cache=False)

    def test_views_and_parts_keep_the_world_alive(self):
        for take in (lambda w: w.q, lambda w: w.positions[0], lambda w: w.joints["elbow"].q):
            w = limber.World.open(ARM)
            w.step(1e-3)
            view = take(w)
            expected = view.copy()
            del w
            gc.collect()
            [limber.World.open(ARM) for _ in range(5)]
            np.testing.assert_array_equal(view, expected)

    def test_a_world_that_nobody_has_is_gone_at_once(self):
        w = limber.World.open(ARM)
        w.step(1e-3)
        gone = weakref.ref(w)
        joint = w.joints["elbow"]
        del w
        self.assertIsNotNone(gone())
        del joint
        self.assertIsNone(gone())


class Errors(unittest.TestCase):
    def test_mistakes_of_a_scene_have_their_places(self):
        with self.assertRaises(limber.Error) as caught:
            limber.World.from_text("bodies:\n  a: {mas: 1}\n  b: {shap: 2}\n", "robot.yaml")
        self.assertEqual(str(caught.exception).splitlines()[0],
                         "robot.yaml:2:7: body 'a': unknown key 'mas' (did you mean 'mass'?)")
        self.assertEqual(caught.exception.messages[1].line, 3)
        self.assertEqual(caught.exception.status, "the input is not valid")

    def test_files_names_and_steps_that_are_wrong(self):
        w = limber.World.open(ARM)
        for wrong, text in ((lambda: limber.World.open("no/such.yaml"), "no/such.yaml"),
                            (lambda: w.joints["elbw"], "did you mean 'elbow'"),
                            (lambda: w.step(-1), "a step of -1 s is none"),
                            (lambda: limber.simulate("no/such.yaml"), "no/such.yaml")):
            with self.assertRaisesRegex(limber.Error, text):
                wrong()
        w.step(1e-3)

    def test_wrong_arguments_are_told_as_python_does(self):
        w = limber.World.open(ARM)
        for wrong in (lambda: w.restore(np.zeros(2)), lambda: w.joints["elbow"].place(q=[1, 2]),
                      lambda: w.bodies["base"].push((1, 2))):
            with self.assertRaises(ValueError):
                wrong()
        for wrong in (limber.simulate, lambda: limber.simulate(ARM, hoho=1)):
            with self.assertRaises(TypeError):
                wrong()


class Jobs(unittest.TestCase):
    def test_a_run_equals_steps_by_hand_to_the_last_bit(self):
        r = limber.simulate(text=PENDULUM)
        w = limber.World.from_text(PENDULUM)
        for _ in range(500):
            w.step(1e-3)
        self.assertEqual(r.q[-1].tobytes(), w.q.tobytes())
        self.assertEqual(r.positions[-1].tobytes(), w.positions.tobytes())
        self.assertEqual(r.rotations.shape, (len(r.time), 1, 4))
        self.assertEqual(r.summary["steps"], 500)

    def test_files_are_written_where_they_are_asked_for(self):
        with tempfile.TemporaryDirectory() as out:
            r = limber.simulate(text=PENDULUM, out=out)
            self.assertIn("trajectory.csv", os.listdir(out))
            table = np.genfromtxt(os.path.join(out, "trajectory.csv"), delimiter=",", names=True)
            np.testing.assert_allclose(table[table.dtype.names[0]], r.time)
        self.assertIn("report.html", "\n".join(r.report))

    def test_forces_have_the_names_of_their_file(self):
        scene = os.path.join(SCENES, "spring-mass.yaml")
        with tempfile.TemporaryDirectory() as out:
            r = limber.simulate(scene, out=out, duration=0.2)
            with open(os.path.join(out, "forces.csv"), encoding="utf-8") as file:
                names = file.readline().strip().split(",")
                last = file.readlines()[-1].strip().split(",")
        self.assertEqual(names[1:], list(r.forces))
        self.assertEqual([float(x) for x in last[1:]], [f[-1] for f in r.forces.values()])

    def test_a_recording_outlives_its_job(self):
        q = limber.simulate(text=PENDULUM).q
        copy = q.copy()
        gc.collect()
        limber.simulate(text=PENDULUM)
        np.testing.assert_array_equal(q, copy)

    def test_progress_is_told_and_ends_a_job(self):
        told = []
        limber.simulate(text=PENDULUM, progress=lambda f, what: told.append((f, what)))
        self.assertEqual(told[-1], (1, "simulating"))
        r = limber.simulate(text=PENDULUM, progress=lambda f, what: f < 0.5)
        self.assertTrue(r.summary["interrupted"])
        self.assertAlmostEqual(r.time[-1], 0.25, delta=0.03)

    def test_what_a_watcher_raises_comes_out(self):
        with self.assertRaises(ZeroDivisionError):
            limber.simulate(text=PENDULUM, progress=lambda f, what: 1 / 0)

    def test_ctrl_c_cancels(self):
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            limber.simulate(os.path.join(SCENES, "chain-100.yaml"), duration=1e5)

    def test_retargeting_gives_curves_and_figures(self):
        r = limber.retarget(text=CART)
        self.assertLess(r.now["peak"], 0.1 * r.was["peak"])
        curve = r.curve("drive", r.time)
        np.testing.assert_allclose(curve[-1], [0.5, 0, 0], atol=1e-9)
        np.testing.assert_allclose(curve[:, 0], r.after.q[:, 0], atol=1e-6)
        self.assertEqual(r.target.positions.shape, r.before.positions.shape)

    def test_optimisation_gives_numbers_by_name(self):
        r = limber.optimize(os.path.join(SCENES, "throw.yaml"))
        self.assertEqual(r.parameters["throw"].shape, (3,))
        self.assertLess(r.history[-1], 1e-9 * r.history[0])

    def test_a_scene_is_checked(self):
        self.assertIn("a good scene", limber.check(ARM)[0])


if __name__ == "__main__":
    unittest.main()
