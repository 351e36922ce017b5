import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Request, Response } from 'express';
import { Problem } from '@callout/domain/problem';

/** Names of built files: nothing that could lead out of the directory, and no hidden file. */
const FILE = /^\/(?:[\w-][\w.-]*\/)*[@\w-][\w-]*(?:\.[\w-]+)+$/u;
/** Their names contain a hash of their content, so they never change. */
const HASHED = /^\/assets\//u;
const YEAR_S = 31_536_000;
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

/** Whether a path, from the directory on, can be that of a built file. */
export function isFileName(name: string): boolean {
  return FILE.test(name);
}

/**
 * Responds with a file of a directory that was built before: a compressed one if it exists and the client accepts it.
 * All responses share the bytes of a file, and none keeps it open, so a client that reads slowly or not at all costs
 * only its connection.
 * @param name its path within the directory, with a leading slash; `isFileName` must be true for it.
 * @throws Problem 404 with a sentence about `what` when there is no such file.
 */
export async function sendBuiltFile(
  { directory, what, isDownload = false }: BuiltFiles,
  name: string,
  request: Request,
  response: Response,
): Promise<void> {
  const found = await findFile(path.join(directory, name), request);
  if (found === undefined) throw Problem.notFound(`${what} has no file ${name}.`);
  response.type(path.extname(name));
  if (isDownload) response.set(downloadHeaders(name));
  response.set({
    Vary: 'Accept-Encoding',
    'Cache-Control': HASHED.test(name) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
    // Weak, since a file may be written twice within the precision of its time.
    ETag: `W/"${found.bytes.length.toString(16)}-${Math.trunc(found.mtimeMs).toString(16)}"`,
    'Last-Modified': new Date(found.mtimeMs).toUTCString(),
    ...(found.encoding && { 'Content-Encoding': found.encoding }),
  });
  if (request.fresh) response.status(304).end();
  else response.set('Content-Length', String(found.bytes.length)).end(found.bytes);
}

interface BuiltFiles {
  readonly directory: string;
  /** For the message about a file that is not there, such as "The console". */
  readonly what: string;
  /** Browsers keep the files instead of showing them. */
  readonly isDownload?: boolean;
}

/** Sources are served as text, although `.ts` is a film elsewhere. */
function downloadHeaders(name: string) {
  const type = /\.tgz$/u.test(name) ? 'application/gzip' : /\.json$/u.test(name) ? 'application/json' : 'text/plain';
  return {
    'Content-Type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
    'Content-Disposition': `attachment; filename="${path.basename(name)}"`,
  };
}

interface BuiltFile {
  readonly mtimeMs: number;
  readonly bytes: Buffer;
}

/** The first compressed form that the client accepts and that exists, else the file itself. */
async function findFile(file: string, request: Request): Promise<(BuiltFile & { encoding?: string }) | undefined> {
  for (const { name, suffix } of encodings) {
    if (request.acceptsEncodings(name) !== name) continue;
    const compressed = await readBuiltFile(`${file}${suffix}`);
    if (compressed !== undefined) return { ...compressed, encoding: name };
  }
  return readBuiltFile(file);
}

/** More than console and documentation have together. At this number, files are read again on each request. */
const MOST_KEPT_BYTES = 64 * 1_048_576;
const kept = new Map<string, BuiltFile>();
let keptBytes = 0;

/** A file as it is now; its bytes are read again only when it has changed. */
async function readBuiltFile(file: string): Promise<BuiltFile | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() !== true) return undefined;
  const known = kept.get(file);
  if (known?.mtimeMs === stats.mtimeMs && known.bytes.length === stats.size) return known;
  const read = { mtimeMs: stats.mtimeMs, bytes: await readFile(file) };
  keptBytes += read.bytes.length - (kept.get(file)?.bytes.length ?? 0);
  kept.set(file, read);
  if (keptBytes > MOST_KEPT_BYTES) {
    kept.clear();
    keptBytes = 0;
  }
  return read;
}
