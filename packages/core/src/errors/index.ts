export { type ProblemCode, problemCodes } from './problem-code.ts';
export { Problem, type ProblemDetail, type ProblemKind } from './problem.ts';
