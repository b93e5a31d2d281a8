"""Comparisons, the store, archives, tables."""

import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from unittest import mock

import numpy  # noqa: F401  its threads must not matter
import heddle


class Comparing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.store = os.path.join(cls.folder.name, "store.sqlite")
        cls.designs = ["baseline", "DB", "big:DB+ICC:cluster.icc.entries=160"]
        cls.comparison = heddle.compare(["hotspot", "srad"], designs=cls.designs, scale="tiny", store=cls.store)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_numbers_are_those_of_the_program(self):
        c = self.comparison
        self.assertEqual((c.workloads, c.designs), (["hotspot", "srad"], ["baseline", "DB", "big"]))
        self.assertEqual((c.simulated, c.from_store, c.failures), (6, 0, {}))
        again = subprocess.run([os.environ["HEDDLE_PROGRAM"], "compare", "hotspot", "srad", "--designs", ",".join(self.designs), "--scale", "tiny",
                                "--store", self.store], check=True, capture_output=True, text=True)
        self.assertIn("Nothing was simulated: 6 points from the store", again.stdout)
        tables = lambda text: text[text.index("speed-up: change"):text.index("All 6 results")]  # noqa: E731
        self.assertEqual(tables(str(c)), tables(again.stdout))

    def test_the_table_has_the_results(self):
        t = self.comparison.table
        self.assertEqual(t.count(), 6)
        base, fast = (t.where(workload="hotspot", design=d) for d in ("baseline", "big"))
        self.assertEqual(base["cycles"][0], self.comparison.result("hotspot", "baseline").cycles)
        speed_up = 100 * (base["cycles"][0] / fast["cycles"][0] - 1)
        self.assertAlmostEqual(fast["speed_up"][0], speed_up, places=1)
        self.assertEqual(set(self.comparison.units) - set(t), set())
        self.assertTrue(self.comparison.result("srad", "big").verified)
        self.assertTrue(any(self.comparison.result("srad", "big").funnel["could_merge"]))
        with self.assertRaisesRegex(heddle.Error, "designs: baseline, DB, big"):
            self.comparison.result("srad", "bigger")

    def test_points_are_not_simulated_twice(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            again = heddle.compare(["hotspot"], designs=["baseline", "DB", "ICC"], scale="tiny", store=heddle.Store(self.store), progress=True)
        self.assertEqual((again.simulated, again.from_store), (1, 2))
        self.assertIn("3 of 3: hotspot ICC", told.getvalue())

    def test_errors_are_those_of_the_program(self):
        for arguments, text in (({"workloads": "hotspt"}, "hotspot"), ({"workloads": "hotspot", "designs": ["DBB"]}, "DB"),
                                ({"workloads": "hotspot", "set": {"l1.wayz": 1}}, "l1.ways"), ({"workloads": "hotspot", "gpu": "v10"}, "v100"),
                                ({"workloads": ["hotspot", "hotspot"]}, "twice")):
            with self.subTest(text), self.assertRaisesRegex(heddle.Error, text):
                heddle.compare(**arguments, scale="tiny", store=self.store)

    def test_what_cannot_be_built_is_told(self):
        c = heddle.compare("hotspot", designs=["baseline", "Sh40"], gpu="v100", scale="tiny", store=self.store)
        self.assertEqual(c.designs, ["baseline"])
        self.assertIn("l1.decoupled.sets", c.failures["Sh40"])

    def test_a_machine_of_ones_own(self):
        m = heddle.Machine("v100", set={"l1.latency": 33})
        c = heddle.compare("hotspot", designs="baseline", gpu=m, scale="tiny", store=self.store)
        self.assertIn("latency = 33", c.result("hotspot", "baseline").machine)


class Stores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "store.sqlite")
        cls.comparison = heddle.compare("hotspot", designs=["baseline", "DB"], scale="tiny", store=cls.path)
        cls.alone = heddle.run("srad", gpu="v100", scale="tiny", store=cls.path)
        cls.store = heddle.Store(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_points_and_filters(self):
        all = self.store.points()
        self.assertEqual(sorted(all["design"]), ["", "DB", "baseline"])
        self.assertEqual(self.store.points(study="compare", design="DB")["workload"], ["hotspot"])
        self.assertEqual(self.store.points(gpu="v100")["workload"], ["srad"])
        self.assertEqual(self.store.points(workload="SRAD")["gpu"], ["v100"])
        with self.assertRaisesRegex(heddle.Error, "compare"):
            self.store.points(study="compar")

    def test_statistics_as_columns(self):
        t = self.store.table(["gpu.cycles", "l1.miss_latency.mean"], study="compare")
        self.assertEqual(dict(zip(t["design"], t["gpu.cycles"])),
                         {d: self.comparison.result("hotspot", d).cycles for d in ("baseline", "DB")})
        self.assertEqual(set(self.store.table("gpu.cycles", workload="srad")["gpu.cycles"]), {self.alone.cycles})
        with self.assertRaisesRegex(heddle.Error, "did you mean 'gpu.cycles'"):
            self.store.table(["gpu.cycle"])

    def test_results_by_key(self):
        key = self.store.points(workload="srad")["key"][0]
        r = self.store.result(key[:12])
        self.assertEqual((r.record, r.detail), (self.alone.record, self.alone.detail))
        self.assertGreater(len(r.series["until"]), 0)
        with self.assertRaisesRegex(heddle.Error, "begins with"):
            self.store.result("xyz")

    def test_a_store_that_is_not_there(self):
        with self.assertRaisesRegex(heddle.Error, "does not exist"):
            heddle.Store(os.path.join(self.folder.name, "nothing.sqlite"))

    def test_the_usual_store(self):
        with mock.patch.dict(os.environ, {"HEDDLE_STORE": self.path}):
            self.assertEqual(heddle.Store().path, self.path)
            self.assertTrue(heddle.run("srad", gpu="v100", scale="tiny", store=True).from_store)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                self.store.points().to_pandas()
            return
        frame = self.store.table(["gpu.cycles"], pandas=True)
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(len(frame), 3)


class Archives(unittest.TestCase):
    def test_an_archive_by_name_and_by_file(self):
        with mock.patch.dict(os.environ, {"HEDDLE_HOME": os.environ["HEDDLE_SOURCE"]}):
            a = heddle.archive("icc", machine="first")
        self.assertEqual(a.study, "icc@first")
        b = heddle.archive(a.path)
        designs = b.points(workload="hotspot")["design"]
        self.assertIn("D", designs)
        t = b.table(["gpu.cycles", "l1.read_hit_rate"], design="D")
        self.assertEqual(set(t["design"]), {"D"})
        self.assertTrue(all(c > 0 for c in t["gpu.cycles"]))
        self.assertIn("gpu.cycles", b.statistics)
        self.assertEqual(b.points(design="nothing").count(), 0)
        with self.assertRaisesRegex(heddle.Error, "did you mean"):
            b.table(["gpu.cycle"])

    def test_what_is_not_there(self):
        with self.assertRaisesRegex(heddle.Error, "there is no archive"):
            heddle.archive("nothing.json.zst")
        with self.assertRaisesRegex(heddle.Error, "icc"):
            heddle.archive("icd")


class Tables(unittest.TestCase):
    def test_a_table_is_columns(self):
        t = heddle.Table(name=["a", "b", "c"], value=[1, 2.5, None])
        self.assertEqual(list(t.rows())[1], {"name": "b", "value": 2.5})
        self.assertEqual(t.where(name="b"), {"name": ["b"], "value": [2.5]})
        self.assertEqual(str(t).splitlines(), ["name  value", "a     1", "b     2.5", "c"])
        self.assertIn("<td>2.5</td>", t._repr_html_())
        with self.assertRaisesRegex(KeyError, "it has name, value"):
            t.where(nothing=1)
        self.assertIn("... 40 more", str(heddle.Table(x=list(range(100)))))


if __name__ == "__main__":
    unittest.main()
