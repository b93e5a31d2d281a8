"""Kernels of one's own, with numpy."""

import contextlib
import gc
import io
import os
import threading
import unittest

import numpy as np

import heddle

SCALE = """
.version 6.4
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 a, .param .u32 n, .param .align 4 .b8 s[8])
{
  .reg .pred %p; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n]; ld.param.u32 %r5, [s+4];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4; add.u32 %r2, %r2, %r5;
  setp.ge.u32 %p, %r2, %r1;
  @%p bra END;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  ld.global.f32 %f2, [%rd3]; mul.f32 %f3, %f2, %f1; st.global.f32 [%rd3], %f3;
END:
  ret;
}
"""

CUDA = """
__constant__ float weights[3];
__device__ int counter;
__global__ void blur(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = weights[0] * in[i - 1] + weights[1] * in[i] + weights[2] * in[i + 1];
}
__global__ void count() { atomicAdd(&counter, 1); }
__global__ void say(int n) { if (threadIdx.x == 0) printf("%d says hello\\n", n); }
"""

NOTHING = bytes(8)


class Launching(unittest.TestCase):
    def setUp(self):
        self.gpu = heddle.Gpu("v100")
        self.scale = self.gpu.load(SCALE).kernel("scale")

    def test_arrays_of_numpy_come_back(self):
        x = np.arange(1000, dtype=np.float32)
        self.scale(4, 256, x, 2.0, 1000, NOTHING)
        self.assertEqual(x[10], 10)  # not yet
        launch, = self.gpu.run()
        np.testing.assert_array_equal(x, 2 * np.arange(1000, dtype=np.float32))
        self.assertEqual((launch.kernel, launch.grid, launch.block), ("scale", (4, 1, 1), (256, 1, 1)))
        self.assertGreater(launch.cycles, 100)
        self.assertEqual(launch["sm.ctas"], 4)
        self.assertGreater(launch.occupancy["ctas_per_sm"], 0)
        self.assertEqual(self.gpu.run(), [])

    def test_one_array_is_one_memory_until_the_run(self):
        x = np.ones(256, np.float32)
        for _ in range(3):
            self.scale(1, 256, x, 2.0, 256, NOTHING)
        self.assertEqual([launch.kernel for launch in self.gpu.run()], ["scale"] * 3)
        self.assertEqual(set(x), {8.0})

    def test_arrays_that_share_memory_are_refused(self):
        x = np.arange(1000, dtype=np.float32)
        self.scale(1, 64, x[:500], 2.0, 500, NOTHING)
        with self.assertRaisesRegex(heddle.Error, "share memory"):
            self.scale(1, 64, x[400:], 2.0, 500, NOTHING)
        self.scale(1, 64, x[500:], 3.0, 500, NOTHING)
        self.scale(1, 64, x[500:], 2.0, 500, NOTHING)  # another object, the same memory
        self.gpu.run()
        self.assertEqual((x[1], x[501], x[400]), (2, 3006, 400))

    def test_the_other_byte_order_is_refused(self):
        other = np.dtype(np.float32).newbyteorder()
        for make in (lambda: self.gpu.array([1.0], other), lambda: self.gpu.zeros(4, other),
                     lambda: self.scale(1, 64, np.zeros(4, other), 2.0, 4, NOTHING)):
            with self.assertRaisesRegex(heddle.Error, "byte order"):
                make()

    def test_what_is_refused_leaves_arrays_alone(self):
        x = np.ones(256, np.float32)
        with self.assertRaises(heddle.Error):
            self.scale(1, 256, x, 2.0, 256)
        x[:] = 5
        self.scale(1, 256, x, 2.0, 256, NOTHING)
        self.gpu.run()
        self.assertEqual(set(x), {10.0})

    def test_read_only_arrays_and_views(self):
        fixed = np.ones(256, np.float32)
        fixed.flags.writeable = False
        whole = np.ones(512, np.float32)
        self.scale(1, 256, fixed, 2.0, 256, NOTHING)
        self.scale(1, 256, whole[::2], 3.0, 256, NOTHING)
        self.gpu.run()
        self.assertEqual(set(fixed), {1.0})
        np.testing.assert_array_equal(whole, np.tile([3.0, 1.0], 256).astype(np.float32))

    def test_arrays_that_stay_on_the_device(self):
        d = self.gpu.array(np.ones((16, 16)), "float32")
        self.scale(1, 256, d, 5.0, 256, NOTHING)
        with self.assertRaisesRegex(heddle.Error, "run"):
            d.numpy()
        self.gpu.run()
        self.assertEqual((d.numpy().shape, set(d.numpy().ravel())), ((16, 16), {5.0}))
        d.write(7)
        self.assertEqual(set(d.numpy().ravel()), {7.0})
        with self.assertRaisesRegex(heddle.Error, "shape"):
            d.write(np.ones(3))
        self.assertEqual(set(self.gpu.zeros(8).numpy()), {0.0})
        self.assertEqual(self.gpu.zeros(0).numpy().shape, (0,))

    def test_what_a_launch_uses_lives_until_the_run(self):
        d = self.gpu.array(np.ones(256, np.float32))
        self.scale(1, 256, d, 2.0, 256, NOTHING)
        del d
        gc.collect()
        other = self.gpu.array(np.ones(256, np.float32))  # takes the place of what is released
        self.gpu.run()
        self.assertEqual(set(other.numpy()), {1.0})

    def test_structs_are_bytes(self):
        x = np.ones(256, np.float32)
        self.scale(1, 128, x, 2.0, 256, np.array([0, 128], "i4").tobytes())
        self.gpu.run()
        np.testing.assert_array_equal(x, np.repeat([1.0, 2.0], 128).astype(np.float32))

    def test_numbers_become_what_the_parameter_is(self):
        x = np.ones(256, np.float32)
        self.scale(np.int64(1), (256, 1), x, 2, np.uint32(256), NOTHING)
        self.scale([1, 1, 1], 256, x, np.float32(2), 256, bytearray(8))
        self.gpu.run()
        self.assertEqual(set(x), {4.0})

    def test_what_does_not_fit_names_the_parameter(self):
        x = np.ones(256, np.float32)
        cases = [
            ((x, 2.0, 256), "3 arguments given, the kernel takes 4"),
            ((1.5, 2.0, 256, NOTHING), "argument 1 of 'scale' .*1.5 is no integer"),
            ((x, x, 256, NOTHING), "argument 2 of 'scale' .*no pointer"),
            ((x, 2.0, 2.5, NOTHING), "argument 3 of 'scale' .*2.5 is no integer"),
            ((x, 2.0, 2**32, NOTHING), "argument 3 of 'scale' .*outside u32"),
            ((x, 2.0, -(2**31) - 1, NOTHING), "argument 3 of 'scale' .*outside s32"),
            ((x, 2.0, 2**64, NOTHING), "64 bits"),
            ((x, 1e39, 256, NOTHING), "argument 2 of 'scale' .*outside f32"),
            ((x, 2.0, 256, bytes(7)), "argument 4 of 'scale' .*7 bytes given, the parameter has 8"),
            ((x, 2.0, 256, 1), "argument 4 of 'scale' .*struct of 8 bytes"),
            ((x, "2", 256, NOTHING), "argument 2 of 'scale'.*not str"),
            ((x, None, 256, NOTHING), "argument 2 of 'scale'.*not NoneType"),
            ((heddle.Gpu("v100").zeros(256), 2.0, 256, NOTHING), "another Gpu"),
        ]
        for arguments, text in cases:
            with self.subTest(text), self.assertRaisesRegex(heddle.Error, text):
                self.scale(1, 256, *arguments)
        for grid, block in ((0, 256), (1, 2.5), ((1, 2, 3, 4), 1), ("1", 1), (-1, 256)):
            with self.subTest(grid=grid, block=block), self.assertRaisesRegex(heddle.Error, "expected a number"):
                self.scale(grid, block, x, 2.0, 256, NOTHING)
        with self.assertRaisesRegex(heddle.Error, "threads"):
            self.scale(1, 4096, x, 2.0, 256, NOTHING)
        self.assertEqual(self.gpu.run(), [])

    def test_a_fault_says_where_and_the_gpu_is_not_used_again(self):
        d = self.gpu.zeros(16)
        self.scale(1, 256, d, 2.0, 256, NOTHING)
        with self.assertRaisesRegex(heddle.Error, "PTX from Python:[0-9]+"):
            self.gpu.run()
        for again in (lambda: self.scale(1, 16, d, 2.0, 16, NOTHING), self.gpu.run):
            with self.assertRaisesRegex(heddle.Error, "make another Gpu"):
                again()

    def test_a_result_of_all_launches(self):
        gpu = heddle.Gpu("h200", detail=True)
        scale = gpu.load(SCALE).kernel("scale")
        x = np.ones(4096, np.float32)
        for _ in range(2):
            scale(16, 256, x, 2.0, 4096, NOTHING)
            gpu.run()
        r = gpu.result()
        self.assertEqual((r.kernels["launches"], r.verified, r.gpu), ([2], None, "h200"))
        self.assertEqual(r.cycles, sum(r.launches["cycles"]))
        self.assertGreater(r.energy["total"], 0)
        self.assertIn("L1 misses", r.funnel["name"])
        self.assertGreater(len(r.series["until"]), 0)

    def test_streams_run_beside_each_other(self):
        times = []
        for streams in ((0, 0), (1, 2)):
            gpu = heddle.Gpu("v100")
            scale = gpu.load(SCALE).kernel("scale")
            for s in streams:
                scale(8, 256, gpu.zeros(2048), 2.0, 2048, NOTHING, stream=s)
            launches = gpu.run()
            times.append(max(launch.start + launch.cycles for launch in launches) - launches[0].start)
        self.assertLess(times[1], times[0])

    def test_functional_gpus_only_compute(self):
        gpu = heddle.Gpu(functional=True)
        scale = gpu.load(SCALE).kernel("scale")
        x = np.ones(1000, np.float32)
        scale(4, 256, x, 2.0, 1000, NOTHING)
        launch, = gpu.run()
        self.assertEqual(set(x), {2.0})
        self.assertIsNone(launch.cycles)
        self.assertEqual(launch["global_load.bytes"], 4000)
        with self.assertRaisesRegex(heddle.Error, "no notion of time"):
            gpu.result()

    def test_a_gpu_is_for_one_thread_at_a_time(self):
        d = self.gpu.zeros(1 << 20)
        for _ in range(3):
            self.scale(4096, 256, d, 2.0, 1 << 20, NOTHING)
        runner = threading.Thread(target=self.gpu.run)
        runner.start()
        told = ""
        while runner.is_alive() and not told:
            try:
                self.gpu.zeros(1)
            except heddle.Error as e:
                told = str(e)
        runner.join()
        self.assertIn("in use by another thread", told)
        self.assertEqual(d.numpy()[0], 0)


