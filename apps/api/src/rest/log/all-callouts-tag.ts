import type { Tag } from '../../http/operation/tags.ts';

/** Operations about the callouts of a tenant, whichever webhook they are for. */
export const allCalloutsTag: Tag = {
  name: 'Callouts of all webhooks',
  group: 'Follow deliveries',
  place: 1,
  description: 'What was sent and what is still to be sent, for all webhooks, and the thresholds that hold callouts.',
};
