export { addCountedGauges, type CountedGauge } from './counted-gauges.ts';
export { createRegistry } from './registry.ts';
