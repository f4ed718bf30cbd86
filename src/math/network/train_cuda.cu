// Training on an NVIDIA GPU, in single precision: the same arithmetic as train.c, by cuBLAS. All of
// an epoch is one CUDA graph, since its many small kernels would else wait for their launches. The
// module is built where a CUDA toolkit is found, loaded when it is asked for, and never needed.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <exception>
#include <mutex>
#include <new>
#include <vector>

extern "C" {
#include "math/network/train.h"
}

namespace {

// Columns of a batch: values of n samples, then derivatives in ndir directions, by rows.
struct batch_shape {
  int n, ndir;
};

__global__ void gather(batch_shape b, int ninput, const float* x, const int* order, int from,
                       float* a, int* step) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, columns = b.n * (1 + b.ndir);
  if (j == 0) {
    *step += 1;
  }
  for (int i = 0; i < ninput && j < columns; i++) {
    a[(size_t)i * columns + j] =
        j < b.n ? x[(size_t)order[from + j] * ninput + i] : (float)(j / b.n - 1 == i);
  }
}

// z += b, and tanh of all layers but the last: one block a row.
__global__ void bend(batch_shape b, const float* bias, bool last, float* a) {
  float* row = a + (size_t)blockIdx.x * b.n * (1 + b.ndir);
  for (int j = threadIdx.x; j < b.n; j += blockDim.x) {
    const float z = row[j] + bias[blockIdx.x], t = last ? z : tanhf(z);
    row[j] = t;
    for (int d = 1; d <= b.ndir && !last; d++) {
      row[d * b.n + j] *= 1 - t * t;
    }
  }
}

// Loss of each sample, and the adjoint of the output.
__global__ void judge(batch_shape b, int noutput, const float* gain, const float* target,
                      const int* order, int from, float weight, const float* y, float* bar,
                      float* loss) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, along = 1 + b.ndir, columns = b.n * along;
  if (j >= b.n) {
    return;
  }
  const size_t s = (size_t)order[from + j];
  const float* g = gain + s * along;
  const float scale = 2.0f / b.n;
  float sum = 0;
  for (int k = 0; k < noutput; k++) {
    const float *t = target + (s * noutput + k) * along, *row = y + (size_t)k * columns;
    float* up = bar + (size_t)k * columns;
    const float off = g[0] * row[j] - t[0];
    float own = scale * off * g[0];
    sum += off * off;
    for (int d = 1; d <= b.ndir; d++) {
      const float slope = g[0] * row[d * b.n + j] + g[d] * row[j] - t[d];
      sum += weight * slope * slope;
      own += scale * weight * slope * g[d];
      up[d * b.n + j] = scale * weight * slope * g[0];
    }
    up[j] = own;
  }
  loss[from + j] = sum;
}

// Adjoints of a to those of z, and the gradient by the bias: one block a row, summed in a fixed
// order.
__global__ void unbend(batch_shape b, bool last, const float* a, float* bar, float* bias) {
  __shared__ float part[256];
  const size_t at = (size_t)blockIdx.x * b.n * (1 + b.ndir);
  const float* row = a + at;
  float *up = bar + at, sum = 0;
  for (int j = threadIdx.x; j < b.n; j += blockDim.x) {
    float own = up[j];
    if (!last) {
      const float t = row[j], slope = 1 - t * t;
      own *= slope;
      for (int d = 1; d <= b.ndir; d++) {
        own -= 2 * t * row[d * b.n + j] * up[d * b.n + j];
        up[d * b.n + j] *= slope;
      }
      up[j] = own;
    }
    sum += own;
  }
  part[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      part[threadIdx.x] += part[threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) {
    bias[blockIdx.x] = part[0];
  }
}

__global__ void adam(size_t count, float* w, float* m, float* v, const float* g, const int* step,
                     double rate, bool decay, double all) {
  __shared__ float now;
  if (threadIdx.x == 0) {
    now = (float)lb_train_rate(rate, decay, *step - 1, all);
  }
  __syncthreads();
  const size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) {
    m[k] = (float)LB_ADAM_BETA1 * m[k] + (float)(1 - LB_ADAM_BETA1) * g[k];
    v[k] = (float)LB_ADAM_BETA2 * v[k] + (float)(1 - LB_ADAM_BETA2) * g[k] * g[k];
    w[k] -= now * m[k] / (sqrtf(v[k]) + (float)LB_ADAM_EPSILON);
  }
}

} // namespace

