import { type Move, shapeOf, storeCopies } from './move-context.ts';
import { batchOf, nextOf, rowsPerBatch, sinceId, type Step } from './step.ts';
import { readRows, type TextRow } from './text-rows.ts';

interface RecordName {
  readonly entityType: string;
  readonly id: number;
}

/** All records in the first round; later those with an event since. In the order of their key. */
export function recordsStep(): Step {
  let changed: RecordName[] | undefined;
  return {
    name: 'records',
    async next(move, round, after) {
      const [entity = '', text = '0'] = after.split('|');
      const shape = await shapeOf(move, 'records');
      const read = (rest: string, ...values: unknown[]) =>
        readRows(move.source.pool, shape, `t.tenant_id = $1 AND ${rest}`, [move.sourceTenantId, ...values]);
      if (round.since === null) {
        const next = '(t.entity_type, t.id) > ($2, $3::bigint) ORDER BY t.entity_type, t.id LIMIT $4';
        const rows = await read(next, entity, text, rowsPerBatch);
        return batchOf(move, 'records', rows, 'update', (row: TextRow) => `${row['entity_type']}|${row['id']}`);
      }
      changed ??= await findChanged(move, sinceId(round));
      const found = nextOf(changed, (one) => comesAfter(one, { entityType: entity, id: Number(text) }), rowsPerBatch);
      const names = found.filter(({ entityType }) => entityType === found[0]?.entityType);
      const last = names.at(-1);
      if (last === undefined) return null;
      const ids = names.map(({ id }) => id);
      const rows = await read('t.entity_type = $2 AND t.id = ANY($3::bigint[])', last.entityType, ids);
      return {
        store: (client) => storeCopies(move, client, 'records', rows, 'update'),
        after: `${last.entityType}|${last.id}`,
      };
    },
  };
}

/** The records with an event from an id on, in order. Found once in a run: each look reads all of these events. */
async function findChanged(move: Move, since: string): Promise<RecordName[]> {
  const { rows } = await move.source.pool.query<{ entityType: string; id: string }>(
    `SELECT DISTINCT entity_type AS "entityType", record_id::text AS id FROM events WHERE tenant_id = $1 AND id >= $2`,
    [move.sourceTenantId, since],
  );
  const names = rows.map(({ entityType, id }) => ({ entityType, id: Number(id) }));
  return names.toSorted((one, other) => (comesAfter(one, other) ? 1 : -1));
}

function comesAfter(one: RecordName, other: RecordName): boolean {
  return one.entityType === other.entityType ? one.id > other.id : one.entityType > other.entityType;
}
