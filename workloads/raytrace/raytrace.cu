// A small ray tracer in the manner of GPGPU-Sim's RAY: spheres above a plane, one light with shadows,
// reflections of up to five rays, one thread per pixel. Objects lie in constant memory; the colours of a
// pixel's rays are an array that threads index, so it is local memory.
//
// Products enter sums by an explicit fma, or not at all (__fadd_rn), and quotients and roots are exact: the
// host's reference computes the same to the bit.
#include "heddle_device.h"

constexpr int objects = 9, most_rays = 5;
constexpr float far_away = 10000.0f, nudge = 0.0001f;

struct Object {
  float3 centre;
  float radius;
  float4 colour;
  int plane;  // else a sphere
};
struct View {
  float3 eye, ahead, up, right;
};

__constant__ Object scene[objects];
__constant__ View view;

HEDDLE_DEVICE float dot(float3 a, float3 b) {
  return fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x));
}
HEDDLE_DEVICE float3 minus(float3 a, float3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
// a + b f
HEDDLE_DEVICE float3 along(float3 a, float3 b, float f) {
  return {fmaf(b.x, f, a.x), fmaf(b.y, f, a.y), fmaf(b.z, f, a.z)};
}
HEDDLE_DEVICE float3 unit(float3 a) {
  const float inverse = 1.0f / sqrtf(dot(a, a));
  return {a.x * inverse, a.y * inverse, a.z * inverse};
}

struct Ray {
  float3 from, to;
};

// How far along the ray it meets the object; 0: it does not.
HEDDLE_DEVICE float meet_sphere(Ray ray, float3 centre, float radius) {
  const float3 way = minus(centre, ray.from);
  const float ahead = dot(way, ray.to), distance = dot(way, way), squared = radius * radius;
  if (ahead < 0.0f && distance > squared) return 0.0f;
  const float beside = fmaf(-ahead, ahead, distance);
  if (beside > squared) return 0.0f;
  const float inside = sqrtf(fmaf(radius, radius, -beside));
  return distance > squared ? ahead - inside : ahead + inside;
}
HEDDLE_DEVICE float meet_plane(Ray ray, float3 centre) {
  if (fabsf(ray.to.y) < 0.0001f) return 0.0f;
  const float distance = (centre.y - ray.from.y) / ray.to.y;
  return distance > 0.0f ? distance : 0.0f;
}
HEDDLE_DEVICE float meet(Ray ray, int object, float shift) {
  float3 centre = scene[object].centre;
  centre.x += shift;
  return scene[object].plane ? meet_plane(ray, centre) : meet_sphere(ray, centre, scene[object].radius);
}

HEDDLE_DEVICE bool in_light(float3 point, float3 to_light, float3 light, float shift) {
  const Ray ray{along(point, to_light, nudge), to_light};
  const float3 way = minus(light, point);
  const float limit = dot(way, way);
#pragma unroll 1
  for (int object = 0; object < objects; ++object) {
    const float distance = meet(ray, object, shift);
    if (distance > 0.0f && distance * distance < limit) return false;
  }
  return true;
}

HEDDLE_DEVICE float power50(float a) {
  const float a2 = a * a, a4 = a2 * a2, a8 = a4 * a4, a16 = a8 * a8;
  return a16 * a16 * a16 * a2;
}

HEDDLE_DEVICE unsigned packed(float4 colour) {
  return static_cast<unsigned>(__saturatef(colour.w) * 255.0f) << 24 |
         static_cast<unsigned>(__saturatef(colour.z) * 255.0f) << 16 |
         static_cast<unsigned>(__saturatef(colour.y) * 255.0f) << 8 |
         static_cast<unsigned>(__saturatef(colour.x) * 255.0f);
}

// What the ray brings from the point that it meets, and the ray that leaves there.
HEDDLE_DEVICE float4 shade(Ray& ray, float distance, int object, float shift) {
  const float3 light{10.0f, 10.0f, 10.0f};
  const Object met = scene[object];
  float3 centre = met.centre;
  centre.x += shift;
  const float3 point = along(ray.from, ray.to, distance);
  const float3 to_light = unit(minus(light, point)), to_eye = unit(minus(ray.from, point));
  const float3 normal = met.plane ? float3{0.0f, 1.0f, 0.0f} : unit(minus(point, centre));
  const float side = dot(to_eye, normal) < 0.0f ? -1.0f : 1.0f;
  const float3 facing{normal.x * side, normal.y * side, normal.z * side};

  float4 colour{0.05f * met.colour.x, 0.05f * met.colour.y, 0.05f * met.colour.z, 0.05f * met.colour.w};
  const float brightness = dot(facing, to_light);
  if (brightness > 0.0f && in_light(point, to_light, light, shift)) {
    const float diffuse = 0.3f * fminf(1.0f, brightness);
    const float3 middle = unit(float3{__fadd_rn(to_light.x, to_eye.x), __fadd_rn(to_light.y, to_eye.y),
                                      __fadd_rn(to_light.z, to_eye.z)});
    const float gloss = power50(fmaxf(0.0f, fminf(1.0f, dot(facing, middle))));
    colour.x = fmaf(0.8f, gloss, fmaf(met.colour.x, diffuse, colour.x));
    colour.y = fmaf(0.8f, gloss, fmaf(met.colour.y, diffuse, colour.y));
    colour.z = fmaf(0.8f, gloss, fmaf(met.colour.z, diffuse, colour.z));
    colour.w = fmaf(met.colour.w, diffuse, colour.w);
  }
  const float twice = 2.0f * dot(normal, to_eye);
  ray.to = unit(float3{fmaf(normal.x, twice, -to_eye.x), fmaf(normal.y, twice, -to_eye.y),
                       fmaf(normal.z, twice, -to_eye.z)});
  ray.from = along(point, ray.to, nudge);
  return colour;
}

extern "C" __global__ void render(unsigned* image, unsigned width, unsigned height, float shift,
                                  float depth) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float4 colours[most_rays];
#pragma unroll 1
  for (int i = 0; i < most_rays; ++i) colours[i] = make_float4(0.0f, 0.0f, 0.0f, 1.0f);
  if (x >= width || y >= height) return;

  const float pixel = 2.0f / static_cast<float>(min(width, height));
  const float right = (static_cast<float>(x) - static_cast<float>(width) * 0.5f) * pixel;
  const float up = (static_cast<float>(y) - static_cast<float>(height) * 0.5f) * pixel;
  const float3 ahead{view.ahead.x * depth, view.ahead.y * depth, view.ahead.z * depth};
  Ray ray{view.eye, unit(along(along(ahead, view.right, right), view.up, up))};

  int met = 0;
#pragma unroll 1
  for (int i = 0; i < most_rays && met == i; ++i) {
    float nearest = far_away;
    int object = 0;
#pragma unroll 1
    for (int j = 0; j < objects; ++j) {
      const float distance = meet(ray, j, shift);
      if (distance > 0.0f && distance < nearest) {
        nearest = distance;
        object = j;
      }
    }
    if (nearest < far_away) {
      colours[i] = shade(ray, nearest, object, shift);
      ++met;
    }
  }
#pragma unroll 1
  for (int i = met - 1; i > 0; --i) {
    colours[i - 1].x = fmaf(0.8f, colours[i].x, colours[i - 1].x);
    colours[i - 1].y = fmaf(0.8f, colours[i].y, colours[i - 1].y);
    colours[i - 1].z = fmaf(0.8f, colours[i].z, colours[i - 1].z);
    colours[i - 1].w = fmaf(0.8f, colours[i].w, colours[i - 1].w);
  }
  image[x + y * width] = packed(colours[0]);
}
