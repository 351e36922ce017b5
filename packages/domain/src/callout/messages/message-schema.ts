import type { MessageFormat } from '../../alert/alert.ts';

const required: Readonly<Record<MessageFormat, readonly string[]>> = {
  slack: ['text', 'blocks'],
  teams: ['type', 'attachments'],
  pagerduty: ['routing_key', 'event_action', 'dedup_key', 'payload'],
};

/**
 * The JSON Schema (2020-12) of the messages that a webhook sends: the required content. Its deactivation call, which
 * goes to no chat, has the payloadFormat of the webhook.
 */
export function messageSchema(format: MessageFormat, webhookName: string) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Messages of the webhook ${webhookName} for ${format}`,
    type: 'object',
    required: required[format],
  };
}
