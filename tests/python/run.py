"""Runs the tests of a file and ends as GoogleTest's programs do, so that ./test counts them."""

import importlib.util
import sys
import unittest

spec = importlib.util.spec_from_file_location("tests", sys.argv[1])
tests = importlib.util.module_from_spec(spec)
sys.modules["tests"] = tests
spec.loader.exec_module(tests)
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(unittest.defaultTestLoader.loadTestsFromModule(tests))
bad = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
print(f"[  PASSED  ] {result.testsRun - bad} tests.")
if bad:
    print(f"[  FAILED  ] {bad} tests, listed above")
sys.exit(1 if bad or result.testsRun == 0 else 0)
