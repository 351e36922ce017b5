export { createBatches } from './batches.ts';
export { keepFor } from './keep-for.ts';
