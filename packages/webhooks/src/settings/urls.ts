import { modeOf } from '@callout/domain/target/delivery-mode';
import { setting } from './setting.ts';

const url = { kind: 'url', length: 500 } as const;

export const webhookUrl = setting({
  key: 'webhookUrl',
  type: url,
  requiredOf: ['create', 'replace'],
  description: 'Where its callouts go; pull: keeps them until they are fetched.',
  derived: (value: string) => ({ deliveryMode: modeOf(value) }),
  readBy: ['match', 'deliver', 'pull'],
  form: {
    section: 'basics',
    name: 'URL',
    help: 'Callouts are sent here with POST; pull: keeps them until a program fetches them',
  },
  command: { option: 'url', description: 'where its callouts go' },
});

export const deactivationUrl = setting({
  key: 'deactivationUrl',
  type: url,
  requiredOf: ['create', 'replace'],
  description: 'The URL that is notified when it becomes inactive or is deleted; pull: keeps that to be fetched, too.',
  derived: (value: string) => ({ deactivationMode: modeOf(value) }),
  readBy: ['deactivate', 'deliver', 'pull'],
  form: {
    section: 'notices',
    position: 1,
    name: 'Deactivation URL',
    help: 'Called when the webhook becomes inactive or is deleted; pull: lets a program fetch that call',
    placeholder: 'the URL of the callouts',
    summary: ({ webhookUrl: sameUrl, deactivationUrl: deactivations }) =>
      `deactivations to ${deactivations !== '' && deactivations !== sameUrl ? deactivations : 'the same URL'}`,
  },
  command: { description: 'the URL that is called when it becomes inactive' },
});
