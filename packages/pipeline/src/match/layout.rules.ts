import { hash } from 'node:crypto';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import type { PayloadLayout } from '@callout/domain/callout/payload';
import type { Subscription } from './match.rules.ts';

/** What the callouts of a subscription show. A field that the catalogue lacks is left out. */
export function layoutOf({ fields, udfFields }: Subscription, entity: EntityDefinition): PayloadLayout {
  return {
    fields: fields.flatMap(({ name, isSubscribed, isDisplayAlways }) => {
      const key = entity.fieldByName(name)?.payloadKey;
      return key === undefined || !(isSubscribed || isDisplayAlways)
        ? []
        : [{ name, key, isSubscribed, isDisplayAlways }];
    }),
    udfFields: udfFields.flatMap(({ udfId, label, isSubscribed, isDisplayAlways }) =>
      isSubscribed || isDisplayAlways ? [{ udfId, key: label, isSubscribed, isDisplayAlways }] : [],
    ),
  };
}

/** A layout as it is stored, once per webhook. */
export interface StoredLayout {
  /** 64 bits of the SHA-256 of `json`, as a decimal: a layout is never changed, so its content names it. */
  readonly id: string;
  readonly json: string;
  readonly layout: PayloadLayout;
}

const stored = new WeakMap<Subscription, StoredLayout>();

/** The layout of a subscription. Made once for each: matching asks for it with each event. */
export function storedLayoutOf(subscription: Subscription, entity: EntityDefinition): StoredLayout {
  const known = stored.get(subscription);
  if (known !== undefined) return known;
  const layout = layoutOf(subscription, entity);
  const json = JSON.stringify(layout);
  const made = { id: hash('sha256', json, 'buffer').readBigInt64BE().toString(), json, layout };
  stored.set(subscription, made);
  return made;
}
