import type { Catalogue } from '@callout/domain/catalogue/catalogue';

/**
 * Names routes in metrics: `/CompanyWebhooks/:id/Callouts` is `/:webhooks/:id/Callouts`, and `/TicketWebhookFields` is
 * `/:webhookFields`. The same route of another entity does the same work, and a histogram of each would be five times as
 * many series.
 */
export function routeLabels({ entities }: Pick<Catalogue, 'entities'>): (route: string) => string {
  const withWebhooks = entities.filter(({ supportsWebhookCallouts }) => supportsWebhookCallouts);
  const ofRoutes = new Map<string, string>();
  const label = (segment: string): string => {
    for (const { collection, webhookSingular } of withWebhooks) {
      if (segment === collection) return ':records';
      if (segment.startsWith(webhookSingular)) return `:webhook${segment.slice(webhookSingular.length)}`;
    }
    return segment;
  };
  return (route) => {
    let known = ofRoutes.get(route);
    if (known === undefined) {
      known = route.split('/').map(label).join('/');
      ofRoutes.set(route, known);
    }
    return known;
  };
}
