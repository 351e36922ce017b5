import type { IconName } from '../parts/icons.ts';
import type { Session } from '../api/session.ts';
import { operatorPages, operatorPath } from '../pages/operator/routes.ts';

export interface NavigationItem {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

const ofTenant: readonly NavigationItem[] = [
  { to: '/', label: 'Overview', icon: 'layoutDashboard' },
  { to: '/webhooks', label: 'Webhooks', icon: 'webhook' },
  { to: '/events', label: 'Events', icon: 'activity' },
  { to: '/failed', label: 'Failed', icon: 'mailX' },
  { to: '/thresholds', label: 'Thresholds', icon: 'gauge' },
  { to: '/resources', label: 'Resources', icon: 'users' },
];

const ofAdmin: readonly NavigationItem[] = [
  { to: '/user-defined-fields', label: 'User-defined fields', icon: 'tags' },
  { to: '/changes', label: 'Changes', icon: 'archive' },
];

const ofOperator: readonly NavigationItem[] = operatorPages.flatMap(({ path, label, icon }) =>
  label === undefined || icon === undefined ? [] : [{ to: path, label, icon }],
);

const documentation: NavigationItem = { to: '/docs', label: 'Documentation', icon: 'books' };
const reference: NavigationItem = { to: '/docs/api', label: 'API reference', icon: 'braces' };

/** Outside of the console: what the port serves for people who write programs, or run the installation. */
export const documentsOf = ({ kind }: Session): readonly NavigationItem[] =>
  kind === 'operator' ? [documentation] : [documentation, reference];

/** Where a person begins. */
export const homeOf = ({ kind }: Session): string => (kind === 'operator' ? operatorPath : '/');

/** The pages that a person may open, in order. A portal shows the webhooks of its resource and nothing else. */
export function navigationOf(session: Session): readonly NavigationItem[] {
  if (session.kind === 'operator') return ofOperator;
  if (session.isPortal) return [];
  return session.rights.canManageUserDefinedFields ? [...ofTenant, ...ofAdmin] : ofTenant;
}
