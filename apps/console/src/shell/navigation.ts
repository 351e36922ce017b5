import type { Session } from '../api/session.ts';
import { operatorPages, operatorPath } from '../pages/operator/routes.ts';

export interface NavigationItem {
  readonly to: string;
  readonly label: string;
}

const ofTenant: readonly NavigationItem[] = [
  { to: '/', label: 'Overview' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/events', label: 'Events' },
  { to: '/thresholds', label: 'Thresholds' },
  { to: '/resources', label: 'Resources' },
];

const ofAdmin: readonly NavigationItem[] = [{ to: '/user-defined-fields', label: 'User-defined fields' }];

const ofOperator: readonly NavigationItem[] = operatorPages.flatMap(({ path, label }) =>
  label === undefined ? [] : [{ to: path, label }],
);

/** Where a person begins. */
export const homeOf = ({ kind }: Session): string => (kind === 'operator' ? operatorPath : '/');

/** The pages that a person may open, in order. A portal shows the webhooks of its resource and nothing else. */
export function navigationOf(session: Session): readonly NavigationItem[] {
  if (session.kind === 'operator') return ofOperator;
  if (session.isPortal) return [];
  return session.rights.canManageUserDefinedFields ? [...ofTenant, ...ofAdmin] : ofTenant;
}
