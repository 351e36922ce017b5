import type { ComponentType } from 'react';
import type { IconName } from '../../parts/icons.ts';

/** Where the pages of operators begin: pages for an operator's session alone. */
export const operatorPath = '/operator';

interface OperatorPage {
  readonly path: string;
  readonly label?: string;
  readonly icon?: IconName;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** The pages of operators, in the order of the navigation; a page without a label is reached from another page. */
const pages: readonly OperatorPage[] = [
  { path: '', label: 'Status', icon: 'heartbeat', load: () => import('./status-page.tsx') },
  {
    path: '/statistics',
    label: 'Statistics',
    icon: 'chartLine',
    load: () => import('./statistics-page.tsx'),
  },
  { path: '/tenants', label: 'Tenants', icon: 'buildingCommunity', load: () => import('./tenants/tenants-page.tsx') },
  { path: '/tenants/$tenantId', load: () => import('./tenant/tenant-page.tsx') },
  { path: '/zones', label: 'Zones', icon: 'mapPin', load: () => import('./zones/zones-page.tsx') },
  { path: '/lockouts', label: 'Lockouts', icon: 'lock', load: () => import('./lockouts-page.tsx') },
  { path: '/keys', label: 'Keys', icon: 'key', load: () => import('./keys-page.tsx') },
  { path: '/retention', label: 'Retention', icon: 'archive', load: () => import('./retention-page.tsx') },
  { path: '/mail', label: 'Mail', icon: 'mail', load: () => import('./mail-page.tsx') },
  {
    path: '/operations',
    label: 'Operations',
    icon: 'braces',
    load: () => import('./operation/operations-page.tsx'),
  },
  { path: '/queues', label: 'Queues', icon: 'stack', load: () => import('./queues-page.tsx') },
];

export const operatorPages = pages.map((page) => ({ ...page, path: operatorPath + page.path }));
