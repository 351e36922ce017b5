export { exportTenant } from './export-tenant.ts';
export { openSecrets } from './open-secrets.ts';
