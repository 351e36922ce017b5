export { createBatches } from './batches.ts';
export { createFairSlots, type FairSlots, type Slot } from './fair-slots.ts';
export { keepFor } from './keep-for.ts';
