import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import type { WebhookInputContext } from './webhook-input.ts';

/** The context for reading webhook input: https only, and two user-defined fields. */
export function webhookContext(entity: EntityDefinition): WebhookInputContext {
  return {
    entity,
    checkUrl: (text) => (text.startsWith('https://') ? { ok: true } : { ok: false, message: 'must use https' }),
    now: new Date('2026-11-23T00:00:00Z'),
    userDefinedFields: [
      { id: 4, name: 'region', label: 'Region of sales', dataType: 'string' },
      { id: 5, name: 'tier', label: 'Tier', dataType: 'list' },
    ],
  };
}

/** The keys that a create requires. */
export const requiredKeys = {
  name: 'Shop.Company.Update',
  webhookUrl: 'https://shop.example/hook',
  deactivationUrl: 'https://shop.example/gone',
  secretKey: 'a long enough secret',
};

/** The Problem that parsing throws. */
export function problemOf(parse: () => unknown): Problem {
  try {
    parse();
  } catch (problem) {
    if (problem instanceof Problem) return problem;
    throw problem;
  }
  throw new Error('Nothing was refused');
}

export const messagesOf = (parse: () => unknown): string[] => problemOf(parse).details.map(({ message }) => message);
