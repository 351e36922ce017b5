export { startHealthServer } from './health-server.ts';
export { createHealth, type Health } from './health.ts';
