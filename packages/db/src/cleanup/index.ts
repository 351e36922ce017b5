export { deleteLeftovers } from './leftovers.ts';
export { dropOldPartitions, keptDays } from './retention.ts';