struct lb_trainer {
  lb_train_options o;
  lb_network net; // its sizes
  int count, ninput, noutput, ndir;
  cudaStream_t stream;
  cublasHandle_t blas;
  cudaGraph_t recorded;
  cudaGraphExec_t graph;
  float *x, *gain, *target, *w, *m, *v, *g, *loss;
  float *a[LB_NETWORK_MOST_LAYERS + 1], *bar[2], *space;
  int *order, *step;
  std::vector<void*> memory;
  std::vector<float> losses;
  bool ok;
};

namespace {

template <typename T> T* take(lb_trainer* t, size_t count) {
  t->memory.push_back(nullptr); // may throw, so that it comes first
  void*& p = t->memory.back();
  t->ok = t->ok && cudaMalloc(&p, count * sizeof(T)) == cudaSuccess &&
          cudaMemset(p, 0, count * sizeof(T)) == cudaSuccess;
  return static_cast<T*>(p);
}

float* upload(lb_trainer* t, const double* from, size_t count) {
  std::vector<float> single(from, from + count);
  float* to = take<float>(t, count);
  t->ok = t->ok && cudaMemcpy(to, single.data(), count * sizeof(float), cudaMemcpyHostToDevice) ==
                       cudaSuccess;
  return to;
}

void download(lb_trainer* t, double* to, const float* from, size_t count) {
  std::vector<float> single(count);
  t->ok = t->ok && cudaMemcpy(single.data(), from, count * sizeof(float),
                              cudaMemcpyDeviceToHost) == cudaSuccess;
  for (size_t i = 0; i < count; i++) {
    to[i] = single[i];
  }
}

// C = A B of matrices that are stored by columns, each transposed or not.
void multiply(lb_trainer* t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
              const float* A, int lda, const float* B, int ldb, float* C) {
  const float one = 1, none = 0;
  t->ok = t->ok && cublasSgemm(t->blas, ta, tb, m, n, k, &one, A, lda, B, ldb, &none, C, m) ==
                       CUBLAS_STATUS_SUCCESS;
}

// A step with a batch: what rows hold is columns to cuBLAS.
void take_step(lb_trainer* t, int from, int n) {
  const batch_shape b = {n, t->ndir};
  const int columns = n * (1 + t->ndir), L = t->net.nlayer, threads = 256;
  const int* size = t->net.size;
  const int blocks = (columns + threads - 1) / threads;
  gather<<<blocks, threads, 0, t->stream>>>(b, t->ninput, t->x, t->order, from, t->a[0], t->step);
  for (int l = 0; l < L; l++) {
    const float* W = t->w + lb_network_count_before(&t->net, l);
    multiply(t, CUBLAS_OP_N, CUBLAS_OP_N, columns, size[l + 1], size[l], t->a[l], columns, W,
             size[l], t->a[l + 1]);
    bend<<<size[l + 1], threads, 0, t->stream>>>(b, W + (size_t)size[l] * size[l + 1], l + 1 == L,
                                                 t->a[l + 1]);
  }
  judge<<<(n + threads - 1) / threads, threads, 0, t->stream>>>(
      b, t->noutput, t->gain, t->target, t->order, from, (float)t->o.weight, t->a[L],
      t->bar[L % 2], t->loss);
  for (int l = L - 1; l >= 0; l--) {
    const size_t at = lb_network_count_before(&t->net, l);
    float *g = t->g + at, *bar = t->bar[(l + 1) % 2];
    unbend<<<size[l + 1], threads, 0, t->stream>>>(b, l + 1 == L, t->a[l + 1], bar,
                                                   g + (size_t)size[l] * size[l + 1]);
    multiply(t, CUBLAS_OP_T, CUBLAS_OP_N, size[l], size[l + 1], columns, t->a[l], columns, bar,
             columns, g);
    if (l > 0) {
      multiply(t, CUBLAS_OP_N, CUBLAS_OP_T, columns, size[l], size[l + 1], bar, columns, t->w + at,
               size[l], t->bar[l % 2]);
    }
  }
  const size_t count = lb_network_count(&t->net);
  const double all = (double)((t->count + t->o.batch - 1) / t->o.batch) * t->o.epochs;
  adam<<<(unsigned)((count + threads - 1) / threads), threads, 0, t->stream>>>(
      count, t->w, t->m, t->v, t->g, t->step, t->o.rate, t->o.decay, all);
}

void record(lb_trainer* t) {
  t->ok = t->ok &&
          cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
  for (int from = 0; from < t->count && t->ok; from += t->o.batch) {
    take_step(t, from, t->count - from < t->o.batch ? t->count - from : t->o.batch);
  }
  t->ok = cudaStreamEndCapture(t->stream, &t->recorded) == cudaSuccess && t->ok;
  t->ok = t->ok && cudaGraphInstantiate(&t->graph, t->recorded, 0) == cudaSuccess;
}

// All that there is of it.
void release(lb_trainer* t) {
  if (!t) {
    return;
  }
  if (t->graph) {
    cudaGraphExecDestroy(t->graph);
  }
  if (t->recorded) {
    cudaGraphDestroy(t->recorded);
  }
  if (t->blas) {
    cublasDestroy(t->blas);
  }
  if (t->stream) {
    cudaStreamDestroy(t->stream);
  }
  for (void* p : t->memory) {
    cudaFree(p);
  }
  delete t;
}

std::mutex making; // graphs are recorded one at a time

void prepare(lb_trainer* t, const lb_network* net, const lb_train_state* s,
             const lb_train_data* data, const lb_train_options* o) {
  const size_t n = data->count, along = 1 + data->ndir, weights = lb_network_count(net);
  const size_t columns = o->batch * along, space = 8 << 20;
  int widest = 0;
  t->o = *o;
  t->net = *net;
  t->count = data->count;
  t->ninput = data->ninput;
  t->noutput = data->noutput;
  t->ndir = data->ndir;
  t->ok = cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking) == cudaSuccess &&
          cublasCreate(&t->blas) == CUBLAS_STATUS_SUCCESS;
  if (!t->ok) {
    return;
  }
  t->x = upload(t, data->x, n * data->ninput);
  t->gain = upload(t, data->gain, n * along);
  t->target = upload(t, data->target, n * data->noutput * along);
  t->w = upload(t, net->weight, weights);
  t->m = upload(t, s->m, weights);
  t->v = upload(t, s->v, weights);
  t->g = take<float>(t, weights);
  t->loss = take<float>(t, n);
  t->order = take<int>(t, n);
  t->step = take<int>(t, 1);
  for (int l = 0; l <= net->nlayer; l++) {
    widest = net->size[l] > widest ? net->size[l] : widest;
    t->a[l] = take<float>(t, net->size[l] * columns);
  }
  for (int k = 0; k < 2; k++) {
    t->bar[k] = take<float>(t, widest * columns);
  }
  t->losses.resize(n);
  t->space = take<float>(t, space / sizeof(float)); // of its own, so that its sums keep their order
  t->ok = t->ok &&
          cudaMemcpy(t->step, &s->step, sizeof(int), cudaMemcpyHostToDevice) == cudaSuccess &&
          cublasSetStream(t->blas, t->stream) == CUBLAS_STATUS_SUCCESS &&
          cublasSetWorkspace(t->blas, t->space, space) == CUBLAS_STATUS_SUCCESS;
  if (t->ok) {
    record(t);
  }
}

