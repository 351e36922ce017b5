import { nowMs } from '../clock.ts';
import type { CallHeaders } from '../setup.ts';
import type { Question } from './questions.ts';

export interface AskDeps {
  /** URL of the collection, such as `…/v1.0/Companies`. */
  readonly url: string;
  readonly headers: CallHeaders;
  readonly random: () => number;
}

/** How long each answer took, and how many rows they had together. */
export interface Answered {
  readonly name: string;
  readonly tookMs: readonly number[];
  readonly rows: number;
  /** How often it was asked altogether, warming up included. */
  readonly asked: number;
}

/** Until both are warm: the connection, and the plans of PostgreSQL. */
const WARM_UP_TIMES = 5;
/** A kind of query that takes long is asked less often. */
const MOST_MS = 20_000;
const PAGE = 500;
const MOST_PAGES = 200;

/**
 * Asks one kind of query again and again, one after another: what a single caller waits for.
 * @throws Error when an answer is not the one that the companies have.
 */
export async function ask({ url, headers, random }: AskDeps, question: Question): Promise<Answered> {
  const tookMs: number[] = [];
  let rows = 0;
  let asked = 0;
  const path = question.how === 'count' ? `${url}/query/count` : `${url}/query`;
  const deadlineMs = nowMs() + MOST_MS;
  for (let time = -Math.min(WARM_UP_TIMES, question.times); time < question.times; time += 1) {
    const { query, items } = question.ask(random);
    const startedAtMs = nowMs();
    const body = await fetchJson(path, headers, query);
    const endedAtMs = nowMs();
    asked += 1;
    const found = 'queryCount' in body ? Number(body['queryCount']) : itemsOf(body).length;
    if (found !== items) throw new Error(`${question.name}: ${JSON.stringify(query)} found ${found}, not ${items}`);
    if (time >= 0) {
      tookMs.push(endedAtMs - startedAtMs);
      rows += found;
    }
    if (endedAtMs > deadlineMs && tookMs.length > 0) break;
  }
  return { name: question.name, tookMs, rows, asked };
}

/**
 * Pages through all companies, as many pages as are worth measuring.
 * @throws Error when a row comes twice, or is left out.
 */
export async function pageThrough({ url, headers }: Omit<AskDeps, 'random'>): Promise<Answered> {
  const tookMs: number[] = [];
  let rows = 0;
  let next: string | null = `${url}/query?search=${encodeURIComponent(JSON.stringify({ MaxRecords: PAGE }))}`;
  while (next !== null && tookMs.length < MOST_PAGES) {
    const startedAtMs = nowMs();
    const page = await fetchJson(next, headers);
    tookMs.push(nowMs() - startedAtMs);
    for (const { id } of itemsOf(page)) {
      rows += 1;
      if (id !== rows) throw new Error(`paging through: row ${rows} has the id ${id}`);
    }
    next = (page['pageDetails'] as { nextPageUrl: string | null }).nextPageUrl;
  }
  return { name: `paging through, ${PAGE} a page`, tookMs, rows, asked: tookMs.length };
}

type Body = Readonly<Record<string, unknown>>;

function itemsOf(body: Body): readonly { readonly id: number }[] {
  return body['items'] as readonly { readonly id: number }[];
}

async function fetchJson(url: string, headers: CallHeaders, query?: unknown): Promise<Body> {
  const post = {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(query),
  };
  const response = await fetch(url, query === undefined ? { headers } : post);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Body;
}
