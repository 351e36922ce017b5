export { runBench } from './bench.ts';
export { parseOptions, type BenchOptions, type ParsedOptions } from './options.ts';
export { makePlan, type Plan } from './plan.ts';
export type { Programs } from './process/programs.ts';
export { Interrupted, type BenchDeps } from './stage.ts';
