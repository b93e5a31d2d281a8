#pragma once

struct Block {
  int scale[4];
  int* out;
};

__global__ void sort(int* numbers, int left, int right, int depth);
