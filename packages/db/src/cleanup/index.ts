export { droppedPartitions, historyTables } from './history-report.ts';
export { deleteLeftovers } from './leftovers.ts';
export { dropOldPartitions, keptDays } from './retention.ts';
