import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type Entity, entityOfType } from '../../api/entities.ts';
import { useMember } from '../../api/session.ts';

interface RecordNameProps {
  readonly entityType: string;
  readonly recordID: number;
}

/** What people call a record, and its id; the entity and the id while that is read, and where it cannot be. */
export function RecordName({ entityType, recordID }: RecordNameProps) {
  const entity = entityOfType(entityType);
  // A portal reads no records.
  const isReadable = useMember()?.isPortal === false;
  const name = useQuery({ ...recordNameQuery(entity, recordID), enabled: isReadable && entity !== undefined }).data;
  return (
    <span className="break-anywhere">
      {name ? `${name} (${recordID})` : `${entity?.one ?? entityType} ${recordID}`}
    </span>
  );
}

/** The fields that name a record, by the type of its entity. */
const nameFields: Readonly<Record<Entity['type'], readonly string[]>> = {
  Account: ['companyName'],
  Contact: ['firstName', 'lastName'],
  InstalledProduct: ['referenceTitle'],
  Ticket: ['ticketNumber', 'title'],
  TicketNote: ['title'],
  WebhookHealth: ['name'],
};

function recordNameQuery(entity: Entity | undefined, recordID: number) {
  return queryOptions({
    queryKey: ['record name', entity?.type, recordID],
    queryFn: () => (entity === undefined ? null : nameOf(entity, recordID)),
    staleTime: 60_000,
    retry: false,
  });
}

type Names = Promise<ReadonlyMap<number, string>>;
/** Of each entity: the records whose names the next request reads. */
const gathered = new Map<Entity, { readonly ids: number[]; readonly names: Names }>();
const mostNamed = 500;

/** The rows of a table ask at the same time: one request reads the names of all. */
async function nameOf(entity: Entity, recordID: number): Promise<string | null> {
  let batch = gathered.get(entity);
  if (batch === undefined || batch.ids.length === mostNamed) {
    const ids: number[] = [];
    batch = { ids, names: Promise.resolve().then(() => readNames(entity, ids)) };
    gathered.set(entity, batch);
  }
  batch.ids.push(recordID);
  return (await batch.names).get(recordID) ?? null;
}

async function readNames(entity: Entity, ids: readonly number[]): Names {
  gathered.delete(entity);
  const fields = nameFields[entity.type];
  const path = `/v1.0/${entity.records}/query` as '/v1.0/Companies/query';
  const Filter = [{ op: 'in' as const, field: 'id', value: [...new Set(ids)] }];
  const body = { Filter, IncludeFields: ['id', ...fields], MaxRecords: mostNamed };
  const items: readonly object[] = (await api.POST(path, { body })).data.items;
  return new Map(
    items.map((item) => {
      const values = new Map<string, unknown>(Object.entries(item));
      const parts = fields.map((field) => values.get(field)).filter((part) => typeof part === 'string');
      return [Number(values.get('id')), parts.join(' ')];
    }),
  );
}
