import { randomBytes } from 'node:crypto';
import type { NewWebhook } from '../rest/register-webhook.ts';
import type { TenantUnderTest } from '../rest/tenant.ts';
import { company, contact, type DrillEntity } from './entities.ts';
import type { Mood } from './moods.ts';

/** A webhook of the drill: its subscription, and the receiver at its address. */
export interface DrillWebhook {
  /** Its path at the receiver is `/name`. */
  readonly name: string;
  readonly entity: DrillEntity;
  readonly isActive: boolean;
  readonly onCreate: boolean;
  readonly onUpdate: boolean;
  readonly onDelete: boolean;
  readonly fields: readonly SubscribedField[];
  /** Whose events it does not want. */
  readonly excludedResourceId: number | null;
  readonly secretKey: string;
  readonly mood: Mood;
}

export interface SubscribedField {
  readonly name: string;
  readonly isSubscribed: boolean;
  readonly isDisplayAlways: boolean;
}

const subscribed = (name: string): SubscribedField => ({ name, isSubscribed: true, isDisplayAlways: false });
const shown = (name: string): SubscribedField => ({ name, isSubscribed: false, isDisplayAlways: true });
const both = (name: string): SubscribedField => ({ name, isSubscribed: true, isDisplayAlways: true });

/** Subscriptions of every kind, two of which are owed nothing, and receivers of every mood. */
export function drillWebhooks({ colleagueId }: Pick<TenantUnderTest, 'colleagueId'>): DrillWebhook[] {
  const all = { isActive: true, onCreate: true, onUpdate: true, onDelete: true };
  const none = { isActive: true, onCreate: false, onUpdate: false, onDelete: false };
  const plain = { entity: company, excludedResourceId: null, mood: 'prompt' as const };
  const webhooks: Omit<DrillWebhook, 'secretKey'>[] = [
    {
      name: 'everything',
      ...plain,
      ...all,
      fields: [both('companyName'), ...['city', 'assetValue', 'isTaxExempt'].map(subscribed)],
    },
    { name: 'city', ...plain, ...none, onUpdate: true, fields: [shown('companyName'), subscribed('city')] },
    { name: 'deletions', ...plain, ...none, onDelete: true, fields: [] },
    { name: 'moody', ...plain, ...all, fields: [subscribed('companyName')], mood: 'moody' },
    {
      name: 'slow',
      ...plain,
      ...none,
      onCreate: true,
      onUpdate: true,
      fields: ['assetValue', 'isTaxExempt'].map(both),
      mood: 'slow',
    },
    { name: 'without-colleague', ...plain, ...all, fields: [subscribed('city')], excludedResourceId: colleagueId },
    { name: 'contacts', ...plain, ...all, entity: contact, fields: [both('lastName'), subscribed('title')] },
    { name: 'inactive', ...plain, ...all, isActive: false, fields: [both('companyName')] },
    { name: 'unready', ...plain, ...none, onCreate: true, onUpdate: true, fields: [] },
  ];
  return webhooks.map((webhook, nth) => ({ ...webhook, secretKey: nth % 2 === 0 ? standardSecret() : plainSecret() }));
}

function standardSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

function plainSecret(): string {
  return `${randomBytes(15).toString('base64url')} & ümlaut`;
}

/** What to register for it. */
export function registrationOf(webhook: DrillWebhook, url: string): NewWebhook {
  const { name, entity, secretKey, isActive, onCreate, onUpdate, onDelete, excludedResourceId } = webhook;
  return {
    ...{ name, url, secretKey, isActive, onCreate, onUpdate, onDelete },
    collection: entity.webhookCollection,
    fields: webhook.fields.map((field) => ({
      fieldID: entity.fields[field.name]?.fieldId ?? 0,
      isSubscribedField: field.isSubscribed,
      isDisplayAlwaysField: field.isDisplayAlways,
    })),
    excludedResourceIds: excludedResourceId === null ? [] : [excludedResourceId],
  };
}
