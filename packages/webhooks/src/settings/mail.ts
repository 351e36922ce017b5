import { setting } from './setting.ts';

export const notificationEmailAddress = setting({
  key: 'notificationEmailAddress',
  type: { kind: 'mail' },
  default: null,
  description: 'Who gets mail about it besides its owner; null: its owner alone.',
  readBy: ['notify'],
  form: {
    section: 'notices',
    name: 'Mail also to',
    help: 'Besides the owner of the webhook, who gets a mail when its receiver fails or it is deactivated',
    placeholder: 'ops@example.com',
    summary: ({ notificationEmailAddress: address }) => {
      const trimmed = String(address ?? '').trim();
      return `Mail to the owner${trimmed === '' ? '' : ` and ${trimmed}`}`;
    },
  },
  command: { option: 'notify', description: 'who gets mail about it, besides its owner, or none' },
});

export const sendThresholdExceededNotification = setting({
  key: 'sendThresholdExceededNotification',
  type: { kind: 'boolean' },
  default: false,
  requiredOf: ['replace'],
  description: 'Whether mail goes out when the threshold holds its callouts.',
  readBy: ['notify'],
  form: {
    section: 'notices',
    name: 'Mail about thresholds',
    label: 'Mail when the hourly threshold holds callouts back',
    summary: ({ sendThresholdExceededNotification: isSent }) => (isSent === true ? 'also about thresholds' : ''),
  },
  command: {
    option: 'threshold-mail',
    description: 'its owner gets mail when the threshold holds its callouts',
    negated: 'its owner gets none',
  },
});
