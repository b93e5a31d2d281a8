"""The example notebook, cell after cell."""

import importlib.util
import os
import tempfile
import unittest
from unittest import mock

path = os.path.join(os.environ["HEDDLE_SOURCE"], "examples/notebook/run.py")
spec = importlib.util.spec_from_file_location("notebook", path)
notebook = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebook)


class Notebook(unittest.TestCase):
    def test_its_cells_run(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"HEDDLE_STORE": os.path.join(folder, "store.sqlite")}):
            out = notebook.run()
        for text in ("clustered60:", "verified", "DB+ICC+CC", "L1 misses", "saxpy"):
            self.assertIn(text, out)

    def test_it_is_kept_without_outputs(self):
        with open(notebook.NOTEBOOK, encoding="utf-8") as f:
            self.assertEqual(f.read(), notebook.stripped(notebook.read()))


if __name__ == "__main__":
    unittest.main()
