import type { ComponentType } from 'react';

/** Where the pages of operators begin: they are reached with an operator's session alone. */
export const operatorPath = '/operator';

/** The pages of operators, in the order of their navigation; without a label a page is reached from another one. */
export const operatorPages: readonly {
  readonly path: string;
  readonly label?: string;
  readonly load: () => Promise<{ default: ComponentType }>;
}[] = [
  { path: '', label: 'Status', load: () => import('./status/status-page.tsx') },
  { path: '/statistics', label: 'Statistics', load: () => import('./statistics/statistics-page.tsx') },
  { path: '/tenants', label: 'Tenants', load: () => import('./tenants/tenants-page.tsx') },
  { path: '/tenants/$tenantId', load: () => import('./tenant/tenant-page.tsx') },
  { path: '/zones', label: 'Zones', load: () => import('./zones/zones-page.tsx') },
  { path: '/lockouts', label: 'Lockouts', load: () => import('./lockouts/lockouts-page.tsx') },
  { path: '/keys', label: 'Keys', load: () => import('./keys/keys-page.tsx') },
  { path: '/retention', label: 'Retention', load: () => import('./retention/retention-page.tsx') },
  { path: '/mail', label: 'Mail', load: () => import('./mail/mail-page.tsx') },
  { path: '/queues', label: 'Queues', load: () => import('./queues/queues-page.tsx') },
].map((page) => ({ ...page, path: operatorPath + page.path }));
