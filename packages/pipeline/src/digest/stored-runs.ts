import type { ChainedRun, DigestRun } from '@callout/domain/callout/digest';
import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { mostRuns, type EarlierRun, type NumberRange, type StoredRange } from './digest.rules.ts';

/** A deactivation call that was delivered went to the deactivationUrl. */
const stateOf = `CASE WHEN c.kind = 'deactivation' AND c.state = 'delivered' THEN 'deactivation' ELSE c.state END`;

// Numbers minus their places are equal within a run.
const readRange = statement<StoredRange>(
  'digest_read_range',
  `WITH numbers AS MATERIALIZED (
     SELECT c.sequence_number AS n, ${stateOf} AS state, c.kind,
       lag(c.sequence_number) OVER (ORDER BY c.sequence_number) AS before
     FROM callouts c WHERE c.webhook_key = $1 AND c.sequence_number BETWEEN $2 AND $3
   ), missed AS (
     SELECT n, state, n - row_number() OVER (PARTITION BY state ORDER BY n) AS island
     FROM numbers WHERE state <> 'delivered'
   ), runs AS (
     SELECT min(n) AS "from", max(n) AS "to", state FROM missed GROUP BY state, island ORDER BY 1 LIMIT $4 + 1
   )
   SELECT CASE WHEN max(n) = $3 THEN max(n) FILTER (WHERE before IS NULL OR before < n - 1) END AS "keptFrom",
     count(*) FILTER (WHERE kind <> 'digest') AS others,
     (SELECT coalesce(json_agg(r ORDER BY r."from"), '[]') FROM runs r) AS runs
   FROM numbers`,
);

/** What is stored of the callouts of a webhook in a range of numbers. */
export async function readStoredRange(
  client: Client,
  webhookKey: number,
  first: number,
  last: number,
): Promise<StoredRange> {
  const [range] = await readRange(client, [webhookKey, first, last, mostRuns]);
  return range ?? { keptFrom: null, others: 0, runs: [] };
}

const readNumbers = statement<EarlierRun>(
  'digest_read_numbers',
  `WITH numbers AS (
     SELECT c.sequence_number AS n, ${stateOf} AS state, c.kind
     FROM unnest($2::bigint[], $3::bigint[]) AS r (first, last), LATERAL (
       SELECT * FROM callouts WHERE webhook_key = $1 AND sequence_number BETWEEN r.first AND r.last OFFSET 0
     ) AS c
   ), placed AS (
     SELECT *, n - row_number() OVER (PARTITION BY state ORDER BY n) AS island FROM numbers
   )
   SELECT min(n) AS "from", max(n) AS "to", state, bool_or(kind <> 'digest') AS "hasOthers"
   FROM placed GROUP BY state, island ORDER BY 1`,
);

/** The states of callouts, by their numbers. A callout that is no longer stored is left out. */
export async function readEarlierRuns(
  client: Client,
  webhookKey: number,
  ranges: readonly NumberRange[],
): Promise<EarlierRun[]> {
  if (ranges.length === 0) return [];
  return readNumbers(client, [webhookKey, ranges.map(([from]) => from), ranges.map(([, to]) => to)]);
}

const readValues = statement<{ number: number; value: string | null }>(
  'digest_read_values',
  `SELECT n.number, encode(p.value, 'hex') AS value
   FROM unnest($2::bigint[]) AS n (number) LEFT JOIN LATERAL (
     SELECT substring(chain_values FROM ((n.number - first_number + 1) * 32 + 1)::int FOR 32) AS value
     FROM chain_parts WHERE webhook_key = $1 AND first_number <= n.number + 1 ORDER BY first_number DESC LIMIT 1
   ) AS p ON true`,
);

/** Returns the values of the chain of a webhook at numbers. Throws an Error for one that is not in the chain. */
export async function readChainValues(
  client: Client,
  webhookKey: number,
  numbers: readonly number[],
): Promise<(number: number) => string> {
  const rows = await readValues(client, [webhookKey, [...new Set(numbers)]]);
  const values = new Map(rows.map(({ number, value }) => [number, value]));
  return (number) => {
    const value = values.get(number);
    if (value?.length !== 64) throw new Error(`the chain of webhook ${webhookKey} has no value at ${number}`);
    return value;
  };
}

/** The numbers at which the values of a chain are needed for a range and its runs. */
export function numbersToProve(first: number, last: number, runs: readonly DigestRun[]): number[] {
  return [first - 1, last, ...runs.flatMap(({ from, to }) => [from - 1, to])];
}

export function chained(runs: readonly DigestRun[], valueAt: (number: number) => string): ChainedRun[] {
  return runs.map((run) => ({ ...run, chainBefore: valueAt(run.from - 1), chainAfter: valueAt(run.to) }));
}
