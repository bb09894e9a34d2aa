// What raytwin is compared with: Embree 3 (Debian's libembree-dev) with each shape as a primitive of a user geometry, as somebody
// would use it who needs spheres, capped cylinders and boxes in closed form. `compare.py` compiles and calls it.
//
// A shape is sixteen floats: its kind (0 sphere, 1 cylinder, 2 box), its centre, three unit axes, and its radius, or its radius
// and half length along the third axis, or its half extents.

#include <embree3/rtcore.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>
#include <xmmintrin.h>

namespace {

constexpr float INFINITE = std::numeric_limits<float>::infinity();
constexpr unsigned PACKET = 16;

struct Shape {
  float kind, center[3], axes[3][3], size[3];
};

struct Span {
  float enter, leave;
  void meet(float a, float b) {
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
};

float dot(const float* a, const float* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Where a circle or ball is entered and left: the closest point is computed first, so that nothing cancels.
Span round(const float* to_center, const float* direction, int dimensions, float radius) {
  float speed = 0, along = 0, away = 0;
  for (int i = 0; i < dimensions; i++) {
    speed += direction[i] * direction[i];
    along += to_center[i] * direction[i];
  }
  if (speed < 1e-14f) {
    for (int i = 0; i < dimensions; i++) away += to_center[i] * to_center[i];
    return away > radius * radius ? Span{INFINITE, -INFINITE} : Span{-INFINITE, INFINITE};
  }
  along /= speed;
  for (int i = 0; i < dimensions; i++) {
    const float component = to_center[i] - along * direction[i];
    away += component * component;
  }
  const float square = radius * radius - away;
  if (square < 0) return {INFINITE, -INFINITE};
  const float half = std::sqrt(square / speed);
  return {along - half, along + half};
}

// The first crossing at `t_min` or later; infinity for none.
float first_crossing(const Shape& shape, const float* origin, const float* direction, float t_min) {
  const float to_center[3] = {shape.center[0] - origin[0], shape.center[1] - origin[1], shape.center[2] - origin[2]};
  Span span{-INFINITE, INFINITE};
  if (shape.kind == 0) {
    span = round(to_center, direction, 3, shape.size[0]);
  } else {
    float to[3], speed[3];
    for (int i = 0; i < 3; i++) {
      to[i] = dot(shape.axes[i], to_center);
      speed[i] = dot(shape.axes[i], direction);
    }
    const bool is_box = shape.kind == 2;
    if (!is_box) span = round(to, speed, 2, shape.size[0]);
    for (int i = is_box ? 0 : 2; i < 3; i++) {
      const float half = shape.size[is_box ? i : 1], inverse = 1 / speed[i];
      span.meet((to[i] - half) * inverse, (to[i] + half) * inverse);
    }
  }
  if (!(span.enter <= span.leave)) return INFINITE;
  return span.enter >= t_min ? span.enter : span.leave >= t_min ? span.leave : INFINITE;
}

void bounds(const RTCBoundsFunctionArguments* arguments) {
  const Shape& shape = static_cast<const Shape*>(arguments->geometryUserPtr)[arguments->primID];
  float* low = &arguments->bounds_o->lower_x;
  float* high = &arguments->bounds_o->upper_x;
  for (int i = 0; i < 3; i++) {
    float half = shape.size[0];
    if (shape.kind == 1) {
      const float axis = shape.axes[2][i];
      half = shape.size[1] * std::fabs(axis) + shape.size[0] * std::sqrt(std::max(0.0f, 1 - axis * axis));
    } else if (shape.kind == 2) {
      half = 0;
      for (int j = 0; j < 3; j++) half += shape.size[j] * std::fabs(shape.axes[j][i]);
    }
    const float margin = 5e-7f * (std::fabs(shape.center[i]) + half);
    low[i] = shape.center[i] - half - margin;
    high[i] = shape.center[i] + half + margin;
  }
}

// Calls `accept` with the lane and the t of each ray that crosses the shape before its `tfar`.
template <typename Accept>
void cross(void* shapes, unsigned primitive, const int* valid, RTCRayN* rays, unsigned count, Accept accept) {
  const Shape& shape = static_cast<const Shape*>(shapes)[primitive];
  for (unsigned i = 0; i < count; i++) {
    if (!valid[i]) continue;
    const float origin[3] = {RTCRayN_org_x(rays, count, i), RTCRayN_org_y(rays, count, i), RTCRayN_org_z(rays, count, i)};
    const float direction[3] = {RTCRayN_dir_x(rays, count, i), RTCRayN_dir_y(rays, count, i), RTCRayN_dir_z(rays, count, i)};
    const float t = first_crossing(shape, origin, direction, RTCRayN_tnear(rays, count, i));
    if (t < INFINITE && t <= RTCRayN_tfar(rays, count, i)) accept(i, t);
  }
}

void intersect(const RTCIntersectFunctionNArguments* arguments) {
  const unsigned count = arguments->N;
  RTCRayN* rays = RTCRayHitN_RayN(arguments->rayhit, count);
  RTCHitN* hits = RTCRayHitN_HitN(arguments->rayhit, count);
  cross(arguments->geometryUserPtr, arguments->primID, arguments->valid, rays, count, [&](unsigned i, float t) {
    RTCRayN_tfar(rays, count, i) = t;
    RTCHitN_primID(hits, count, i) = arguments->primID;
    RTCHitN_geomID(hits, count, i) = arguments->geomID;
    RTCHitN_instID(hits, count, i, 0) = arguments->context->instID[0];
  });
}

void occluded(const RTCOccludedFunctionNArguments* arguments) {
  const unsigned count = arguments->N;
  RTCRayN* rays = arguments->ray;
  cross(arguments->geometryUserPtr, arguments->primID, arguments->valid, rays, count,
        [&](unsigned i, float) { RTCRayN_tfar(rays, count, i) = -INFINITE; });
}

RTCDevice device() {
  static RTCDevice device = rtcNewDevice(nullptr);
  return device;
}

template <typename Rays>
void put(Rays& to, const float* ray) {
  to.org_x = ray[0], to.org_y = ray[1], to.org_z = ray[2], to.tnear = 0;
  to.dir_x = ray[3], to.dir_y = ray[4], to.dir_z = ray[5], to.tfar = INFINITE;
  to.time = 0, to.mask = ~0u, to.id = 0, to.flags = 0;
}

void cast_singles(RTCScene scene, RTCIntersectContext* context, const float* rays, size_t count, bool any, float* t) {
  for (size_t i = 0; i < count; i++) {
    RTCRayHit ray;
    put(ray.ray, rays + 6 * i);
    ray.hit.geomID = ray.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    any ? rtcOccluded1(scene, context, &ray.ray) : rtcIntersect1(scene, context, &ray);
    t[i] = ray.ray.tfar;
  }
}

void cast_packets(RTCScene scene, RTCIntersectContext* context, const float* rays, size_t count, bool any, float* t) {
  for (size_t start = 0; start < count; start += PACKET) {
    RTCRayHit16 packet;
    alignas(64) int valid[PACKET];
    const unsigned here = std::min<size_t>(PACKET, count - start);
    for (unsigned i = 0; i < PACKET; i++) {
      const float* ray = rays + 6 * (start + std::min(i, here - 1));
      auto& to = packet.ray;
      valid[i] = i < here ? -1 : 0;
      to.org_x[i] = ray[0], to.org_y[i] = ray[1], to.org_z[i] = ray[2], to.tnear[i] = 0;
      to.dir_x[i] = ray[3], to.dir_y[i] = ray[4], to.dir_z[i] = ray[5], to.tfar[i] = INFINITE;
      to.time[i] = 0, to.mask[i] = ~0u, to.id[i] = 0, to.flags[i] = 0;
      packet.hit.geomID[i] = packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    any ? rtcOccluded16(valid, scene, context, &packet.ray) : rtcIntersect16(valid, scene, context, &packet);
    std::copy_n(packet.ray.tfar, here, t + start);
  }
}

void attach(RTCScene scene, RTCGeometry geometry) {
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcReleaseGeometry(geometry);
}

}  // namespace

extern "C" {

// Builds a scene of shapes, which must outlive it.
RTCScene embree_scene(float* shapes, size_t count) {
  RTCScene scene = rtcNewScene(device());
  RTCGeometry geometry = rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, count);
  rtcSetGeometryUserData(geometry, shapes);
  rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
  rtcSetGeometryIntersectFunction(geometry, intersect);
  rtcSetGeometryOccludedFunction(geometry, occluded);
  attach(scene, geometry);
  rtcCommitScene(scene);
  return scene;
}

// Builds a scene of instances of another one; a transform is twelve floats, column by column.
RTCScene embree_instances(RTCScene definition, const float* transforms, size_t count) {
  RTCScene scene = rtcNewScene(device());
  for (size_t i = 0; i < count; i++) {
    RTCGeometry geometry = rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(geometry, definition);
    rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, transforms + 12 * i);
    attach(scene, geometry);
  }
  rtcCommitScene(scene);
  return scene;
}

void embree_release(RTCScene scene) { rtcReleaseScene(scene); }

// Casts rays (six floats each) on several threads, one by one or in packets of sixteen; `t` is the answer.
void embree_cast(RTCScene scene, const float* rays, size_t count, int packets, int any, int threads, float* t) {
  constexpr size_t RUN = 1024;
  std::atomic<size_t> next{0};
  auto work = [&] {
    // Embree asks for subnormal numbers to be taken for zero.
    _mm_setcsr(_mm_getcsr() | 0x8040);
    RTCIntersectContext context;
    for (size_t start; (start = next.fetch_add(RUN)) < count;) {
      rtcInitIntersectContext(&context);
      context.flags = packets ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
      auto* cast = packets ? cast_packets : cast_singles;
      cast(scene, &context, rays + 6 * start, std::min(RUN, count - start), any, t + start);
    }
  };
  std::vector<std::thread> others;
  for (int i = 0; i < threads; i++) others.emplace_back(work);
  for (auto& thread : others) thread.join();
}

}
