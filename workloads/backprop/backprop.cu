// Rodinia's backprop: one layer of 16 hidden units over many inputs. A CTA of 16 x 16 threads handles 16
// inputs. Weights are (inputs + 1) rows of (hidden + 1); row and column 0 belong to the bias.
#include "heddle_device.h"

constexpr int width = 16;   // hidden units
constexpr int height = 16;  // inputs per CTA
constexpr float learning_rate = 0.3f;
constexpr float momentum = 0.3f;

// Products of 16 inputs and their weights, summed over the inputs by a tree in shared memory.
extern "C" __global__ void layerforward(const float* input, float* input_hidden, float* hidden_partial_sum,
                                        int hidden) {
  const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int index = (hidden + 1) * height * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
  const int index_in = height * by + ty + 1;

  __shared__ float input_node[height];
  __shared__ float weight_matrix[height][width];

  if (tx == 0) input_node[ty] = input[index_in];
  __syncthreads();
  weight_matrix[ty][tx] = input_hidden[index];
  __syncthreads();
  weight_matrix[ty][tx] = weight_matrix[ty][tx] * input_node[ty];
  __syncthreads();

  for (int i = 1; i < height; i *= 2) {
    if (ty % (2 * i) == 0) weight_matrix[ty][tx] = weight_matrix[ty][tx] + weight_matrix[ty + i][tx];
    __syncthreads();
  }

  // The original leaves the tree's intermediate sums in place of the weights; the host uploads those again.
  input_hidden[index] = weight_matrix[ty][tx];
  __syncthreads();
  if (tx == 0) hidden_partial_sum[by * hidden + ty] = weight_matrix[tx][ty];
}

// Gradient descent with momentum. `delta` is per hidden unit, `layer` per input; both start with the bias.
extern "C" __global__ void adjust_weights(const float* delta, int hidden, const float* layer, float* weights,
                                          float* old_weights) {
  const int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  const int index = (hidden + 1) * height * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
  const int index_y = height * by + ty + 1;
  const int index_x = tx + 1;

  const float change = learning_rate * delta[index_x] * layer[index_y] + momentum * old_weights[index];
  weights[index] += change;
  old_weights[index] = change;
  __syncthreads();

  if (ty == 0 && by == 0) {
    const float bias_change = learning_rate * delta[index_x] + momentum * old_weights[index_x];
    weights[index_x] += bias_change;
    old_weights[index_x] = bias_change;
  }
}
