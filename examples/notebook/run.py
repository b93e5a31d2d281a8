"""Runs the notebook's code without Jupyter.

    python3 run.py [--scale small] [--picture FILE.png]   # its code cells, one after the other
    python3 run.py --strip                                # removes outputs, as the notebook is kept

Without pandas or matplotlib what needs them is left out.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import re
import sys
from unittest import mock

NOTEBOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "heddle.ipynb")


def read():
    with open(NOTEBOOK, encoding="utf-8") as f:
        return json.load(f)


def stripped(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    notebook["metadata"] = {k: v for k, v in notebook["metadata"].items() if k == "kernelspec"}
    notebook["metadata"]["language_info"] = {"name": "python"}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def cells(notebook):
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(scale="tiny", picture=None):
    """Returns what the cells print."""
    for name in ("pandas", "matplotlib"):
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = mock.MagicMock()
    if isinstance(sys.modules.get("matplotlib"), mock.MagicMock):
        plot = sys.modules["matplotlib.pyplot"] = sys.modules["matplotlib"].pyplot
        plot.subplots.return_value = (mock.MagicMock(), ((mock.MagicMock(),) * 2,) * 2)
    else:
        import matplotlib

        matplotlib.use("Agg")
    names = {"__name__": "__main__"}
    out = io.StringIO()
    for number, code in enumerate(cells(read()), 1):
        code = re.sub(r'^scale = "tiny"', f'scale = "{scale}"', code, flags=re.M)
        if picture:
            code = code.replace("plt.show()", f"figure.savefig({picture!r}, dpi=80)")
        with contextlib.redirect_stdout(out):
            exec(compile(code, f"cell {number}", "exec"), names)
    return out.getvalue()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="tiny")
    parser.add_argument("--picture")
    parser.add_argument("--strip", action="store_true")
    options = parser.parse_args()
    if options.strip:
        text = stripped(read())
        with open(NOTEBOOK, "w", encoding="utf-8") as f:
            f.write(text)
    else:
        print(run(options.scale, options.picture))
