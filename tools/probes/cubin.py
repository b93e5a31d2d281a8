"""What ptxas makes of PTX: the machine code of its kernels, by name."""
import pathlib
import struct
import subprocess
import tempfile


def assemble(ptx, arch="sm_90"):
    """By kernel: each instruction as its two words of 64 bits; the opcode is the lowest 12 bits of the first."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder, "x.ptx"), pathlib.Path(folder, "x.cubin")
        source.write_text(".version 8.0\n.target sm_90\n.address_size 64\n" + ptx)
        subprocess.run(["ptxas", "-O3", f"-arch={arch}", source, "-o", cubin], check=True)
        data = cubin.read_bytes()
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    found = {}
    for h in headers:
        start = headers[names][4] + h[0]
        name = data[start:data.index(b"\0", start)].decode()
        if name.startswith(".text."):
            code = data[h[4]:h[4] + h[5]]
            found[name[6:]] = [struct.unpack_from("<QQ", code, i) for i in range(0, len(code), 16)]
    return found


def version():
    said = subprocess.run(["ptxas", "--version"], capture_output=True, text=True, check=True).stdout
    return said.split("release ")[1].split(",")[0]
