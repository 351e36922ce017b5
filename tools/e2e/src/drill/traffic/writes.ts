import type { TenantUnderTest } from '@callout/testing';
import { company, companyUdf, contact, markerField, type DrillEntity, type Given } from './entities.ts';
import type { Random } from '../random.ts';

export type Action = 'Create' | 'Update' | 'Delete';

/** One change of one record, as a client requests it. */
export interface Write {
  /** The identity of its event: its eventID, or the marker that a record write leaves in the record. */
  readonly name: string;
  readonly way: 'EntityEvents' | 'record';
  readonly entityType: DrillEntity['entityType'];
  readonly action: Action;
  /** Null: the service chooses. */
  readonly recordId: number | null;
  readonly personId: number;
  /** Null: the moment of acceptance. */
  readonly eventTime: string | null;
  /** By name; a user-defined field by its label. */
  readonly fields: Readonly<Record<string, Given>>;
  /** Null: the service compares. */
  readonly changedFields: readonly string[] | null;
}

/** Writes of one request: one record write, or a batch of EntityEvents. */
export type WriteRequest = readonly Write[];

export interface WriteSource {
  next(): WriteRequest;
}

/** Small enough that writers meet on the same records all the time. */
const POOL = 30;
const LARGEST_BATCH = 15;
/** Ids that callers choose themselves in POST, far above the ids that the service has assigned. */
const OWN_IDS_FROM = 1_000_000;

/** The required fields of a company's POST besides the varied ones. */
const requiredFields = { companyType: 1, ownerResourceID: 1, phone: '1' };

/** Thinks up the requests of one writer. */
export function createWriteSource(random: Random, writer: number, people: PeopleOf): WriteSource {
  let written = 0;
  const nextName = () => `w${writer}-${++written}`;

  function someFields(entity: DrillEntity, share: number): Record<string, Given> {
    const drawn = Object.entries(entity.fields).map(([name, field]) => [name, field.draw(random)] as const);
    const grade = entity === company ? [[companyUdf.definition.label, companyUdf.draw(random)] as const] : [];
    return Object.fromEntries([...drawn, ...grade].filter(() => random.chance(share)));
  }

  function entityEvent(): Write {
    const entity = random.chance(0.85) ? company : contact;
    const action = random.pick<Action>([
      'Create',
      'Update',
      'Update',
      'Update',
      'Update',
      'Update',
      'Update',
      'Delete',
    ]);
    const fields = action === 'Delete' ? {} : someFields(entity, action === 'Create' ? 0.8 : 0.5);
    const names = Object.keys(fields).filter((name) => name in entity.fields);
    return {
      name: nextName(),
      way: 'EntityEvents',
      entityType: entity.entityType,
      action,
      recordId: random.between(1, POOL),
      personId: random.chance(0.3) ? people.colleagueId : people.sourceId,
      eventTime: random.chance(0.3) ? `2025-09-15T15:10:${String(random.between(10, 59))}Z` : null,
      fields,
      changedFields: action === 'Update' && names.length > 0 && random.chance(0.2) ? [random.pick(names)] : null,
    };
  }

  function recordWrite(): Write {
    const action = random.pick<Action>(['Create', 'Update', 'Update', 'Update', 'Delete']);
    const name = nextName();
    const marked = { ...someFields(company, 0.5), [markerField]: name };
    const isOwnId = random.chance(0.5);
    return {
      name,
      way: 'record',
      entityType: 'Account',
      action,
      recordId: action !== 'Create' ? random.between(1, POOL) : isOwnId ? OWN_IDS_FROM * (writer + 1) + written : null,
      personId: people.sourceId,
      eventTime: null,
      fields:
        action === 'Create' ? { companyName: 'Ant', ...requiredFields, ...marked } : action === 'Update' ? marked : {},
      changedFields: null,
    };
  }

  return {
    next: () =>
      random.chance(0.4) ? [recordWrite()] : Array.from({ length: random.between(1, LARGEST_BATCH) }, entityEvent),
  };
}

type PeopleOf = Pick<TenantUnderTest, 'sourceId' | 'colleagueId'>;
