import { alertFormats } from '@callout/domain/alert/alert';
import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import { setting } from './setting.ts';

export const alertFormat = setting({
  key: 'alertFormat',
  type: { kind: 'choice', words: alertFormats },
  default: 'json',
  description:
    'What its callouts are: json, as those of other webhooks, or a message for slack, teams or pagerduty; json when it is left out.',
  only: webhookHealthType,
  readBy: ['payload'],
  form: {
    section: 'basics',
    name: 'Who reads them',
    help: 'Messages for the incoming webhook of a chat, or alerts of a pager that recovery resolves',
    choices: {
      json: { label: 'A program: JSON' },
      slack: { label: 'Slack' },
      teams: { label: 'Microsoft Teams' },
      pagerduty: { label: 'PagerDuty' },
    },
  },
  command: {
    option: 'alert-format',
    argument: 'format',
    description: 'on WebhookHealth: a message for which service, or json',
  },
});

export const alertRoutingKey = setting({
  key: 'alertRoutingKey',
  type: { kind: 'routingKey' },
  default: null,
  description:
    'The integration key of PagerDuty, which alertFormat pagerduty requires; it is never returned and reads as asterisks.',
  isSecret: true,
  only: webhookHealthType,
  readBy: ['payload'],
  form: {
    section: 'basics',
    name: 'Integration key',
    help: 'Of a service of PagerDuty; it is stored encrypted and never shown',
    isShown: ({ alertFormat: format }) => format === 'pagerduty',
  },
  command: {
    option: 'alert-routing-key-env',
    description: 'on WebhookHealth: the environment variable with the integration key of PagerDuty, or none',
  },
});
