"""Machines, and what there is by name."""

import os
import pickle
import subprocess
import tempfile
import unittest

import heddle


def program(*arguments):
    return subprocess.run([os.environ["HEDDLE_PROGRAM"], *arguments], check=True, capture_output=True, text=True).stdout


class Machines(unittest.TestCase):
    def test_presets_are_those_of_the_program(self):
        self.assertIn("h200", heddle.presets())
        listed = program("list")
        for name, description in heddle.presets().items():
            self.assertIn(description, listed, name)

    def test_parameters_are_values_of_python(self):
        m = heddle.Machine("v100")
        self.assertEqual((m["l1.latency"], m["l1.sectored"], m["gpu.clock"]), (28, True, "1.38GHz"))
        self.assertEqual(dict(m)["l1.latency"], 28)
        self.assertEqual(len(m), len(list(m)))
        self.assertIn("l1.latency", m)
        self.assertNotIn("l1.latencyy", m)
        self.assertIsNone(m.get("l1.latencyy"))

    def test_parameters_can_be_set_when_made_and_later(self):
        m = heddle.Machine("v100", set={"l1.latency": 33, "sm.unified_l1": "64KiB", "measure.funnel": True})
        self.assertEqual((m["l1.latency"], m["sm.unified_l1"], m["measure.funnel"]), (33, "64KiB", True))
        self.assertIs(m.set({"l1.latency": 40}), m)
        self.assertEqual(m["l1.latency"], 40)
        self.assertEqual(heddle.Machine(m, set={"l1.miss_queue": 32})["l1.latency"], 40)
        self.assertEqual(m.difference("v100"), {"l1.latency": (40, 28), "measure.funnel": (True, False),
                                                "sm.unified_l1": ("64KiB", "128KiB")})

    def test_a_design_is_set_before_the_rest(self):
        m = heddle.Machine("clustered60", design="DB+ICC", set={"cluster.icc.entries": 160})
        self.assertEqual((m["cluster.merger"], m["cluster.icc.entries"]), ("icc", 160))
        with self.assertRaisesRegex(heddle.Error, "did you mean"):
            heddle.Machine("clustered60", design="DB+IC")

    def test_unknown_names_say_the_nearest_as_the_program_does(self):
        with self.assertRaises(heddle.Error) as caught:
            heddle.Machine("v100", set={"l1.wayz": 8})
        told = subprocess.run([os.environ["HEDDLE_PROGRAM"], "describe", "v100", "--set", "l1.wayz=8"], capture_output=True, text=True)
        self.assertIn(str(caught.exception), told.stderr)
        self.assertIn("l1.ways", str(caught.exception))
        self.assertTrue(caught.exception.message)
        with self.assertRaisesRegex(KeyError, "did you mean 'l1.ways'"):
            heddle.Machine("v100")["l1.wayz"]
        with self.assertRaisesRegex(heddle.Error, "v100"):
            heddle.Machine("v10")

    def test_what_is_refused_leaves_the_machine_as_it_was(self):
        m = heddle.Machine("v100", set={"l1.latency": 33})
        for wrong in ({"l1.latency": -1}, {"l1.latency": 40, "nothing": 1}):
            with self.assertRaises(heddle.Error):
                m.set(wrong)
        self.assertEqual(m["l1.latency"], 33)

    def test_text_is_that_of_the_program(self):
        m = heddle.Machine("v100", set={"l1.latency": 33})
        self.assertEqual(m.describe(), program("describe", "v100", "--set", "l1.latency=33"))
        self.assertEqual(m.toml(sources=True), program("config", "--gpu", "v100", "--set", "l1.latency=33"))
        for name in ("l1.ways", "dram.row_hits", "l1"):
            self.assertEqual(heddle.explain(name), program("explain", name))
        with self.assertRaisesRegex(heddle.Error, "did you mean"):
            heddle.explain("l1.wayz")

    def test_the_configuration_makes_the_same_machine(self):
        m = heddle.Machine("h200", set={"l1.latency": 33})
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "mine.toml")
            with open(file, "w") as f:
                f.write(m.toml())
            self.assertEqual(heddle.Machine(file).difference(m), {})

    def test_errors_survive_pickling(self):
        with self.assertRaises(heddle.Error) as caught:
            heddle.Machine("v10")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.advice), (str(caught.exception), caught.exception.advice))


if __name__ == "__main__":
    unittest.main()
