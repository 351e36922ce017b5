export { startTracing } from './start-tracing.ts';
export type { BatchTrace, Span, Tracing } from './tracing.ts';
