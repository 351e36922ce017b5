import { companyUdf } from './entities.ts';
import type { Action } from './writes.ts';

type Wire = string | null;

/** An event as a condition sees it: values by name, a user-defined field by its label. */
export interface SeenEvent {
  readonly action: Action;
  readonly recordId: number;
  /** What is known right before and right after it; an absent name is not known. */
  readonly before: ReadonlyMap<string, Wire>;
  readonly after: ReadonlyMap<string, Wire>;
  readonly changed: readonly string[];
}

/** A condition as a webhook has it, and when it holds: written by hand, from the documents alone. */
export interface DrillCondition {
  readonly filter: object;
  holds(event: SeenEvent): boolean;
}

/** A created record has no values before it; what an event did not change was the same before it. */
function previously({ action, before, after, changed }: SeenEvent, name: string): Wire | undefined {
  if (action === 'Create') return undefined;
  return (changed.includes(name) ? before : after).get(name);
}

const { label: grade } = companyUdf.definition;

/** Of companies. Each operator is in one of them, and so are unknown, empty and earlier values. */
export const companyConditions: readonly DrillCondition[] = [
  {
    filter: {
      op: 'or',
      items: [
        { op: 'changedTo', field: 'city', value: 'Oslo' },
        { op: 'changedFrom', field: 'city', value: 'Oslo' },
        { op: 'eq', field: 'companyName', value: 'Ant' },
      ],
    },
    holds(event) {
      const { after, before, changed } = event;
      const isChanged = changed.includes('city');
      const isFromOslo = event.action !== 'Create' && before.get('city') === 'Oslo';
      return (isChanged && (after.get('city') === 'Oslo' || isFromOslo)) || after.get('companyName') === 'Ant';
    },
  },
  {
    filter: {
      op: 'and',
      items: [
        { op: 'gte', field: 'assetValue', value: 0.5 },
        { op: 'lt', field: 'assetValue', value: 1.5 },
        { op: 'noteq', field: 'city', value: 'Bern' },
      ],
    },
    holds({ after }) {
      const [value, city] = [after.get('assetValue') ?? null, after.get('city')];
      return value !== null && Number(value) >= 0.5 && Number(value) < 1.5 && city !== undefined && city !== 'Bern';
    },
  },
  {
    filter: {
      op: 'or',
      items: [
        { op: 'changed', field: grade, udf: true },
        { op: 'in', field: 'previous.companyName', value: ['Bee', 'Größe & Söhne'] },
        { op: 'lte', field: 'id', value: 5 },
      ],
    },
    holds: (event) =>
      event.changed.includes(grade) ||
      ['Bee', 'Größe & Söhne'].includes(previously(event, 'companyName') ?? '') ||
      event.recordId <= 5,
  },
  {
    filter: {
      op: 'and',
      items: [
        { op: 'notIn', field: grade, udf: true, value: ['B+'] },
        {
          op: 'or',
          items: [
            { op: 'contains', field: 'companyName', value: 'SÖHNE' },
            { op: 'beginsWith', field: 'companyName', value: 'a' },
            { op: 'endsWith', field: 'companyName', value: '"7"' },
            { op: 'notExist', field: 'city' },
            { op: 'gt', field: 'previous.assetValue', value: 1 },
          ],
        },
      ],
    },
    holds(event) {
      const { after } = event;
      const name = (after.get('companyName') ?? '').toLowerCase();
      const isNamed = name.includes('söhne') || name.startsWith('a') || name.endsWith('"7"');
      const hasNoCity = (after.get('city') ?? null) === null;
      const value = previously(event, 'assetValue') ?? null;
      const wasAboveOne = value !== null && Number(value) > 1;
      return after.has(grade) && after.get(grade) !== 'B+' && (isNamed || hasNoCity || wasAboveOne);
    },
  },
  {
    filter: {
      op: 'and',
      items: [
        { op: 'exist', field: 'isTaxExempt' },
        { op: 'notExist', field: 'previous.city' },
      ],
    },
    holds: (event) => (event.after.get('isTaxExempt') ?? null) !== null && (previously(event, 'city') ?? null) === null,
  },
];