class Cuda(unittest.TestCase):
    def test_cuda_as_text(self):
        gpu = heddle.Gpu("v100")
        module = gpu.load(CUDA)
        self.assertEqual(sorted(module.kernels), ["blur", "count", "say"])
        self.assertIn(".entry", module.ptx)
        module.variable("weights", "float32").write(np.array([0.25, 0.5, 0.25], np.float32))
        x, y = np.random.default_rng(1).random(1000, np.float32), np.zeros(1000, np.float32)
        module.kernel("blur")(4, 256, x, y, 1000)
        module.kernel("count")(3, 32)
        gpu.run()
        np.testing.assert_allclose(y[1:-1], 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:], rtol=1e-6)
        self.assertEqual(module.variable("counter", "int32").numpy().tolist(), [96])
        with self.assertRaisesRegex(heddle.Error, "did you mean 'blur'"):
            module.kernel("blurr")
        with self.assertRaisesRegex(heddle.Error, "weightz"):
            module.variable("weightz")
        with self.assertRaisesRegex(heddle.Error, "12 bytes"):
            module.variable("weights", "float32", 4)

    def test_what_kernels_print(self):
        gpu = heddle.Gpu("v100")
        gpu.load(CUDA).kernel("say")(2, 32, 7)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            gpu.run()
        self.assertEqual(out.getvalue(), "7 says hello\n" * 2)

    def test_files(self):
        gpu = heddle.Gpu(functional=True)
        module = gpu.load(os.path.join(os.environ["HEDDLE_SOURCE"], "examples/saxpy/saxpy.cu"))
        self.assertEqual(module.kernels, ["saxpy"])
        self.assertIn("takes 4 arguments", module.kernel("saxpy").signature)

    def test_what_cannot_be_compiled_or_executed(self):
        gpu = heddle.Gpu("v100")
        with self.assertRaisesRegex(heddle.Error, "kernel.cu:1:.*error"):
            gpu.load("__global__ void f() { nothing(); }")
        with self.assertRaisesRegex(heddle.Error, "PTX from Python:4"):
            gpu.load(".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry f() { nothing.u32; }\n")
        with self.assertRaisesRegex(heddle.Error, "nowhere.cu"):
            gpu.load("nowhere.cu")

    def test_without_a_compiler_it_says_what_to_install(self):
        path = os.environ["PATH"]
        os.environ["PATH"] = "/nonexistent"
        try:
            with self.assertRaisesRegex(heddle.Error, "apt install clang-19"):
                heddle.Gpu("v100").load("__global__ void other() {}")
        finally:
            os.environ["PATH"] = path


if __name__ == "__main__":
    unittest.main()
