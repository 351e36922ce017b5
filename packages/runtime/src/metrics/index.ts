export { addCountedGauges, type CountedGauge } from './counted-gauges.ts';
export { addPoolMetrics, type PoolUse } from './pool-metrics.ts';
export { createRegistry, type Metrics, metricsOf, type Registry } from './registry.ts';
export { addCounter, addHistogram, addTracedHistogram, commitBucketsS, type TracesOf } from './observed.ts';
export { addProcessMetrics } from './process-metrics.ts';
export { addReadGauge } from './read-gauge.ts';
