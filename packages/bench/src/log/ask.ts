import { isDeepStrictEqual } from 'node:util';
import { nowMs } from '../clock.ts';
import type { CallHeaders } from '../setup.ts';
import type { Asked, Question } from './question.ts';
import type { Body } from './read-answer.ts';

export interface AskDeps {
  /** Up to and including `/v1.0`. */
  readonly apiUrl: string;
  readonly headers: CallHeaders;
  readonly random: () => number;
  /** How often each question is asked, unless it takes long. */
  readonly times: number;
  /** The history has grown since it was made, so that answers are not known; default false. */
  readonly isUnknown?: boolean;
}

/** How long each answer took. */
export interface Answered {
  readonly name: string;
  readonly tookMs: readonly number[];
  /** Answers 400: it would have taken longer than QUERY_TIMEOUT_MS. */
  readonly refused: number;
  /** Requests altogether, those for warming up included. */
  readonly asked: number;
}

/** Until both are warm: the connection, and what PostgreSQL keeps of the catalogue. */
const WARM_UP_TIMES = 3;
/** What takes long is asked less often. */
const MOST_MS = 8_000;

/**
 * Asks one question again and again, one after another: what a single caller waits for.
 * @throws Error when an answer is not the one that the history has.
 */
export async function ask(deps: AskDeps, question: Question): Promise<Answered> {
  const { apiUrl, headers, random, times, isUnknown = false } = deps;
  const tookMs: number[] = [];
  let [refused, asked] = [0, 0];
  const get = async (url: string) => {
    asked += 1;
    const startedAtMs = nowMs();
    const body = await fetchJson(url, headers);
    return { body, endedAtMs: nowMs(), startedAtMs };
  };
  const deadlineMs = nowMs() + MOST_MS;
  for (let time = -WARM_UP_TIMES; time < times; time += 1) {
    const made = question.ask(random);
    const first = await get(apiUrl + made.path);
    const answer = made.isNextPage === true ? await get(nextPageOf(first.body)) : first;
    if (answer.body === 'refused') refused += 1;
    else if (!isUnknown) check(question, made, answer.body);
    const isSlow = answer.endedAtMs > deadlineMs;
    // What is refused was no warming up either: another 10 seconds would tell nothing new.
    if (time >= 0 || answer.body === 'refused' || isSlow) tookMs.push(answer.endedAtMs - answer.startedAtMs);
    if (answer.body === 'refused' || isSlow) break;
  }
  return { name: question.name, tookMs, refused, asked };
}

function check({ name, read }: Question, { path, expected }: Asked, body: Body): void {
  const found = read(body);
  if (isDeepStrictEqual(plain(found), plain(expected))) return;
  const [was, is] = [found, expected].map((one) => JSON.stringify(one).slice(0, 500));
  throw new Error(`${name}: ${path} was answered with ${was}, not ${is}`);
}

/** As JSON has it: arrays of another realm, such as that of a test, are no difference. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function nextPageOf(body: Body | 'refused'): string {
  const { nextPageUrl } = (body === 'refused' ? {} : body['pageDetails']) as { nextPageUrl?: string | null };
  if (typeof nextPageUrl !== 'string') throw new Error('a page that has more behind it does not say so');
  return nextPageUrl;
}

async function fetchJson(url: string, headers: CallHeaders): Promise<Body | 'refused'> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status === 400 && text.includes('took longer than')) return 'refused';
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Body;
}
