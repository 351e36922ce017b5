export { createRecordStore } from './records.ts';
