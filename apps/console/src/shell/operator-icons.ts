import type { IconName } from '../parts/icons.ts';

/** By the label of a page of operators. */
export const operatorIcons: Readonly<Record<string, IconName>> = {
  Status: 'heartbeat',
  Statistics: 'chartLine',
  Tenants: 'buildingCommunity',
  Zones: 'mapPin',
  Lockouts: 'lock',
  Keys: 'key',
  Retention: 'archive',
  Mail: 'mail',
  Queues: 'stack',
};
