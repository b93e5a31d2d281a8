"""Runs, their results, threads and Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import heddle


def same(record):
    """A record without what differs from run to run."""
    return {k: v for k, v in record.items() if k != "host"}


class Runs(unittest.TestCase):
    def test_a_record_is_that_of_the_program(self):
        r = heddle.run("hotspot", gpu="v100", scale="tiny", set={"l1.latency": 33})
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "record.json")
            subprocess.run([os.environ["HEDDLE_PROGRAM"], "run", "hotspot", "--gpu", "v100", "--scale", "tiny", "--set", "l1.latency=33",
                            "--detail", "--json", file, "-q"], check=True, capture_output=True)
            with open(file) as f:
                there = json.load(f)
        self.assertEqual(r.detail, there.pop("detail"))
        self.assertEqual(same(r.record), same(there))

    def test_a_result_by_its_parts(self):
        r = heddle.run("hotspot", gpu="v100", scale="tiny", set={"measure.funnel": True})
        self.assertEqual((r.workload, r.gpu, r.verified, r.complete, r.from_store), ("hotspot", "v100", True, True, False))
        self.assertEqual(r.cycles, r["gpu.cycles"])
        self.assertAlmostEqual(r.seconds, r.cycles / 1.38e9, delta=r.seconds * 1e-3)
        self.assertEqual(r.statistics.unit("gpu.cycles"), "cycles")
        self.assertIn("launch overhead", r.statistics.about("gpu.cycles"))
        self.assertEqual(r["l1.miss_latency.mean"], r["l1.miss_latency"]["mean"])
        self.assertEqual(r.statistics.unit("l1.miss_latency.mean"), "cycles")
        with self.assertRaisesRegex(KeyError, "did you mean 'gpu.cycles'"):
            r["gpu.cycle"]
        self.assertNotIn("gpu.cycle", r.statistics)
        self.assertEqual(sum(r.launches["cycles"]), r.cycles)
        self.assertEqual(r.kernels["kernel"], ["calculate_temp"])
        self.assertEqual(r.kernels["launches"], [2])
        self.assertGreater(r.kernels["ctas_per_sm"][0], 0)
        self.assertEqual(r.machine, heddle.Machine("v100", set={"measure.funnel": True}).toml())
        self.assertIn("heddle run hotspot --scale tiny", r.command)
        self.assertIn("hotspot on v100", repr(r))

    def test_the_funnel_narrows(self):
        r = heddle.run("hotspot", scale="tiny", set={"measure.funnel": True})
        f = r.funnel
        self.assertIn("L1 misses", f["name"])
        self.assertTrue(any(n is not None for n in f["could_merge"]))
        for place in f.places:
            taken = sum(p["count"] for p in place["removed"]) - sum(p["count"] for p in place["added"])
            count = dict(zip(f["name"], f["count"]))
            self.assertEqual(count[place["in"]] - taken, count[place["out"]])
        self.assertTrue(all(n is None for n in heddle.run("hotspot", scale="tiny").funnel["could_merge"]))

    def test_series_add_up(self):
        r = heddle.run("hotspot", gpu="v100", scale="tiny")
        self.assertEqual(sum(r.detail["series"]["counts"]["sm.instructions"]), r["sm.instructions"])
        s = r.series
        self.assertEqual(set(s), {"from", "until"} | set(s.about))
        self.assertEqual({len(column) for column in s.values()}, {len(s["from"])})
        with self.assertRaisesRegex(heddle.Error, "detail=True"):
            heddle.run("hotspot", scale="tiny", detail=False).series

    def test_energy(self):
        r = heddle.run("hotspot", gpu="h200", scale="tiny")
        self.assertAlmostEqual(r.energy["total"], r["energy.total"] * 1e-12)
        self.assertAlmostEqual(r.power, r.energy["total"] / r.seconds)
        self.assertTrue(1 < r.power < 2000)

    def test_no_result_depends_on_host_threads(self):
        one, two = (heddle.run("srad", scale="tiny", threads=n) for n in (1, 2))
        self.assertEqual(same(one.record), same(two.record))
        self.assertEqual(one.detail, two.detail)

    def test_wrong_input_is_an_error(self):
        for arguments, text in ((("hotspt",), "hotspot"), (("hotspot", "v10"), "v100")):
            with self.assertRaisesRegex(heddle.Error, text):
                heddle.run(*arguments)
        with self.assertRaisesRegex(heddle.Error, "tiny, small, paper"):
            heddle.run("hotspot", scale="huge")
        with self.assertRaisesRegex(heddle.Error, "threads"):
            heddle.run("hotspot", threads=0)
        with self.assertRaises(TypeError):
            heddle.run("hotspot", theads=1)

    def test_a_store_keeps_results(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "store.sqlite")
            first = heddle.run("hotspot", scale="tiny", store=store)
            again = heddle.run("hotspot", scale="tiny", store=store)
            other = heddle.run("hotspot", scale="tiny", seed=2, store=store)
            self.assertEqual((first.from_store, again.from_store, other.from_store), (False, True, False))
            self.assertEqual(first.record, again.record)
            self.assertEqual(first.detail, again.detail)
            self.assertEqual(heddle.Store(store).points()["seed"], [1, 2])

    def test_a_launch_file(self):
        example = os.path.join(os.environ["HEDDLE_SOURCE"], "examples/saxpy")
        r = heddle.run(os.path.join(example, "saxpy.cu"), gpu="v100", launch=os.path.join(example, "launch.toml"))
        self.assertTrue(r.verified)


class Threads(unittest.TestCase):
    def test_two_threads_simulate_two_machines_at_once(self):
        jobs = [("hotspot", "v100"), ("srad", "clustered60"), ("bfs", "h200"), ("hotspot", "v100")]
        alone = [heddle.run(w, gpu=g, scale="tiny") for w, g in jobs]
        together = [None] * len(jobs)
        begun = threading.Barrier(len(jobs))

        def simulate(i):
            begun.wait()
            together[i] = heddle.run(jobs[i][0], gpu=jobs[i][1], scale="tiny")

        threads = [threading.Thread(target=simulate, args=(i,)) for i in range(len(jobs))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for a, b in zip(alone, together):
            self.assertEqual(same(a.record), same(b.record))
            self.assertEqual(a.detail, b.detail)

    def test_python_goes_on_while_it_simulates(self):
        done = threading.Event()
        ticks = 0
        t = threading.Thread(target=lambda: (heddle.run("srad", scale="small"), done.set()))
        t.start()
        while not done.is_set():
            time.sleep(0.005)
            ticks += 1
        t.join()
        self.assertGreater(ticks, 10)


class CtrlC(unittest.TestCase):
    # In a process of its own: the signal is the process's. What a shell starts in the background ignores it, so that
    # Python does, too, unless it is told.
    def interrupted(self, code):
        listens = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        child = subprocess.Popen([sys.executable, "-c", listens + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), "begins\n")
        time.sleep(0.5)
        before = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertLess(time.monotonic() - before, 10)
        return out, err

    def test_a_simulation(self):
        out, err = self.interrupted(
            "import heddle\nprint('begins', flush=True)\n"
            "try: heddle.run('gemm' if 'gemm' in heddle.workloads() else 'srad', scale='paper')\n"
            "except KeyboardInterrupt: print('interrupted', heddle.run('hotspot', scale='tiny').verified)\n")
        self.assertEqual(out, "interrupted True\n", err)

    def test_a_comparison(self):
        with tempfile.TemporaryDirectory() as folder:
            out, err = self.interrupted(
                "import heddle\nprint('begins', flush=True)\n"
                f"try: heddle.compare('srad', scale='paper', store={folder + '/s.sqlite'!r})\n"
                "except KeyboardInterrupt: print('interrupted')\n")
        self.assertEqual(out, "interrupted\n", err)


if __name__ == "__main__":
    unittest.main()
