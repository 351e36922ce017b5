export { addCountedGauges, type CountedGauge } from './counted-gauges.ts';
export { createRegistry } from './registry.ts';
export { addCounter, addHistogram } from './observed.ts';
export { addProcessMetrics } from './process-metrics.ts';
export { addReadGauge } from './read-gauge.ts';
