export { type ProblemCode, problemCodes } from './problem-code.ts';
export { mostProblems, Problem, type ProblemDetail, type ProblemKind } from './problem.ts';
