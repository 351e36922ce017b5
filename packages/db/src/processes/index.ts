export { listProcesses } from './processes.ts';
export { reportOf, startReporting } from './report-process.ts';