// Exceptions end here: callers are in C.
lb_trainer* create(const lb_network* net, const lb_train_state* s, const lb_train_data* data,
                   const lb_train_options* o, const lb_allocator*) {
  lb_trainer* t = new (std::nothrow) lb_trainer();
  try {
    const std::lock_guard<std::mutex> lock(making);
    if (t) {
      prepare(t, net, s, data, o);
    }
  } catch (const std::exception&) { // of the lock, too
    release(t);
    return nullptr;
  }
  if (t && !t->ok) {
    release(t);
    t = nullptr;
  }
  return t;
}

double epoch(lb_trainer* t, lb_network*, lb_train_state* s, const int* order) {
  const size_t n = t->losses.size();
  t->ok = t->ok &&
          cudaMemcpyAsync(t->order, order, n * sizeof(int), cudaMemcpyHostToDevice, t->stream) ==
              cudaSuccess &&
          cudaGraphLaunch(t->graph, t->stream) == cudaSuccess &&
          cudaMemcpyAsync(t->losses.data(), t->loss, n * sizeof(float), cudaMemcpyDeviceToHost,
                          t->stream) == cudaSuccess &&
          cudaStreamSynchronize(t->stream) == cudaSuccess;
  double sum = t->ok ? 0 : NAN;
  for (float loss : t->losses) {
    sum += loss;
  }
  s->step += (t->count + t->o.batch - 1) / t->o.batch;
  return sum / (double)n;
}

bool read(lb_trainer* t, lb_network* net, lb_train_state* s) {
  const size_t n = lb_network_count(net);
  try {
    download(t, net->weight, t->w, n);
    download(t, s->m, t->m, n);
    download(t, s->v, t->v, n);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return t->ok;
}

} // namespace

extern "C" const lb_train_backend lb_train_cuda = {"cuda", create, epoch, read, release};
