"""Kernels of one's own."""

from __future__ import annotations

import json
import os
import sys
import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _heddle
from ._error import error
from ._machine import Machine, Settings, machine
from ._result import Result, Statistics
from ._run import headers

Shape = Union[int, Sequence[int]]


def _numpy():
    try:
        import numpy
    except ImportError as e:
        raise ImportError("arrays need numpy (Debian: python3-numpy)") from e
    return numpy


def _dim3(what: str, shape: Shape) -> List[int]:
    given = [shape] if not isinstance(shape, (list, tuple)) else list(shape)
    try:
        numbers = [n.__index__() for n in given]
    except AttributeError:
        raise error(f"{what}={shape!r}: expected a number, or up to three") from None
    if not 1 <= len(numbers) <= 3 or any(not 1 <= n < 2**32 for n in numbers):
        raise error(f"{what}={shape!r}: expected a number, or up to three, each at least 1")
    return numbers + [1] * (3 - len(numbers))


def _unsigned(what: str, number: int) -> int:
    if not isinstance(number, int) or not 0 <= number < 2**32:
        raise error(f"{what}={number!r}: expected a number that is not negative")
    return number


class Array:
    """An array in a Gpu's memory: ``gpu.array(x)``, ``gpu.zeros(...)``, ``module.variable(...)``.

    Kernels take it where they take a pointer. It is released when nothing refers to it any more.

    >>> d = gpu.array(numpy.arange(1024, dtype="float32"))
    >>> kernel(4, 256, d); gpu.run()
    >>> d.numpy()
    """

    __module__ = "heddle"

    def __init__(self, gpu: "Gpu", address: int, shape: Tuple[int, ...], dtype: Any, owned: bool):
        self._gpu = gpu
        self._address = address
        self.shape: Tuple[int, ...] = shape
        self.dtype = dtype
        if owned:
            weakref.finalize(self, gpu._core.release, address)

    @property
    def nbytes(self) -> int:
        """Its size."""
        size = self.dtype.itemsize
        for n in self.shape:
            size *= n
        return size

    def numpy(self):
        """Its contents as a new numpy array. Raises heddle.Error while launches wait for ``gpu.run()``.

        >>> gpu.zeros(4).numpy()
        """
        self._gpu._require_ended("reading an array")
        values = _numpy().empty(self.shape, self.dtype)
        if values.nbytes:
            self._gpu._core.copy_out(values.reshape(-1).view("u1"), self._address)
        return values

    def write(self, values) -> None:
        """Replaces its contents: by an array of the same shape, or one number for all.

        >>> d.write(numpy.ones(1024, "float32"))
        """
        self._gpu._require_ended("writing an array")
        np = _numpy()
        values = np.asarray(values)
        if values.shape not in (self.shape, ()):
            raise error(f"the array has the shape {self.shape}, and {values.shape} was given")
        _copy_in(self._gpu, self._address, np.broadcast_to(values.astype(self.dtype, casting="same_kind"), self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"heddle.Array(shape={self.shape}, dtype={self.dtype})"


def _copy_in(gpu: "Gpu", address: int, values) -> None:
    if values.nbytes:
        gpu._core.copy_in(address, _numpy().ascontiguousarray(values).reshape(-1).view("u1"))


class Launch:
    """A launch that has run; ``gpu.run()`` returns them. ``launch["gpu.cycles"]`` is short for ``launch.statistics[...]``.

    ``cycles`` and ``start`` are None, and ``occupancy`` is empty, where nothing has a time (``Gpu(functional=True)``).

    >>> launch, = gpu.run()
    >>> launch.kernel, launch.cycles, launch["l1.read_hit_rate"], launch.occupancy["limited_by"]
    """

    __module__ = "heddle"

    def __init__(self, done):
        self.kernel: str = done.kernel
        self.grid: Tuple[int, int, int] = done.grid
        self.block: Tuple[int, int, int] = done.block
        self.start: Optional[int] = done.start
        self.cycles: Optional[int] = done.cycles
        self.occupancy: Dict[str, Any] = json.loads(done.occupancy) if done.occupancy else {}
        self.statistics: Statistics = Statistics(json.loads(done.statistics))

    def __getitem__(self, name: str) -> Any:
        return self.statistics[name]

    def __repr__(self) -> str:
        time = "" if self.cycles is None else f": {self.cycles:,} cycles"
        return f"heddle.Launch({self.kernel}<<<{self.grid}, {self.block}>>>{time})"


class Kernel:
    """A kernel of a module. Calling it queues a launch; ``gpu.run()`` runs what is queued.

    >>> saxpy = module.kernel("saxpy")
    >>> saxpy(40, 256, 10000, 2.0, x, y)
    >>> saxpy((4, 10), (16, 16), 10000, 2.0, x, y, shared=1024, stream=1)
    """

    __module__ = "heddle"

    def __init__(self, module: "Module", name: str):
        self._module = module
        self._name = name

    @property
    def signature(self) -> str:
        """Its name, and the types of its parameters in PTX."""
        return self._module._gpu._core.signature(self._module._number, self._name)

    def __call__(self, grid: Shape, block: Shape, *arguments: Any, shared: int = 0, stream: int = 0,
                 registers: int = 0) -> None:
        """Queues a launch. Grid and block are a number, or up to three.

        Arguments are numbers, numpy arrays (copied to the device, and back after ``gpu.run()`` unless they are read-only),
        ``Array``, and ``bytes`` for structs. ``shared``: bytes of dynamic shared memory. Launches of one ``stream`` run in
        order. ``registers`` per thread, where the estimate from PTX is not wanted.

        Raises heddle.Error, which names the parameter, for a number, type or size that does not fit.
        """
        gpu = self._module._gpu
        staged = dict(gpu._staged)
        try:
            taken = [gpu._argument(a, i, self) for i, a in enumerate(arguments)]
            gpu._core.launch(self._module._number, self._name, _dim3("grid", grid), _dim3("block", block), taken,
                             _unsigned("shared", shared), _unsigned("stream", stream), _unsigned("registers", registers))
        except BaseException:
            gpu._staged = staged  # what is not launched is not copied back
            raise
        gpu._kept.extend(a for a in arguments if isinstance(a, Array))

    def __repr__(self) -> str:
        return f"heddle.Kernel({self._name})"


class Module:
    """Kernels and variables that were loaded together; ``gpu.load()`` makes it.

    >>> module = gpu.load("kernels.cu")
    >>> module.kernels
    ['saxpy']
    """

    __module__ = "heddle"

    def __init__(self, gpu: "Gpu", number: int, ptx: str, messages: str):
        self._gpu = gpu
        self._number = number
        self.ptx: str = ptx
        self.messages: str = messages

    @property
    def kernels(self) -> List[str]:
        """The names of its kernels."""
        return self._gpu._core.kernels(self._number)

    def kernel(self, name: str) -> Kernel:
        """A kernel by its name: as in the source, as in PTX, or a part that only one has.

        >>> module.kernel("saxpy")(40, 256, n, 2.0, x, y)
        """
        return Kernel(self, self._gpu._core.find_kernel(self._number, name))

    def variable(self, name: str, dtype: Any = "uint8", shape: Optional[Shape] = None) -> Array:
        """A ``__device__`` or ``__constant__`` variable as an array; by default all of it in one dimension.

        >>> module.variable("coefficients", "float32").write([0.25, 0.5, 0.25])
        """
        np = _numpy()
        address, size = self._gpu._core.variable(self._number, name)
        dtype = _check_dtype(np.dtype(dtype))
        dims = (size // dtype.itemsize,) if shape is None else tuple([shape] if isinstance(shape, int) else shape)
        array = Array(self._gpu, address, dims, dtype, owned=False)
        if array.nbytes != size:
            raise error(f"the variable '{name}' has {size} bytes, {array.nbytes} were asked for")
        return array

    def __repr__(self) -> str:
        return f"heddle.Module({', '.join(self.kernels)})"


class Gpu:
    """A simulated card for kernels of one's own.

    ``gpu`` is a preset, a file or a ``Machine``; ``set`` and ``design`` change it. ``functional=True`` only computes: fast, with no
    notion of time. ``threads`` are host threads; ``detail`` keeps what ``result().series`` shows.

    >>> gpu = heddle.Gpu("h200")
    >>> module = gpu.load("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }")
    >>> x = numpy.arange(32, dtype="float32")
    >>> module.kernel("twice")(1, 32, x)
    >>> launch, = gpu.run()
    >>> launch.cycles, x[5]

    A Gpu is for one thread at a time.
    """

    __module__ = "heddle"

    def __init__(self, gpu: Union[str, os.PathLike, Machine, None] = None, *, set: Optional[Settings] = None,
                 design: Optional[str] = None, functional: bool = False, threads: int = 1, detail: bool = False):
        self.machine: Machine = Machine(machine(gpu, set, design))
        self._core = _heddle.Device(self.machine._core, functional, threads, detail)
        self._staged: Dict[Any, Tuple[Any, Array]] = {}  # arrays of the host that launches were given, by where they lie
        self._kept: List[Array] = []  # what queued launches use

    def load(self, source: Union[str, os.PathLike]) -> Module:
        """Loads kernels: CUDA or PTX as a text, or a .cu or .ptx file.

        CUDA is compiled by clang-19 (Debian: clang-19), as ``heddle run my.cu`` does; without it the error says so. What Heddle
        cannot execute is refused here, with its line.

        >>> gpu.load("kernels.cu")
        >>> gpu.load(open("kernels.ptx").read())
        """
        text = os.fspath(source)
        if not isinstance(source, str) or ("\n" not in text and text.endswith((".cu", ".ptx"))):
            compiled = _heddle.compile_file(text, headers())
            ptx, file, messages = compiled.ptx, compiled.file, compiled.messages
        elif _is_ptx(text):
            ptx, file, messages = text, "PTX from Python", ""
        else:
            compiled = _heddle.compile_text(text, headers())
            ptx, file, messages = compiled.ptx, compiled.file, compiled.messages
        return Module(self, self._core.load(ptx, file), ptx, messages)

    def array(self, values, dtype: Any = None) -> Array:
        """Copies an array (or what numpy makes one of) to the device, for as long as the Array lives.

        >>> d = gpu.array([1, 2, 3], "int32")
        """
        values = _numpy().asarray(values, dtype)
        _check_dtype(values.dtype)
        array = self._new(values.shape, values.dtype, "array")
        _copy_in(self, array._address, values)
        return array

    def zeros(self, shape: Shape, dtype: Any = "float32") -> Array:
        """A new array on the device, all zero.

        >>> gpu.zeros((512, 512), "float32")
        """
        return self._new(tuple([shape] if isinstance(shape, int) else shape), _check_dtype(_numpy().dtype(dtype)), "array")

    def run(self) -> List[Launch]:
        """Runs what was launched since the last call, and returns it: one ``Launch`` for each.

        Arrays of numpy's that launches were given have their results then, and what kernels printed comes to ``sys.stdout``. Of
        launches in several streams the first has the statistics of all.

        >>> for launch in gpu.run(): print(launch.kernel, launch.cycles)

        Ctrl-C ends it with KeyboardInterrupt; the Gpu cannot launch anything after that.
        """
        staged, kept = list(self._staged.values()), self._kept
        self._staged, self._kept = {}, []
        try:
            done = self._core.run()
        finally:
            printed = self._core.take_output()
            if printed:
                sys.stdout.write(printed.decode("utf-8", "replace"))
        for host, array in staged:
            if host.flags.writeable:
                host[...] = array.numpy()
        del kept
        return [Launch(d) for d in done]

    def result(self) -> Result:
        """All launches so far as one Result: statistics, funnel, energy; series with ``Gpu(..., detail=True)``.

        >>> gpu.result().energy["total"]
        """
        self._require_ended("a result")
        return Result(*self._core.record())

    def _new(self, shape: Tuple[int, ...], dtype: Any, label: str) -> Array:
        size = dtype.itemsize
        for n in shape:
            size *= n
        return Array(self, self._core.allocate(max(size, 1), label), shape, dtype, owned=True)

    def _require_ended(self, what: str) -> None:
        if self._core.queued():
            raise error(f"{what}: {self._core.queued()} launches have not run yet", "gpu.run() runs them")

    # What C++ takes for an argument.
    def _argument(self, a: Any, i: int, kernel: Kernel) -> Any:
        if isinstance(a, (bool, int, float, bytes)):
            return a
        if isinstance(a, (bytearray, memoryview)):
            return bytes(a)
        if isinstance(a, Array):
            if a._gpu is not self:
                raise error(f"argument {i + 1} of '{kernel._name}': the array is of another Gpu", kernel.signature)
            return _heddle.Address(a._address)
        np = sys.modules.get("numpy")
        if np is not None and isinstance(a, np.ndarray) and a.shape != ():
            return _heddle.Address(self._stage(a)._address)
        if np is not None and isinstance(a, np.generic) and a.dtype.kind in "biuf":
            return a.item()
        if np is not None and isinstance(a, np.void):
            return a.tobytes()
        raise error(f"argument {i + 1} of '{kernel._name}': expected a number, an array or bytes, not {type(a).__name__}",
                    kernel.signature)

    # The same array is the same memory for all launches until run(). Two that overlap would be two memories, and the second that
    # is copied back would undo what kernels wrote through the first.
    def _stage(self, values) -> Array:
        key = (values.__array_interface__["data"][0], values.shape, values.strides, values.dtype)
        if key not in self._staged:
            _check_dtype(values.dtype)
            for other, _ in self._staged.values():
                if (values.flags.writeable or other.flags.writeable) and _overlap(values, other):
                    raise error("two numpy arrays that share memory cannot both be given to kernels",
                                "make one array of the device for both with gpu.array(), or copy one of them")
            array = self._new(values.shape, values.dtype, "numpy array")
            _copy_in(self, array._address, values)
            self._staged[key] = (values, array)
        return self._staged[key][1]

    def __repr__(self) -> str:
        return f"heddle.Gpu({self.machine.name!r})"


def _check_dtype(dtype: Any) -> Any:
    if dtype.hasobject:
        raise error("an array of Python objects has no meaning on a device", "give it a dtype of numbers")
    if not dtype.isnative:
        raise error(f"an array of {dtype.name} in the other byte order has no meaning on a device",
                    "values.astype(values.dtype.newbyteorder('=')) is the same in the right one")
    return dtype


def _overlap(a, b) -> bool:
    try:
        return _numpy().shares_memory(a, b, max_work=10_000)
    except RuntimeError:  # it takes too long to find out
        return True


def _is_ptx(text: str) -> bool:
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith("//"):
            return line.startswith((".version", "/*")) and ".target" in text
    return False
