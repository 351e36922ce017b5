export { readTraceParent } from './trace-parent.ts';
