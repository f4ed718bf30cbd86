# Training of networks on an NVIDIA GPU: a module of its own, built by `make cuda` where a CUDA
# toolkit is found, and loaded when it is asked for. Nothing else needs it.
find_program(LIMBER_NVCC nvcc HINTS /usr/local/cuda/bin)
if(LIMBER_NVCC)
  set(module ${CMAKE_BINARY_DIR}/liblimber-cuda.so)
  set(source ${CMAKE_SOURCE_DIR}/src/math/network/train_cuda.cu)
  add_custom_command(OUTPUT ${module}
    COMMAND ${LIMBER_NVCC} -O2 -std=c++17 -gencode=arch=compute_80,code=sm_80
      -gencode=arch=compute_90,code=[sm_90,compute_90]
      -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include -shared -Xcompiler -fPIC -o ${module}
      ${source} -lcublas
    DEPENDS ${source} ${CMAKE_SOURCE_DIR}/src/math/network/train.h VERBATIM)
  add_custom_target(limber_cuda DEPENDS ${module})
endif()
