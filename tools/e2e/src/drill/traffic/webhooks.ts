import { randomBytes } from 'node:crypto';
import type { NewWebhook, TenantUnderTest } from '@callout/testing';
import { company, companyUdf, contact, type DrillEntity } from './entities.ts';
import type { Random } from '../random.ts';
import type { Mood } from '../receivers/moods.ts';
import { giveVariety, type ReceiverPlaces, settingsOf, type Variety } from './variety.ts';

/** A webhook of the drill, and the receiver at its address. */
export interface DrillWebhook extends Subscribing, Variety {
  readonly secretKey: string;
}

/** The part of it that is the same for each seed. */
export interface Subscribing {
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
  /** Whether changes are merged into callouts that wait. */
  readonly merges?: boolean;
  readonly mood: Mood;
  /** Its fate during the drill. */
  readonly fate: Fate;
}

/**
 * - `left`: nothing;
 * - `switched`: it is deactivated and activated repeatedly;
 * - `reconsidered`: its subscription to updates comes and goes, and so does merging if it began with it;
 * - `reformatted`: the format of its callouts changes repeatedly;
 * - `doomed`: it is switched, and then deleted;
 * - `orphaned`: its owner, who has no other, is deactivated, and it is activated again after him.
 */
export type Fate = 'left' | 'switched' | 'reconsidered' | 'reformatted' | 'doomed' | 'orphaned';

export interface SubscribedField {
  readonly name: string;
  readonly isSubscribed: boolean;
  readonly isDisplayAlways: boolean;
  /** A user-defined field, by its label. */
  readonly isUdf?: true;
}

const subscribed = (name: string): SubscribedField => ({ name, isSubscribed: true, isDisplayAlways: false });
const shown = (name: string): SubscribedField => ({ name, isSubscribed: false, isDisplayAlways: true });
const grade: SubscribedField = {
  name: companyUdf.definition.label,
  isSubscribed: true,
  isDisplayAlways: true,
  isUdf: true,
};
const both = (name: string): SubscribedField => ({ name, isSubscribed: true, isDisplayAlways: true });

/** Subscriptions of every kind, two of which never match, receivers of every mood, and what the seed adds to them. */
export function drillWebhooks({ colleagueId }: Pick<TenantUnderTest, 'colleagueId'>, random: Random): DrillWebhook[] {
  const all = { isActive: true, onCreate: true, onUpdate: true, onDelete: true };
  const none = { isActive: true, onCreate: false, onUpdate: false, onDelete: false };
  const plain = { entity: company, excludedResourceId: null, mood: 'prompt' as const, fate: 'left' as const };
  const webhooks: Subscribing[] = [
    {
      name: 'everything',
      ...plain,
      ...all,
      fields: [both('companyName'), ...['city', 'assetValue', 'isTaxExempt'].map(subscribed), grade],
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
    { name: 'grade', ...plain, ...none, onUpdate: true, fields: [grade] },
    { name: 'outage', ...plain, ...all, fields: [both('city')], mood: 'outage' },
    {
      name: 'switched',
      ...plain,
      ...all,
      fields: [both('city')],
      mood: 'sluggish',
      fate: 'switched',
    },
    { name: 'moody-switched', ...plain, ...all, fields: [both('city')], mood: 'moody', fate: 'switched' },
    { name: 'reconsidered', ...plain, ...all, fields: [subscribed('companyName'), grade], fate: 'reconsidered' },
    {
      name: 'reformatted',
      ...plain,
      ...all,
      fields: [both('companyName'), both('assetValue'), grade],
      mood: 'moody',
      fate: 'reformatted',
    },
    { name: 'doomed', ...plain, ...all, fields: [both('assetValue')], mood: 'sluggish', fate: 'doomed' },
    { name: 'orphaned', ...plain, ...all, fields: [both('city')], mood: 'sluggish', fate: 'orphaned' },
    {
      name: 'merging',
      ...plain,
      ...all,
      fields: [both('companyName'), both('city'), grade],
      mood: 'moody',
      merges: true,
    },
    { name: 'merging-slow', ...plain, ...all, fields: [both('assetValue')], mood: 'slow', merges: true },
    { name: 'merging-outage', ...plain, ...all, fields: [both('city')], mood: 'outage', merges: true },
    {
      name: 'merging-switched',
      ...plain,
      ...all,
      fields: [both('city'), both('assetValue')],
      mood: 'sluggish',
      fate: 'switched',
      merges: true,
    },
    {
      name: 'merging-reconsidered',
      ...plain,
      ...all,
      fields: [both('companyName'), both('isTaxExempt')],
      mood: 'sluggish',
      fate: 'reconsidered',
      merges: true,
    },
    {
      name: 'merging-reformatted',
      ...plain,
      ...all,
      fields: [both('city'), both('isTaxExempt'), grade],
      mood: 'sluggish',
      fate: 'reformatted',
      merges: true,
    },
    { name: 'contacts', ...plain, ...all, entity: contact, fields: [both('lastName'), subscribed('title')] },
    { name: 'inactive', ...plain, ...all, isActive: false, fields: [both('companyName')] },
    { name: 'unready', ...plain, ...none, onCreate: true, onUpdate: true, fields: [] },
  ];
  return giveVariety(webhooks, random).map((webhook, nth) => ({
    ...webhook,
    secretKey: nth % 2 === 0 ? standardSecret() : plainSecret(),
  }));
}

/** Below a webhook's own address: the target of its deactivation call. */
export const deactivationPath = '/off';

function flagsOf({ isSubscribed, isDisplayAlways }: SubscribedField) {
  return { isSubscribedField: isSubscribed, isDisplayAlwaysField: isDisplayAlways };
}

function standardSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

function plainSecret(): string {
  return `${randomBytes(15).toString('base64url')} & ümlaut`;
}

/** The body of its registration. @param udfId of the company's user-defined field. */
export function registrationOf(
  webhook: DrillWebhook,
  url: string,
  udfId: number,
  receivers: ReceiverPlaces,
): NewWebhook {
  const { name, entity, secretKey, isActive, onCreate, onUpdate, onDelete, excludedResourceId } = webhook;
  return {
    ...{ name, url, secretKey, isActive, onCreate, onUpdate, onDelete },
    others: { ...settingsOf(webhook, receivers), ...(webhook.merges && { mergeWhileWaiting: true }) },
    collection: entity.webhookCollection,
    deactivationUrl: `${url}${deactivationPath}`,
    fields: webhook.fields
      .filter((field) => !field.isUdf)
      .map((field) => ({ fieldID: entity.fields[field.name]?.fieldId ?? 0, ...flagsOf(field) })),
    udfFields: webhook.fields.filter((field) => field.isUdf).map((field) => ({ udfFieldID: udfId, ...flagsOf(field) })),
    excludedResourceIds: excludedResourceId === null ? [] : [excludedResourceId],
  };
}
