export { type ErasedTenant, eraseTenants, hasTenantsToErase } from './erase-tenants.ts';
