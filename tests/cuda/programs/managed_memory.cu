// Memory that host and device both use by the same address: lists, classes with their own new, managed
// variables.
#include <new>

#include "check.h"

class Managed {
 public:
  void* operator new(std::size_t bytes) {
    void* p = nullptr;
    CHECK(cudaMallocManaged(&p, bytes));
    return p;
  }
  void operator delete(void* p) {
    cudaDeviceSynchronize();
    cudaFree(p);
  }
};

struct Node : Managed {
  explicit Node(int v, Node* n) : value(v), next(n) {}
  int value;
  Node* next;
};

__managed__ int total = 5;
__device__ __managed__ double scale[2] = {1.5, 0.25};

__global__ void sum_list(Node* list) {
  for (Node* n = list; n != nullptr; n = n->next) {
    total += n->value;
    n->value = -n->value;
  }
}

__global__ void multiply(double* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= scale[i % 2];
}

int main() {
  Checks checks;
  Node* list = nullptr;
  for (int i = 1; i <= 10; ++i) list = new Node(i * i, list);
  sum_list<<<1, 1>>>(list);
  CHECK(cudaDeviceSynchronize());
  checks.expect(total == 5 + 385, "the device follows a list that the host made");
  int sum = 0;
  for (Node* n = list; n != nullptr;) {
    sum += n->value;
    Node* next = n->next;
    delete n;
    n = next;
  }
  checks.expect(sum == -385, "the host sees what the device wrote into it");

  const int n = 1000;
  double* data;
  CHECK(cudaMallocManaged(&data, n * sizeof(double)));
  for (int i = 0; i < n; ++i) data[i] = i;
  scale[0] = 3;
  multiply<<<4, 256>>>(data, n);
  CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < n; ++i) good = good && data[i] == i * (i % 2 == 0 ? 3 : 0.25);
  checks.expect(good, "an array and a managed variable set by the host");
  total = 7;
  int copy = 0;
  CHECK(cudaMemcpyFromSymbol(&copy, total, sizeof copy));
  checks.expect(copy == 7, "a managed variable is a symbol, too");
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, data));
  checks.expect(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == data &&
                    attributes.hostPointer == data,
                "its attributes say so");
  CHECK(cudaMemset(data, 0, n * sizeof(double)));
  CHECK(cudaDeviceSynchronize());
  checks.expect(data[n - 1] == 0, "cudaMemset reaches it");
  CHECK(cudaFree(data));
  return checks.finish();
}
