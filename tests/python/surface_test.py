"""What help(heddle) shows, and that nothing is loaded before it is needed."""

import contextlib
import doctest
import inspect
import io
import os
import pydoc
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import heddle


def page():
    with open(os.path.join(os.environ["HEDDLE_SOURCE"], "docs/python.md"), encoding="utf-8") as f:
        return f.read()


class Surface(unittest.TestCase):
    def test_everything_public_is_documented(self):
        for name in heddle.__all__:
            thing = getattr(heddle, name)
            self.assertTrue(inspect.getdoc(thing), name)
            self.assertIn(">>>", thing.__doc__, name)
            if not inspect.isclass(thing):
                continue
            self.assertEqual(thing.__module__, "heddle")
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property) or hasattr(value, "func")):
                    self.assertTrue(inspect.getdoc(value), f"{name}.{member}")

    def test_help_has_every_name(self):
        text = pydoc.plain(pydoc.render_doc(heddle))
        for name in heddle.__all__:
            self.assertIn(name, text)

    def test_signatures_have_types(self):
        for name in heddle.__all__:
            thing = getattr(heddle, name)
            if inspect.isfunction(thing):
                for parameter in inspect.signature(thing).parameters.values():
                    self.assertIsNot(parameter.annotation, parameter.empty, f"{name}: {parameter.name}")

    def test_examples_are_python(self):
        for name in heddle.__all__:
            thing = getattr(heddle, name)
            for part in [thing] + (list(vars(thing).values()) if inspect.isclass(thing) else []):
                for example in doctest.DocTestParser().get_examples(getattr(part, "__doc__", None) or ""):
                    compile(example.source, name, "single")

    def test_the_page_s_code_runs(self):
        blocks = re.findall(r"```python\n(.*?)```", page(), re.S)
        self.assertGreater(len(blocks), 5)
        names = {}
        with tempfile.TemporaryDirectory() as folder:
            usual = {"HEDDLE_STORE": os.path.join(folder, "store.sqlite"), "HEDDLE_HOME": os.environ["HEDDLE_SOURCE"]}
            with mock.patch.dict(os.environ, usual), contextlib.redirect_stdout(io.StringIO()):
                for block in blocks:
                    exec(compile(block.replace('scale="small"', 'scale="tiny"'), "docs/python.md", "exec"), names)
        self.assertEqual(names["y"][:3].tolist(), [1, 3, 5])

    def test_the_page_names_everything(self):
        for name in ("Machine", "Gpu", "Store", "Error", "archive", "compare", "designs", "explain", "presets", "run"):
            self.assertIn(f"heddle.{name}", page())

    # compare() forks in a process that has no other threads; numpy starts some.
    def test_importing_starts_no_threads_and_needs_no_numpy(self):
        code = "import heddle, sys, os; assert 'numpy' not in sys.modules; assert len(os.listdir('/proc/self/task')) == 1"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_it_is_this_source(self):
        told = subprocess.run([os.environ["HEDDLE_PROGRAM"], "--version"], check=True, capture_output=True, text=True).stdout
        self.assertIn(f"heddle {heddle.__version__} (source {heddle.source_hash[:12]}", told)


if __name__ == "__main__":
    unittest.main()
