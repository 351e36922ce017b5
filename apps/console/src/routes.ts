import type { ComponentType } from 'react';
import { operatorPages } from './pages/operator/routes.ts';

type Page = () => Promise<{ default: ComponentType }>;

/** The pages, by address. What is behind `load` is fetched when it is opened. */
export const routes: readonly { readonly path: string; readonly load: Page }[] = [
  { path: '/', load: () => import('./pages/overview/overview-page.tsx') },
  { path: '/webhooks', load: () => import('./pages/webhooks/webhooks-page.tsx') },
  { path: '/webhooks/new', load: () => import('./pages/new-webhook/new-webhook-page.tsx') },
  { path: '/webhooks/$entityType/$webhookId', load: () => import('./pages/webhook/webhook-page.tsx') },
  {
    path: '/webhooks/$entityType/$webhookId/callouts/$calloutId',
    load: () => import('./pages/callout/callout-page.tsx'),
  },
  { path: '/callouts/$calloutId', load: () => import('./pages/callout/callout-page.tsx') },
  { path: '/failed', load: () => import('./pages/failed/failed-page.tsx') },
  { path: '/events', load: () => import('./pages/events/events-page.tsx') },
  { path: '/events/$eventId', load: () => import('./pages/event/event-page.tsx') },
  { path: '/thresholds', load: () => import('./pages/thresholds/thresholds-page.tsx') },
  { path: '/resources', load: () => import('./pages/resources/resources-page.tsx') },
  { path: '/user-defined-fields', load: () => import('./pages/user-defined-fields/user-defined-fields-page.tsx') },
  { path: '/changes', load: () => import('./pages/changes/changes-page.tsx') },
  ...operatorPages,
];
