// IPOPT's interface for C. The mutex around MUMPS is held while IPOPT itself computes, and given
// back while functions of the caller run.
#include "math/program/nonlinear_program.h"

#include <IpStdCInterface.h>
#include <string.h>

#include "math/linear/blas_thread.h"
#include "math/linear/mumps_lock.h"

#define OURS(expression)                                                                           \
  lb_mumps_unlock();                                                                               \
  const bool ok = (expression);                                                                    \
  lb_mumps_lock();                                                                                 \
  return ok

static Bool eval_f(Index n, Number* x, Bool fresh, Number* f, UserDataPtr of) {
  const lb_program* p = of;
  (void)n, (void)fresh;
  OURS(p->objective(p->context, x, f));
}

static Bool eval_df(Index n, Number* x, Bool fresh, Number* df, UserDataPtr of) {
  const lb_program* p = of;
  (void)n, (void)fresh;
  OURS(p->gradient(p->context, x, df));
}

static Bool eval_g(Index n, Number* x, Bool fresh, Index m, Number* g, UserDataPtr of) {
  const lb_program* p = of;
  (void)n, (void)fresh, (void)m;
  OURS(p->constraints(p->context, x, g));
}

static void copy_places(const lb_triplets* at, Index* row, Index* column) {
  memcpy(row, at->row, (size_t)at->count * sizeof *row);
  memcpy(column, at->column, (size_t)at->count * sizeof *column);
}

static Bool eval_dg(Index n, Number* x, Bool fresh, Index m, Index count, Index* row, Index* column,
                    Number* values, UserDataPtr of) {
  const lb_program* p = of;
  (void)n, (void)fresh, (void)m, (void)count;
  if (!values) {
    copy_places(p->jacobian_at, row, column);
    return TRUE;
  }
  OURS(p->jacobian(p->context, x, values));
}

static Bool eval_h(Index n, Number* x, Bool fresh, Number factor, Index m, Number* lambda,
                   Bool fresh_lambda, Index count, Index* row, Index* column, Number* values,
                   UserDataPtr of) {
  const lb_program* p = of;
  (void)n, (void)fresh, (void)m, (void)fresh_lambda, (void)count;
  if (!values) {
    copy_places(p->hessian_at, row, column);
    return TRUE;
  }
  OURS(p->hessian(p->context, x, factor, lambda, values));
}

static Bool tell(Index mode, Index iteration, Number f, Number infeasibility, Number optimality,
                 Number mu, Number step, Number damping, Number alpha_dual, Number alpha,
                 Index trials, UserDataPtr of) {
  const lb_program* p = of;
  (void)mu, (void)step, (void)damping, (void)alpha_dual, (void)alpha, (void)trials;
  if (!p->news) {
    return TRUE;
  }
  const lb_program_news news = {iteration, f, infeasibility, optimality, mode == 1};
  OURS(p->news(p->context, &news));
}

// Its interface takes texts that it does not change.
static void set_text(IpoptProblem problem, const char* key, const char* value) {
  AddIpoptStrOption(problem, (char*)(size_t)key, (char*)(size_t)value);
}

static void set_number(IpoptProblem problem, const char* key, double value) {
  AddIpoptNumOption(problem, (char*)(size_t)key, value);
}

static void set_count(IpoptProblem problem, const char* key, int value) {
  AddIpoptIntOption(problem, (char*)(size_t)key, value);
}

static void configure(IpoptProblem problem, const lb_program_options* o) {
  enum { SILENT = 0, PORD = 4 };
  static const double BOUND_PUSH = 1e-4; // a start that is good stays near its bounds
  set_count(problem, "print_level", SILENT);
  set_text(problem, "sb", "yes");
  set_text(problem, "option_file_name", ""); // none, not even ipopt.opt where the program is run
  set_text(problem, "linear_solver", "mumps");
  // Chains of nodes are cut well by PORD: a third to a half less work than minimum degree. Unlike
  // other orders by dissection (math/linear/direct.c) it draws no random numbers.
  set_count(problem, "mumps_pivot_order", PORD);
  set_number(problem, "tol", o->tolerance);
  set_count(problem, "max_iter", o->iterations);
  set_text(problem, "mu_strategy", "monotone");
  if (o->barrier > 0) {
    set_number(problem, "mu_init", o->barrier);
    set_number(problem, "bound_push", BOUND_PUSH);
    set_number(problem, "bound_frac", BOUND_PUSH);
  }
}

static lb_program_end judge(enum ApplicationReturnStatus code) {
  switch (code) {
  case Solve_Succeeded:
    return LB_PROGRAM_SOLVED;
  case Solved_To_Acceptable_Level:
  case Search_Direction_Becomes_Too_Small:
  case Feasible_Point_Found:
    return LB_PROGRAM_ACCEPTABLE;
  case Maximum_Iterations_Exceeded:
  case Maximum_CpuTime_Exceeded:
    return LB_PROGRAM_LIMIT;
  case User_Requested_Stop:
    return LB_PROGRAM_STOPPED;
  case Infeasible_Problem_Detected:
  case Restoration_Failed:
  case Not_Enough_Degrees_Of_Freedom:
    return LB_PROGRAM_INFEASIBLE;
  default:
    return LB_PROGRAM_FAILED;
  }
}

lb_status lb_program_solve(const lb_program* p, const lb_program_options* o, double* x,
                           double* lambda, lb_program_end* end) {
  enum { FROM_ZERO = 0 };
  LB_ONE_BLAS_THREAD;
  IpoptProblem problem = CreateIpoptProblem(
      p->n, (double*)(size_t)p->lower, (double*)(size_t)p->upper, p->m, (double*)(size_t)p->g_lower,
      (double*)(size_t)p->g_upper, p->jacobian_at->count, p->hessian_at->count, FROM_ZERO, eval_f,
      eval_g, eval_df, eval_dg, eval_h);
  if (!problem) {
    return LB_NO_MEMORY;
  }
  configure(problem, o);
  SetIntermediateCallback(problem, tell);
  lb_mumps_lock();
  const enum ApplicationReturnStatus code =
      IpoptSolve(problem, x, NULL, NULL, lambda, NULL, NULL, (void*)(size_t)p);
  lb_mumps_unlock();
  FreeIpoptProblem(problem);
  *end = judge(code);
  return code == Insufficient_Memory ? LB_NO_MEMORY : LB_OK;
}
