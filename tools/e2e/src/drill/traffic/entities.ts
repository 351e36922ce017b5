import type { Random } from '../random.ts';

/** A value as a caller sends it. */
export type Given = string | number | boolean | null;

/** The drill's fields of an entity: few fields with few values, so that updates often change nothing. */
export interface DrillEntity {
  readonly entityType: 'Account' | 'Contact';
  readonly webhookCollection: string;
  /** The collection of its records. */
  readonly collection: string;
  /** In the types of CloudEvents. */
  readonly eventName: string;
  readonly fields: Readonly<Record<string, DrillField>>;
}

interface DrillField {
  /** The number under which webhooks subscribe to it. */
  readonly fieldId: number;
  /** In JSON, where a format has types; absent: string. */
  readonly type?: 'number' | 'boolean';
  /** Makes a value for it. */
  draw(random: Random): Given;
}

export const company: DrillEntity = {
  entityType: 'Account',
  webhookCollection: 'CompanyWebhooks',
  collection: 'Companies',
  eventName: 'company',
  fields: {
    companyName: { fieldId: 2, draw: (random) => random.pick(['Ant', 'Bee', 'Größe & Söhne', '蜂 "7"']) },
    city: { fieldId: 11, draw: (random) => random.pick(['Bern', 'Oslo', null]) },
    assetValue: { fieldId: 27, type: 'number', draw: (random) => random.between(0, 7) / 4 },
    isTaxExempt: { fieldId: 32, type: 'boolean', draw: (random) => random.chance(0.5) },
  },
};

export const contact: DrillEntity = {
  entityType: 'Contact',
  webhookCollection: 'ContactWebhooks',
  collection: 'Contacts',
  eventName: 'contact',
  fields: {
    lastName: { fieldId: 4, draw: (random) => random.pick(['Moss', 'Reed', 'Thorn']) },
    title: { fieldId: 6, draw: (random) => random.pick(['Dr', null]) },
  },
};

/** A company's user-defined field: its definition, and a value for it. Callouts use its label. */
export const companyUdf = {
  definition: { entityType: 'Account', name: 'drillGrade', label: 'Größe der Übung', dataType: 'string' },
  draw: (random: Random): Given => random.pick(['A', 'B+', null]),
} as const;

/** A company's field to which record writes give a unique value, by which their events are recognized. */
export const markerField = 'fax';

/** A value as callouts carry it. */
export function toWire(value: Given): string | null {
  return value === null ? null : String(value);
}
