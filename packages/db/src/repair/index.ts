export { type CalloutRepairs, createCalloutRepairs } from './callout-repairs.ts';
export type { CalloutAddress } from './find-callout.ts';
export { rotateSecret } from './rotate-secret.ts';
export type { TestAttempt, TestResult } from './test-callout.ts';
