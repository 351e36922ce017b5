import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import type { Action, Edit, Given, GivenEvent } from './record-edits.fixture.ts';

type Values = Map<string, string | null>;

export interface ModelEvent {
  readonly recordId: number;
  readonly action: Action;
  /** Sorted. */
  readonly changed: readonly string[];
  /** All that is known right after it. */
  readonly values: Readonly<Record<string, string | null>>;
}

interface ModelRecord {
  readonly values: Values;
  readonly isDeleted: boolean;
}

/** The expected response of a request; `statuses` are those of the events of a batch. */
export interface Expected {
  readonly status: number;
  readonly statuses?: readonly string[];
}

type Rules = Pick<EntityDefinition, 'fields'> & { readonly udfs: readonly string[] };

/** The time of creation is the service's own; the model does not look at it. */
export const UNWATCHED = 'createDate';

/** Records as plain maps, edited one after the other, and the events that their differences are. */
export class RecordModel {
  readonly events: ModelEvent[] = [];
  readonly #rules: Rules;
  #records = new Map<number, ModelRecord>();

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  /** The known values of an existing record. */
  known(id: number): Values | undefined {
    const record = this.#records.get(id);
    return record === undefined || record.isDeleted ? undefined : record.values;
  }

  /** @param ids by slot; @param madeId the id that the service chose for a creation without one. */
  apply(edit: Edit, ids: readonly number[], madeId: number): Expected {
    if (edit.kind === 'events') return this.#batch(edit.events, ids);
    if (edit.kind === 'create') {
      const id = edit.slot === null ? madeId : (ids[edit.slot] ?? 0);
      return this.#create(id, edit.given);
    }
    const id = ids[edit.slot] ?? 0;
    const known = this.known(id);
    if (known === undefined) return { status: 404 };
    if (edit.kind === 'delete') return this.#change(id, 'Delete', known, new Map());
    const names = this.#rules.fields.filter((field) => !field.isReadOnly && field.name !== 'id');
    const next = this.#settable(edit.given, (name) => names.some((field) => field.name === name));
    if (edit.kind === 'put') {
      for (const name of [...names.map((field) => field.name), ...this.#udfNames()]) {
        if (!next.has(name)) next.set(name, null);
      }
    }
    if (names.some(({ name, isRequired }) => isRequired && next.has(name) && !next.get(name))) return { status: 400 };
    return this.#change(id, 'Update', known, next);
  }

  #create(id: number, given: Given): Expected {
    const fields = this.#rules.fields.filter(({ name }) => name !== 'id' && name !== UNWATCHED);
    const settable = fields.filter((field) => !field.isReadOnly || field.isRequired);
    const next = this.#settable(given, (name) => settable.some((field) => field.name === name));
    for (const name of [...fields.map((field) => field.name), ...this.#udfNames()]) {
      if (!next.has(name)) next.set(name, null);
    }
    if (fields.some(({ name, isRequired }) => isRequired && !next.get(name))) return { status: 400 };
    if (this.#records.has(id)) return { status: 409 };
    return this.#change(id, 'Create', new Map(), next);
  }

  #change(id: number, action: Action, known: Values, next: Values): Expected {
    const changed = [...next.keys()].filter((name) => known.get(name) !== next.get(name));
    if (action !== 'Update' || changed.length > 0) this.#store(id, action, new Map([...known, ...next]), changed);
    return { status: 200 };
  }

  /** All events, or none. */
  #batch(events: readonly GivenEvent[], ids: readonly number[]): Expected {
    const before = { records: new Map(this.#records), events: this.events.length };
    const statuses: string[] = [];
    for (const { action, slot, given, changed } of events) {
      const id = ids[slot] ?? 0;
      const known = action === 'Create' ? new Map<string, string | null>() : (this.known(id) ?? new Map());
      const next = this.#settable(given, () => true);
      const values = new Map([...known, ...next]);
      if (changed?.some((name) => !values.has(name))) {
        this.#records = before.records;
        this.events.length = before.events;
        return { status: 400 };
      }
      const names = changed ?? [...next.keys()].filter((name) => known.get(name) !== next.get(name));
      const isEvent = action !== 'Update' || names.length > 0;
      statuses.push(isEvent ? 'accepted' : 'unchanged');
      if (isEvent) this.#store(id, action, values, names);
      // Stored without an event: known from now on. An update without values makes no record.
      else if (next.size > 0 || this.known(id) !== undefined) this.#records.set(id, { values, isDeleted: false });
    }
    return { status: 202, statuses };
  }

  #store(id: number, action: Action, values: Values, changed: readonly string[]): void {
    this.#records.set(id, { values, isDeleted: action === 'Delete' });
    this.events.push({ recordId: id, action, changed: changed.toSorted(), values: Object.fromEntries(values) });
  }

  #settable(given: Given, isSettable: (name: string) => boolean): Values {
    const named = Object.entries(given).filter(([name]) => name.startsWith('udf:') || isSettable(name));
    return new Map(named.map(([name, { wire }]) => [name, wire]));
  }

  #udfNames(): string[] {
    return this.#rules.udfs.map((name) => `udf:${name}`);
  }
}
