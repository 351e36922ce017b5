import type { Session } from '../api/session.ts';

export interface NavigationItem {
  readonly to: string;
  readonly label: string;
}

const ofTenant: readonly NavigationItem[] = [
  { to: '/', label: 'Overview' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/events', label: 'Events' },
  { to: '/thresholds', label: 'Thresholds' },
];

const ofOperator: readonly NavigationItem[] = [];

/** The pages that a person may open, in order. A portal shows the webhooks of its resource and nothing else. */
export function navigationOf(session: Session): readonly NavigationItem[] {
  if (session.kind === 'operator') return ofOperator;
  return session.isPortal ? [] : ofTenant;
}
