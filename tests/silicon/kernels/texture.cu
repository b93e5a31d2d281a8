// Texture objects. The last argument is one of the textures that the launch table describes.
#include "silicon.cuh"

KERNEL tex_fetch(const u32* in, u32* out, int n, cudaTextureObject_t t) {
  const int i = global_id();
  out[i] = bits(tex1Dfetch<float>(t, (int)(in[i] % (n + 8))));
}

KERNEL tex_2d(const u32* in, u32* out, int n, cudaTextureObject_t t) {
  const int i = global_id();
  out[i] = bits(tex2D<float>(t, between(in[2 * i], -16, 80), between(in[2 * i + 1], -16, 64)));
}

KERNEL tex_2d_normalized(const u32* in, u32* out, int n, cudaTextureObject_t t) {
  const int i = global_id();
  out[i] = bits(tex2D<float>(t, between(in[2 * i], -1, 2), between(in[2 * i + 1], -1, 2)));
}

KERNEL tex_2d_vector(const u32* in, u32* out, int n, cudaTextureObject_t t) {
  const int i = global_id();
  const float4 v = tex2D<float4>(t, between(in[2 * i], -1, 2), between(in[2 * i + 1], -1, 2));
  out[i] = bits(v.x + 2 * v.y + 3 * v.z + 4 * v.w);
}

KERNEL tex_2d_integer(const u32* in, u32* out, int n, cudaTextureObject_t t) {
  const int i = global_id();
  const uchar4 v = tex2D<uchar4>(t, between(in[2 * i], -16, 80), between(in[2 * i + 1], -16, 64));
  out[i] = v.x + v.y * 3 + v.z * 500 + v.w * 70000;
}
